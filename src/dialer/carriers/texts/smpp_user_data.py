"""The text of a delivery over SMPP, and its place among the parts of a longer one."""

from collections.abc import Iterator
from typing import Final

from dialer.carriers.texts.smpp_pdus import Delivery, Tag
from dialer.domain.messages.sms_parts import GSM7_ALPHABET, GSM7_ESCAPE, GSM7_EXTENSION
from dialer.domain.sessions.leg_protocol import TextPart

HAS_HEADER: Final = 0x40
"""The bit of `esm_class` for a text that begins with a header (UDHI)."""
DEFAULT_ALPHABET: Final = 0
IA5, LATIN_1, UCS_2 = 1, 3, 8
"""Data codings (SMPP 3.4, 5.2.19)."""
_ALPHABETS: Final = (DEFAULT_ALPHABET, LATIN_1, UCS_2, LATIN_1)
_SHORT_REFERENCE, _LONG_REFERENCE = 0x00, 0x08
"""Elements of a header with the place of a part (3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8)."""
_EXTENDED: Final = {after: character for character, after in GSM7_EXTENSION.items()}


def text_of(delivery: Delivery) -> str:
    """Return the text of a delivery, without its header."""
    message = _split(delivery)[1]
    match _alphabet(delivery.data_coding):
        case 8:
            return message.decode("utf-16-be", "replace")
        case 0:
            return "".join(_decode_gsm7(message))
        case _:
            return message.decode("latin-1")


def bytes_of(delivery: Delivery) -> bytes:
    """Return the bytes of the text of a delivery, without its header."""
    return _split(delivery)[1]


def part_of(delivery: Delivery) -> TextPart | None:
    """Return the place of a text among the parts of a longer one; None if it is whole, or the place is impossible."""
    reference, number, count = _in_header(_split(delivery)[0]) or _in_options(delivery)
    return TextPart(reference, number, count) if 1 <= number <= count and count > 1 else None


def _alphabet(coding: int) -> int:
    """Return the alphabet of a data coding. From 16 on it is a scheme with a class (3GPP TS 23.038, 4)."""
    match coding >> 4:
        case 0:
            return coding
        case 1 | 2 | 3:
            return _ALPHABETS[coding >> 2 & 3]
        case 0xE:
            return UCS_2
        case 0xF:
            return _ALPHABETS[coding >> 2 & 1]
        case 0xC | 0xD:
            return DEFAULT_ALPHABET
        case _:
            return LATIN_1


def _split(delivery: Delivery) -> tuple[bytes, bytes]:
    """Return the header of a message, and the rest."""
    message = delivery.message or delivery.options.get(Tag.MESSAGE_PAYLOAD, b"")
    if delivery.esm_class & HAS_HEADER and message:
        end = message[0] + 1
        return message[1:end], message[end:]
    return b"", message


def _in_header(header: bytes) -> tuple[str, int, int] | None:
    """Return the reference, the number and the count in a header. Elements of other kinds are ignored."""
    while len(header) > 1:
        kind, element = header[0], header[2 : 2 + header[1]]
        if (kind, len(element)) in {(_SHORT_REFERENCE, 3), (_LONG_REFERENCE, 4)}:
            return f"{kind:x}/{element[:-2].hex()}", element[-1], element[-2]
        header = header[2 + header[1] :]
    return None


def _in_options(delivery: Delivery) -> tuple[str, int, int]:
    """Return the reference, the number and the count in optional parameters (SMPP 3.4, 5.3.2.22 to 5.3.2.24)."""
    options = delivery.options
    number, count = (int.from_bytes(options.get(tag, b"")[:1]) for tag in (Tag.SAR_NUMBER, Tag.SAR_COUNT))
    return f"sar/{options.get(Tag.SAR_REFERENCE, b'')[:2].hex()}", number, count


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
