"""Text messages as SMPP has them: the parts that are sent, receipts, and messages that came in."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dialer.carriers.texts.smpp_parameters import SmppParameters
from dialer.carriers.texts.smpp_pdus import VERSION, Address, Delivery, Tag, text_field
from dialer.domain.enums import MessageStatus
from dialer.domain.messages.sms_parts import GSM7_ALPHABET, GSM7_ESCAPE, GSM7_EXTENSION, is_gsm7, parted
from dialer.domain.sessions.leg_protocol import Receipt, Texting, TextReceived

ADDRESS_MAX: Final = 20
NAME_MAX: Final = 64
_HEX: Final = 16
PARTS_MAX: Final = 255
TEXT_MAX: Final = 2_000
DEFAULT_ALPHABET: Final = 0
IA5, LATIN_1, UCS_2 = 1, 3, 8
"""Data codings (SMPP 3.4, 5.2.19)."""
HAS_HEADER: Final = 0x40
"""The bit of `esm_class` for a text that begins with a header (UDHI)."""
RECEIPT: Final = 0x04
_KIND: Final = 0x3C
_FINAL: Final = {
    "DELIVRD": MessageStatus.DELIVERED,
    "EXPIRED": MessageStatus.FAILED,
    "DELETED": MessageStatus.FAILED,
    "UNDELIV": MessageStatus.FAILED,
    "REJECTD": MessageStatus.FAILED,
}
_STATES: Final = {2: "DELIVRD", 3: "EXPIRED", 4: "DELETED", 5: "UNDELIV", 8: "REJECTD"}
"""Values of `message_state` (SMPP 3.4, 5.2.28)."""
_UNKNOWN, _INTERNATIONAL, _ALPHANUMERIC = 0, 1, 5
"""Types of numbers (SMPP 3.4, 5.2.5). All others lack the country code: national, of a subscriber, of a network."""
_ISDN: Final = 1
_SEPTETS: Final = {character: code for code, character in enumerate(GSM7_ALPHABET)}
_EXTENDED: Final = {after: character for character, after in GSM7_EXTENSION.items()}
_RECEIPT_ID: Final = re.compile(r"\bid:([^\s\x00]{1,64})", re.IGNORECASE)
_RECEIPT_STATE: Final = re.compile(r"\bstat:([A-Za-z]{1,10})", re.IGNORECASE)


class MessageError(ValueError):
    """A message cannot be sent over SMPP: its number or its sender has other characters than ASCII, or too many."""


def bind_body(parameters: SmppParameters) -> bytes:
    """Return the body of a bind (SMPP 3.4, 4.1.5)."""
    words = (parameters.system_id, parameters.password, parameters.system_type)
    return b"".join(map(text_field, words)) + bytes((VERSION, 0, 0)) + text_field("")


def submit_bodies(parameters: SmppParameters, order: Texting) -> list[bytes]:
    """Return the bodies that send the parts of a message (SMPP 3.4, 4.4.1).

    The parts of a long text begin with a header that says how they belong together (3GPP TS 23.040, 9.2.3.24.1).

    Raises:
        MessageError: the message cannot be sent.
    """
    is_short = is_gsm7(order.text)
    texts = parted(order.text)
    if len(texts) > PARTS_MAX:
        raise MessageError(f"{len(texts)} parts")
    source = _address(order.sender, parameters.source_ton, parameters.source_npi).encode()
    destination = _address(order.number, parameters.dest_ton, parameters.dest_npi).encode()
    reference = sum(order.key.encode()) % 256
    bodies = []
    for number, text in enumerate(texts, start=1):
        header = b"" if len(texts) == 1 else bytes((5, 0, 3, reference, len(texts), number))
        message = header + (_encode_gsm7(text) if is_short else text.encode("utf-16-be", "replace"))
        coding = DEFAULT_ALPHABET if is_short else UCS_2
        flags = bytes((HAS_HEADER if header else 0, 0, 0)) + b"\x00\x00"
        tail = bytes((int(parameters.receipts), 0, coding, 0, len(message)))
        bodies.append(text_field("") + source + destination + flags + tail + message)
    return bodies


def name_of(parameters: SmppParameters, message_id: str) -> str:
    """Return the carrier's name of a part as its receipt will have it; empty for one that cannot be used."""
    return _name(message_id.strip(), base={"same": 0, "decimal": 10, "hex": 16}[parameters.ids])


