"""Phone numbers: what is accepted, and the normal form in which they are compared."""

import re
from functools import lru_cache
from typing import Final

import phonenumbers

NUMBER_DIGITS_MIN: Final = 3
NUMBER_DIGITS_MAX: Final = 15
NUMBER_INPUT_MAX: Final = 64
"""Characters of a number as a user writes it, punctuation included."""
NATIONAL_DIGITS_MIN: Final = 2
"""Digits behind a country code that can be a number."""
PARSED_KEPT_MAX: Final = 64
COUNTRY_CODES_MAX: Final = 1_000
_PUNCTUATION: Final = re.compile(r"[ .\-()\[\]]")
_SHAPE: Final = re.compile(rf"\+?[0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}\Z")
_IN_FULL: Final = re.compile(rf"\+[1-9][0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX - 1}}}\Z")
_COUNTRY_CODE_ENDS: Final = (2, 3, 4)


class NumberError(ValueError):
    """Raised when a text cannot be a phone number; the message is for the person who sent it."""


def parse(number: str, region: str | None = None) -> phonenumbers.PhoneNumber | None:
    """What a number consists of, for who will not change it; None if the numbering plans do not know any such.

    The last ones are kept, as who asks for a number's normal form asks for its zone next.
    """
    return _in_full(number) or _parsed(number, region)


@lru_cache(maxsize=PARSED_KEPT_MAX)
def _parsed(number: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None


@lru_cache(maxsize=PARSED_KEPT_MAX)
def _in_full(number: str) -> phonenumbers.PhoneNumber | None:
    """What the library says of a number that it would only divide behind the country code; None of any other.

    Most numbers of most files are such, and the library takes ten times as long to find that out.
    """
    match = _IN_FULL.match(number)
    if match is None:
        return None
    for end in _COUNTRY_CODE_ENDS:
        country_code = int(number[1:end])
        if country_code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
            national = number[end:]
            if len(national) < NATIONAL_DIGITS_MIN or _has_prefix(country_code, national):
                return None
            return phonenumbers.PhoneNumber(country_code, int(national))
    return None


def _has_prefix(country_code: int, national: str) -> bool:
    """Whether a national number begins with what may not be part of it, or with a zero, which has rules of its own."""
    prefix = _national_prefix(country_code)
    return national[0] == "0" or (prefix is not None and prefix.match(national) is not None)


@lru_cache(maxsize=COUNTRY_CODES_MAX)
def _national_prefix(country_code: int) -> re.Pattern[str] | None:
    """What is dialled before a national number within a country."""
    region = phonenumbers.region_code_for_country_code(country_code)
    metadata = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    if metadata is None or not metadata.national_prefix_for_parsing:
        return None
    return re.compile(metadata.national_prefix_for_parsing)


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
    for _ in range(NUMBER_DIGITS_MAX):
        found = _in_e164(bare, region)
        if found == bare:
            break
        # What was stripped may have hidden more of its kind, and a normal form must be its own.
        bare, region = found, None
    return bare


def _in_e164(bare: str, region: str | None) -> str:
    """A number as the numbering plans write it; as it is, if they know none such."""
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
