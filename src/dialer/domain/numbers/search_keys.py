"""Keys for searches and orderings: names without case and accents, and the spellings of the start of a number."""

import re
from typing import Final
from unicodedata import combining, normalize

import phonenumbers

from dialer.domain.numbers.normal_form import NumberError, normalise

NAME_KEY_MAX: Final = 100
"""Characters of a key; names that are equal so far count as equal in an ordering."""
ENDING_MIN: Final = 4
"""The fewest digits that are searched for at the ends of numbers: as many as the index of last digits has."""
WHOLE_MIN: Final = 7
"""The fewest digits that are taken for a whole number, which may begin with a prefix."""
PUNCTUATION: Final = " .-()[]/"
"""Characters between the digits of a number."""
_NUMBER: Final = re.compile(r"\+?[0-9 .\-()\[\]/]*[0-9][0-9 .\-()\[\]/]*\Z", re.ASCII)
_BETWEEN_DIGITS: Final = re.compile(f"[{re.escape(PUNCTUATION)}]")
_BETWEEN_WORDS: Final = re.compile(r"[^a-z0-9]+")
_LAST_BEFORE_SURROGATES: Final = 0xD7FF
_FIRST_AFTER_SURROGATES: Final = 0xE000


def name_key(name: str) -> str:
    """Return the words of a name with single spaces between them, without case, accents and punctuation."""
    if name.isascii():
        return _BETWEEN_WORDS.sub(" ", name.lower()).strip()[:NAME_KEY_MAX]
    # Case folding can undo the Unicode normal form, so the name is decomposed before and after it.
    folded = normalize("NFKD", normalize("NFKD", name).casefold())
    kept = "".join([char if char.isalnum() else " " for char in folded if not combining(char)])
    return " ".join(kept.split())[:NAME_KEY_MAX]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a search, the longest first, without those that another one begins with."""
    words = sorted(set(name_key(text).split()), key=lambda word: (-len(word), word))
    return tuple(word for place, word in enumerate(words) if not any(one.startswith(word) for one in words[:place]))


def ending(text: str) -> str:
    """Return the last digits of a number that a text stands for; empty for fewer than `ENDING_MIN`.

    The zeros with which a whole number is dialled, from inland or abroad, are not among them.
    """
    digits = bare_number(text)
    if not (digits.isascii() and digits.isdecimal() and len(digits) >= ENDING_MIN):
        return ""
    without_zeros = digits.lstrip("0")
    return without_zeros if len(without_zeros) >= WHOLE_MIN else digits


def number_starts(text: str, region: str | None) -> tuple[str, ...]:
    """Return the starts of normal forms that a number, or the start of one, can mean. None begins with another.

    Return nothing if the text has characters that no number has.
    """
    if not _NUMBER.match(text.strip()):
        return ()
    bare = bare_number(text)
    digits = bare.removeprefix("+")
    starts = {digits, f"+{digits}", _normal(bare, region)}
    if region is not None and digits == bare:
        code = f"+{phonenumbers.country_code_for_region(region)}"
        metadata = phonenumbers.PhoneMetadata.metadata_for_region(region)
        prefix = (metadata and metadata.national_prefix) or ""
        starts |= {f"{code}{digits}", f"{code}{digits.removeprefix(prefix)}"}
    return tuple(sorted(start for start in starts if not _extends_another(start, starts)))


def bare_number(number: str) -> str:
    """Return a number without the punctuation between its digits."""
    return _BETWEEN_DIGITS.sub("", number)


def _normal(bare: str, region: str | None) -> str:
    try:
        return normalise(bare, region)
    except NumberError:
        return bare


def _extends_another(start: str, starts: set[str]) -> bool:
    return any(start != other and start.startswith(other) for other in starts)


def after_all_with(start: str) -> str:
    """Return the lowest text that is above all texts with this start, in the order of code points."""
    last = ord(start[-1])
    return start[:-1] + chr(_FIRST_AFTER_SURROGATES if last == _LAST_BEFORE_SURROGATES else last + 1)
