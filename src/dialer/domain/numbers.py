"""Phone numbers: what is accepted, and the normal form in which they are compared."""

import re
from functools import lru_cache
from typing import Final

import phonenumbers

NUMBER_DIGITS_MIN: Final = 3
NUMBER_DIGITS_MAX: Final = 15
NUMBER_INPUT_MAX: Final = 64
"""Characters of a number as a user writes it, punctuation included."""
PARSED_KEPT_MAX: Final = 64
_PUNCTUATION: Final = re.compile(r"[ .\-()\[\]]")
_SHAPE: Final = re.compile(rf"\+?[0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}\Z")


class NumberError(ValueError):
    """Raised when a text cannot be a phone number; the message is for the person who sent it."""


@lru_cache(maxsize=PARSED_KEPT_MAX)
def parse(number: str, region: str | None = None) -> phonenumbers.PhoneNumber | None:
    """What a number consists of, for who will not change it; None if the numbering plans do not know any such.

    The last ones are kept, as who asks for a number's normal form asks for its zone next.
    """
    try:
        return phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None


@lru_cache(maxsize=65_536)
def normalise(number: str, region: str | None = None) -> str:
    """The normal form of a phone number: what duplicates, do-not-call lists and prefixes are compared by.

    E.164 when the number has a `+` or `region` (ISO 3166) says where it is from, else its digits alone. Spaces, dots,
    dashes and brackets mean nothing.

    Raises:
        NumberError: it is not 3 to 15 ASCII digits with an optional leading `+`.
    """
    bare = _PUNCTUATION.sub("", number) if len(number) <= NUMBER_INPUT_MAX else ""
    if not _SHAPE.match(bare):
        raise NumberError(f"Enter {NUMBER_DIGITS_MIN} to {NUMBER_DIGITS_MAX} digits with an optional leading +.")
    if region is None and not bare.startswith("+"):
        return bare
    parsed = parse(bare, region)
    if parsed is None:
        return bare
    international = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
    return international if len(international) <= NUMBER_DIGITS_MAX + 1 else bare


def is_number(number: str) -> bool:
    """Whether a text can be a phone number."""
    try:
        normalise(number)
    except NumberError:
        return False
    return True


def digits_of(number: str) -> str:
    """What all spellings of a number have in common, whoever wrote them."""
    return "".join(filter(str.isdigit, number))
