"""PDUs of SMPP 3.4: the units in which a carrier and its client talk."""

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

HEADER: Final = struct.Struct(">IIII")
PDU_BYTES_MAX: Final = 8_192
"""Bytes of a PDU. The longest useful one is a text of some hundred bytes with a few optional parameters."""
VERSION: Final = 0x34
RESPONSE: Final = 0x80000000
"""The bit that makes a response of a command."""
_TLV: Final = struct.Struct(">HH")


class Command(IntEnum):
    """Commands that this client sends or understands (SMPP 3.4, 5.1.2.1)."""

    SUBMIT_SM = 0x04
    DELIVER_SM = 0x05
    UNBIND = 0x06
    BIND_TRANSCEIVER = 0x09
    ENQUIRE_LINK = 0x15
    ALERT_NOTIFICATION = 0x102
    DATA_SM = 0x103
    GENERIC_NACK = 0x80000000


class Status(IntEnum):
    """Statuses with a meaning of their own (SMPP 3.4, 5.1.3)."""

    OK = 0x00
    INVALID_COMMAND = 0x03
    INVALID_DESTINATION = 0x0B
    QUEUE_FULL = 0x14
    THROTTLED = 0x58
    REFUSED = 0x65
    """ESME_RX_P_APPN: do not deliver this again."""


class Tag(IntEnum):
    """Tags of optional parameters (SMPP 3.4, 5.3.2)."""

    RECEIPTED_MESSAGE_ID = 0x001E
    SAR_REFERENCE = 0x020C
    SAR_COUNT = 0x020E
    SAR_NUMBER = 0x020F
    MESSAGE_PAYLOAD = 0x0424
    MESSAGE_STATE = 0x0427


class PduError(ValueError):
    """The bytes are no PDU of SMPP."""


class Pdu(NamedTuple):
    """One PDU. `sequence` says which response belongs to which request."""

    command: int
    status: int
    sequence: int
    body: bytes = b""

    def encode(self) -> bytes:
        """Return the bytes of the PDU."""
        return HEADER.pack(HEADER.size + len(self.body), self.command, self.status, self.sequence) + self.body


class Address(NamedTuple):
    """An address, with its type of number and its numbering plan."""

    ton: int
    npi: int
    digits: str

    def encode(self) -> bytes:
        """Return the bytes of the address."""
        return bytes((self.ton, self.npi)) + text_field(self.digits)


class Delivery(NamedTuple):
    """The parts of a `deliver_sm` or a `data_sm` that matter here."""

    source: Address
    destination: Address
    esm_class: int
    data_coding: int
    message: bytes
    options: Mapping[int, bytes]


def body_length(header: bytes) -> int:
    """Return the length of the body that follows a header.

    Raises:
        PduError: the length is impossible.
    """
    length: int = HEADER.unpack(header)[0]
    if not HEADER.size <= length <= PDU_BYTES_MAX:
        raise PduError(f"a PDU of {length} bytes")
    return length - HEADER.size


def pdu_of(header: bytes, body: bytes) -> Pdu:
    """Return the PDU of a header and its body."""
    _, command, status, sequence = HEADER.unpack(header)
    return Pdu(command, status, sequence, body)


def text_field(text: str) -> bytes:
    """Return a C-octet string: ASCII, and a zero at its end."""
    return text.encode("ascii") + b"\x00"


def first_text(body: bytes) -> str:
    """Return the C-octet string at the beginning of a body; a text without an end counts to the end."""
    return body.partition(b"\x00")[0].decode("latin-1")


def delivery_of(body: bytes) -> Delivery:
    """Return the parts of a `deliver_sm` (SMPP 3.4, 4.6.1).

    Raises:
        PduError: the body ends too soon.
    """
    reader = _Reader(body)
    reader.text()  # service_type
    source, destination = reader.address(), reader.address()
    esm_class = reader.byte()
    reader.take(2)  # protocol_id, priority_flag
    reader.text()  # schedule_delivery_time
    reader.text()  # validity_period
    reader.take(2)  # registered_delivery, replace_if_present_flag
    data_coding = reader.byte()
    reader.take(1)  # sm_default_msg_id
    message = reader.take(reader.byte())
    return Delivery(source, destination, esm_class, data_coding, message, reader.options())


def data_of(body: bytes) -> Delivery:
    """Return the parts of a `data_sm` (SMPP 3.4, 4.7.1). Its text is an optional parameter.

    Raises:
        PduError: the body ends too soon.
    """
    reader = _Reader(body)
    reader.text()  # service_type
    source, destination = reader.address(), reader.address()
    esm_class = reader.byte()
    reader.take(1)  # registered_delivery
    data_coding = reader.byte()
    return Delivery(source, destination, esm_class, data_coding, b"", reader.options())


class _Reader:
    """Reads fields one after another."""

    def __init__(self, body: bytes) -> None:
        self._body: Final = body
        self._place = 0

    def take(self, count: int) -> bytes:
        taken = self._body[self._place : self._place + count]
        if len(taken) < count:
            raise PduError("the PDU ends within a field")
        self._place += count
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def text(self) -> str:
        end = self._body.find(b"\x00", self._place)
        if end < 0:
            raise PduError("a text has no end")
        return self.take(end - self._place + 1)[:-1].decode("latin-1")

    def address(self) -> Address:
        ton, npi = self.take(2)
        return Address(ton, npi, self.text())

    def options(self) -> dict[int, bytes]:
        """Return the optional parameters. Rubbish after the last whole one is ignored."""
        options: dict[int, bytes] = {}
        while len(self._body) - self._place >= _TLV.size:
            tag, length = _TLV.unpack(self.take(_TLV.size))
            if len(self._body) - self._place < length:
                break
            options[tag] = self.take(length)
        return options
