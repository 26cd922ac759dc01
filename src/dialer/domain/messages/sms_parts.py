"""Text messages: the number of parts of a text, and the replies that mean "never again"."""

from typing import Final

GSM7_SINGLE: Final = 160
"""Septets of a message that fits into one part (3GPP TS 23.040, 9.2.3.16)."""
GSM7_PART: Final = 153
"""Septets of each part of a longer message; the header takes the other seven."""
UCS2_SINGLE: Final = 70
"""16-bit units of a message in one part that contains a character outside the GSM alphabet."""
UCS2_PART: Final = 67

_BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The GSM 7-bit default alphabet (3GPP TS 23.038, 6.2.1), one septet for each character."""
_EXTENSION: Final = frozenset("\f^{}\\[~]|€")
"""The extension table of the GSM alphabet (6.2.1.1): an escape and a septet for each character."""
_STOP_WORDS: Final = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "END", "QUIT", "CANCEL", "REVOKE", "OPTOUT"})
_BEYOND_BMP: Final = 0xFFFF


def parts_of(text: str) -> int:
    """Return the number of message parts of a text; 1 for an empty one.

    A text is encoded in the GSM alphabet if that has all its characters, else in UCS-2. A character of two units is not
    split over two parts.
    """
    if is_gsm7(text):
        return _parts([2 if character in _EXTENSION else 1 for character in text], GSM7_SINGLE, GSM7_PART)
    return _parts([2 if ord(character) > _BEYOND_BMP else 1 for character in text], UCS2_SINGLE, UCS2_PART)


def is_gsm7(text: str) -> bool:
    """Return whether the GSM alphabet has all characters of a text, so that it need not be encoded in UCS-2."""
    return all(character in _BASIC or character in _EXTENSION for character in text)


def is_stop(reply: str) -> bool:
    """Return whether a reply is one of the known stop words, in any case, ignoring surrounding whitespace."""
    return reply.strip().upper() in _STOP_WORDS


def _parts(widths: list[int], single: int, part: int) -> int:
    if sum(widths) <= single:
        return 1
    parts, left = 1, part
    for width in widths:
        if width > left:
            parts, left = parts + 1, part
        left -= width
    return parts
