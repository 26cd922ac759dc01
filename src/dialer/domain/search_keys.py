"""Keys for searches and orderings: names without case and accents, and the spellings of the start of a number."""

import re
from typing import Final
from unicodedata import combining, normalize

import phonenumbers

from dialer.domain.numbers.normal_form import NumberError, normalise

NAME_KEY_MAX: Final = 100
"""Characters of a key; names that are equal so far count as equal in an ordering."""
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


def name_keys(name: str) -> tuple[str, str]:
    """Return the key of a name, and the key that begins with its last word."""
    key = name_key(name)
    return key, last_name_key(key)


def last_name_key(key: str) -> str:
    """Return the key of a name with its last word moved to the front; empty for a single word."""
    others, _, last = key.rpartition(" ")
    return f"{last} {others}" if others else ""


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
