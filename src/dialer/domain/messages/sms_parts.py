"""Text messages: the parts of a text."""

from typing import Final

MESSAGE_CHARACTERS_MAX: Final = 1_600
"""Maximum length of a message; longer ones are cut. Filled-in placeholders can make a message longer than its template.
"""
GSM7_SINGLE: Final = 160
"""Septets of a message that fits into one part (3GPP TS 23.040, 9.2.3.16)."""
GSM7_PART: Final = 153
"""Septets of each part of a longer message; the header takes the other seven."""
UCS2_SINGLE: Final = 70
"""16-bit units of a message in one part that contains a character outside the GSM alphabet."""
UCS2_PART: Final = 67

GSM7_ESCAPE: Final = "\x1b"
GSM7_ALPHABET: Final = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The GSM 7-bit default alphabet (3GPP TS 23.038, 6.2.1): the character of each septet."""
GSM7_EXTENSION: Final = dict(zip("\f^{}\\[~]|€", "\n\x14()/<=>\x40\x65", strict=True))
"""The extension table of the GSM alphabet (6.2.1.1): the ASCII character with the septet that follows an escape."""
_BASIC: Final = frozenset(GSM7_ALPHABET) - {GSM7_ESCAPE}
_BEYOND_BMP: Final = 0xFFFF


def parts_of(text: str) -> int:
    """Return the number of message parts of a text; 1 for an empty one.

    A text is encoded in the GSM alphabet if that has all its characters, else in UCS-2. A character of two units is not
    split over two parts.
    """
    return len(parted(text))


def parted(text: str) -> list[str]:
    """Return the texts of the message parts of a text."""
    if is_gsm7(text):
        return _parted(text, [2 if character in GSM7_EXTENSION else 1 for character in text], GSM7_SINGLE, GSM7_PART)
    return _parted(text, [2 if ord(character) > _BEYOND_BMP else 1 for character in text], UCS2_SINGLE, UCS2_PART)


def is_gsm7(text: str) -> bool:
    """Return whether the GSM alphabet has all characters of a text, so that it need not be encoded in UCS-2."""
    return all(character in _BASIC or character in GSM7_EXTENSION for character in text)


def _parted(text: str, widths: list[int], single: int, part: int) -> list[str]:
    if sum(widths) <= single:
        return [text]
    parts, begin, left = [], 0, part
    for place, width in enumerate(widths):
        if width > left:
            parts.append(text[begin:place])
            begin, left = place, part
        left -= width
    return [*parts, text[begin:]]
