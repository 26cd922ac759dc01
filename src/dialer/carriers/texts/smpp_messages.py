"""Text messages as SMPP has them: the parts that are sent, receipts, and messages that came in."""

from typing import Final

from dialer.carriers.texts.smpp_parameters import SmppParameters
from dialer.carriers.texts.smpp_pdus import VERSION, Address, Delivery, Tag, text_field
from dialer.carriers.texts.smpp_receipts import receipt_in
from dialer.carriers.texts.smpp_user_data import DEFAULT_ALPHABET, HAS_HEADER, UCS_2, part_of, text_of
from dialer.domain.messages.sms_parts import GSM7_ALPHABET, GSM7_ESCAPE, GSM7_EXTENSION, is_gsm7, parted
from dialer.domain.sessions.leg_protocol import Receipt, Texting, TextReceived

ADDRESS_MAX: Final = 20
SENDER_MAX: Final = 64
"""Characters of an address in a `data_sm` (SMPP 3.4, 4.7.1)."""
PARTS_MAX: Final = 255
TEXT_MAX: Final = 2_000
RECEIPT: Final = 0x04
_KIND: Final = 0x3C
_UNKNOWN, _INTERNATIONAL, _ALPHANUMERIC = 0, 1, 5
"""Types of numbers (SMPP 3.4, 5.2.5). All others lack the country code: national, of a subscriber, of a network."""
_ISDN: Final = 1
_SEPTETS: Final = {character: code for code, character in enumerate(GSM7_ALPHABET)}


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


def heard_in(parameters: SmppParameters, delivery: Delivery) -> Receipt | TextReceived | None:
    """Return the receipt or the text message that a carrier delivers; None for another kind of delivery."""
    kind = delivery.esm_class & _KIND
    if kind == RECEIPT or Tag.RECEIPTED_MESSAGE_ID in delivery.options:
        return receipt_in(parameters, delivery)
    if kind:
        return None
    number, ton = delivery.source.digits, delivery.source.ton
    plus = "+" if ton == _INTERNATIONAL and not number.startswith("+") else ""
    if not 0 < len(number) <= SENDER_MAX:
        return None
    text = text_of(delivery).replace("\x00", "")[:TEXT_MAX]
    is_national = ton not in {_UNKNOWN, _INTERNATIONAL} and not number.startswith("+")
    to = delivery.destination.digits[:ADDRESS_MAX]
    return TextReceived(plus + number, to, text, is_national, part_of(delivery))


def _encode_gsm7(text: str) -> bytes:
    escape = _SEPTETS[GSM7_ESCAPE]
    codes = []
    for character in text:
        extended = GSM7_EXTENSION.get(character)
        codes += [_SEPTETS[character]] if extended is None else [escape, ord(extended)]
    return bytes(codes)


def _address(number: str, ton: int | None, npi: int | None) -> Address:
    digits = number.removeprefix("+")
    is_name = not digits.isdigit()
    if not digits.isascii() or not digits.isprintable() or len(digits) > ADDRESS_MAX:
        raise MessageError(f"the address {number[:ADDRESS_MAX]!r}")
    own_ton = _ALPHANUMERIC if is_name else int(number.startswith("+")) * _INTERNATIONAL
    return Address(own_ton if ton is None else ton, (0 if is_name else _ISDN) if npi is None else npi, digits)
