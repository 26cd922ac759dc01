"""The length of a text message as its author should know it: characters, parts, and the letters that make it dear."""

from typing import Final, NamedTuple

from dialer.domain.messages.sms_parts import is_gsm7, parts_of

LETTERS_NAMED_MAX: Final = 5
"""Letters that the GSM alphabet lacks, as far as they are named."""
PLAIN: Final = {
    "\u2010": "-",
    "\u2011": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u00ab": '"',
    "\u00bb": '"',
    "\u2026": "...",
    "\u2022": "-",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
}
"""Hyphens, dashes, quotation marks, dots and blanks that word processors put into texts, each with characters of the
GSM alphabet that say the same."""
_PLAINLY: Final = str.maketrans(PLAIN)


class TextLength(NamedTuple):
    """The length of a text."""

    characters: int
    parts: int
    letters: tuple[str, ...]
    """Characters that the GSM alphabet lacks, so that each part holds fewer; each once, at most `LETTERS_NAMED_MAX`."""
    plain: tuple[str, ...]
    """Characters that could stand for `letters`, if all of them have such, and the text has fewer parts with them."""
    plain_parts: int
    """Number of parts with `plain`; as many as `parts` without."""


def length_of(text: str) -> TextLength:
    """Return the length of a text, as the person gets it."""
    parts, plain = parts_of(text), text.translate(_PLAINLY)
    letters = tuple(dict.fromkeys(letter for letter in text if not is_gsm7(letter)))
    plain_parts = parts_of(plain)
    if not is_gsm7(plain) or plain_parts >= parts:
        return TextLength(len(text), parts, letters[:LETTERS_NAMED_MAX], (), parts)
    instead = tuple(dict.fromkeys(PLAIN[letter] for letter in letters))
    return TextLength(len(text), parts, letters[:LETTERS_NAMED_MAX], instead, plain_parts)