def _name(message_id: str, base: int) -> str:
    """Return a name, and a number of a base in decimal digits without leading zeros; empty if it cannot be used."""
    name = message_id
    if base and len(message_id) <= NAME_MAX and message_id.isascii() and message_id.isalnum():
        with suppress(ValueError):
            name = str(int(message_id, base))
    return name if 0 < len(name) <= NAME_MAX and name.isprintable() else ""


def heard_in(parameters: SmppParameters, delivery: Delivery) -> Receipt | TextReceived | None:
    """Return what a carrier delivers: a receipt, or a text message. Return None for anything else."""
    kind = delivery.esm_class & _KIND
    if kind == RECEIPT or Tag.RECEIPTED_MESSAGE_ID in delivery.options:
        return _receipt(parameters, delivery)
    if kind:
        return None
    number, ton = delivery.source.digits, delivery.source.ton
    plus = "+" if ton == _INTERNATIONAL and not number.startswith("+") else ""
    if not 0 < len(number) <= ADDRESS_MAX:
        return None
    text = text_of(delivery).replace("\x00", "")[:TEXT_MAX]
    is_national = ton not in {_UNKNOWN, _INTERNATIONAL} and not number.startswith("+")
    return TextReceived(plus + number, delivery.destination.digits[:ADDRESS_MAX], text, is_national)


def _receipt(parameters: SmppParameters, delivery: Delivery) -> Receipt | None:
    text = _message(delivery)[:512].decode("latin-1")
    option = delivery.options.get(Tag.RECEIPTED_MESSAGE_ID, b"").partition(b"\x00")[0].decode("latin-1").strip()
    id_match, state = _RECEIPT_ID.search(text), _RECEIPT_STATE.search(text)
    name = _receipted(parameters, option, "" if id_match is None else id_match[1])
    code = delivery.options.get(Tag.MESSAGE_STATE, b"")[:1]
    word = _STATES.get(code[0], "") if code else ("" if state is None else state[1].upper())
    status = _FINAL.get(word)
    return None if status is None or not name else Receipt(name, status)


def _receipted(parameters: SmppParameters, option: str, written: str) -> str:
    """Return the name in a receipt, from the optional parameter or from the text.

    The text has a decimal number of ten digits (SMPP 3.4, appendix B). The optional parameter often has the name as
    the carrier gave it (5.3.2.12), so with `hex` the text counts first, and digits from A to F are hexadecimal.
    """
    if parameters.ids == "same":
        return _name(option or written, base=0)
    name = (written or option) if parameters.ids == "hex" else (option or written)
    is_hex = parameters.ids == "hex" and not name.isdigit()
    return _name(name, base=_HEX if is_hex else 10)


def _message(delivery: Delivery) -> bytes:
    message = delivery.message or delivery.options.get(Tag.MESSAGE_PAYLOAD, b"")
    if delivery.esm_class & HAS_HEADER and message:
        return message[message[0] + 1 :]
    return message


def text_of(delivery: Delivery) -> str:
    """Return the text of a delivery, without its header."""
    message = _message(delivery)
    match delivery.data_coding:
        case 8:
            return message.decode("utf-16-be", "replace")
        case 0:
            return "".join(_decode_gsm7(message))
        case _:
            return message.decode("latin-1")


def _encode_gsm7(text: str) -> bytes:
    escape = _SEPTETS[GSM7_ESCAPE]
    codes = []
    for character in text:
        extended = GSM7_EXTENSION.get(character)
        codes += [_SEPTETS[character]] if extended is None else [escape, ord(extended)]
    return bytes(codes)


def _decode_gsm7(message: bytes) -> Iterator[str]:
    """Yield characters. Bytes beyond the alphabet are read as Latin-1, which many carriers send."""
    is_escaped = False
    for code in message:
        character = GSM7_ALPHABET[code] if code < len(GSM7_ALPHABET) else chr(code)
        if is_escaped:
            is_escaped = False
            yield _EXTENDED.get(chr(code), character)
        elif character == GSM7_ESCAPE:
            is_escaped = True
        else:
            yield character


def _address(number: str, ton: int | None, npi: int | None) -> Address:
    digits = number.removeprefix("+")
    is_name = not digits.isdigit()
    if not digits.isascii() or not digits.isprintable() or len(digits) > ADDRESS_MAX:
        raise MessageError(f"the address {number[:ADDRESS_MAX]!r}")
    own_ton = _ALPHANUMERIC if is_name else int(number.startswith("+")) * _INTERNATIONAL
    return Address(own_ton if ton is None else ton, (0 if is_name else _ISDN) if npi is None else npi, digits)
