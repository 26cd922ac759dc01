"""Phone numbers: the texts that are accepted as numbers, and the normal form in which numbers are compared."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.numbers.usual_spellings import has_extension, has_second_number, is_shortened, plain_spelling
from dialer.domain.sentences import Sentence

NUMBER_DIGITS_MIN: Final = 3
NUMBER_DIGITS_MAX: Final = 15
NUMBER_INPUT_MAX: Final = 64
"""Maximum characters of a number as a user writes it, punctuation included."""
NATIONAL_DIGITS_MIN: Final = 2
"""Minimum digits after a country code."""
PARSED_KEPT_MAX: Final = 64
COUNTRY_CODES_MAX: Final = 1_000
INLAND_DIGITS_MAX: Final = 11
"""Maximum digits of domestic numbers that begin with 011: Buenos Aires, Delhi, Sheffield, Turin, Sapporo."""
_PUNCTUATION: Final = re.compile(r"[ .\-()\[\]]")
_BLANKS: Final = r"[ .\-()\[\]]*"
NUMBER_PATTERN: Final = rf"^{_BLANKS}(\+{_BLANKS})?([0-9]{_BLANKS}){{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}$"
"""The regular expression of a number as a user writes it. More digits are accepted after 00 or 011 only."""
_SHAPE: Final = re.compile(rf"\+?[0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}\Z")
_IN_FULL: Final = re.compile(rf"\+[1-9][0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX - 1}}}\Z")
_INTERNATIONAL: Final = re.compile(rf"(?:00|011)([1-9][0-9]{{{NUMBER_DIGITS_MIN - 1},{NUMBER_DIGITS_MAX - 1}}})\Z")
"""The international prefix as dialled within a country, and the number after it."""
_COUNTRY_CODE_ENDS: Final = (2, 3, 4)
_EXPECTED: Final = Sentence(
    "Enter %(least)s to %(most)s digits with an optional leading +.", least=NUMBER_DIGITS_MIN, most=NUMBER_DIGITS_MAX
)
_SHORTENED: Final = Sentence(
    "was shortened by a spreadsheet, and its last digits are lost. Format the column as text there, enter the numbers"
    " in full, and save the file again."
)
_EXTENSION: Final = Sentence("has an extension, which cannot be dialled. Leave the extension out.")
_SEVERAL: Final = Sentence("has more than one number, or an extension. Write one number.")


class NumberProblem(StrEnum):
    """A reason why a text is not accepted as a phone number."""

    EMPTY = "empty"
    NO_DIGITS = "no_digits"
    WRONG_CHARACTER = "wrong_character"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    EMERGENCY = "emergency"
    EXTENSION = "extension"
    SEVERAL = "several"
    SHORTENED = "shortened"


class NumberError(ValueError):
    """An error for a text that cannot be a phone number; the message is for the client."""

    def __init__(self, problem: NumberProblem, message: str) -> None:
        super().__init__(message)
        self.problem: Final = problem


def parse(number: str, region: str | None = None) -> phonenumbers.PhoneNumber | None:
    """Return the parts of a number, which must not be changed; None if no numbering plan has such a number.

    The latest results are cached, because most callers ask for a number's zone right after its normal form.
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
    """Return the parts of a number that only needs to be split after the country code; None for other numbers.

    Most imported numbers are of this kind, and phonenumbers takes ten times as long to parse them.
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
    """Return whether a national number begins with a prefix that is not part of it, or with a zero."""
    prefix = _national_prefix(country_code)
    return national[0] == "0" or (prefix is not None and prefix.match(national) is not None)


@lru_cache(maxsize=COUNTRY_CODES_MAX)
def _national_prefix(country_code: int) -> re.Pattern[str] | None:
    """Return the pattern of the digits that are dialled before a national number within a country."""
    region = phonenumbers.region_code_for_country_code(country_code)
    metadata = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    if metadata is None or not metadata.national_prefix_for_parsing:
        return None
    return re.compile(metadata.national_prefix_for_parsing)


@lru_cache(maxsize=65_536)
def normalise(number: str, region: str | None = None) -> str:
    """Return the normal form of a phone number, by which duplicates, do-not-call lists and prefixes are compared.

    The normal form is E.164 if the number has a `+` or `region` (ISO 3166) gives its country, else its digits alone.
    Spaces, dots, dashes and brackets are removed, and so is what `usual_spellings` knows. A leading 00 or 011 is read
    as `+` if the number is otherwise impossible in its region.

    Raises:
        NumberError: the number is not 3 to 15 digits with an optional leading `+`, 00 or 011, in a usual spelling.
    """
    bare = _PUNCTUATION.sub("", number) if len(number) <= NUMBER_INPUT_MAX else ""
    if not _SHAPE.match(bare):
        bare = _unpunctuated(number, bare)
    for _ in range(NUMBER_DIGITS_MAX):
        in_e164 = _in_e164(bare, region)
        if in_e164 == bare:
            break
        # The removal of a prefix may reveal another one, and the normal form of a normal form must not differ from it.
        bare, region = in_e164, None
    return bare


def _unpunctuated(number: str, bare: str) -> str:
    """Return the digits of a number in a spelling that is less common; raise NumberError if it is in none."""
    international = _with_plus(bare)
    if international is not None:
        return international
    plain = _PUNCTUATION.sub("", plain_spelling(number)) if len(number) <= NUMBER_INPUT_MAX else ""
    if _SHAPE.match(plain):
        return plain
    international = _with_plus(plain)
    if international is None:
        raise _error(number, plain)
    return international


def _error(number: str, bare: str) -> NumberError:
    digits = bare.removeprefix("+")
    if not number.strip():
        return NumberError(NumberProblem.EMPTY, Sentence("There is no number. %(remedy)s", remedy=_EXPECTED))
    if len(number) > NUMBER_INPUT_MAX:
        problem, what = NumberProblem.TOO_LONG, Sentence("has more than %(most)s characters", most=NUMBER_INPUT_MAX)
    elif is_shortened(number):
        return NumberError(NumberProblem.SHORTENED, Sentence("%(number)r %(what)s", number=number, what=_SHORTENED))
    elif has_extension(number):
        return NumberError(NumberProblem.EXTENSION, Sentence("%(number)r %(what)s", number=number, what=_EXTENSION))
    elif has_second_number(number):
        return NumberError(NumberProblem.SEVERAL, Sentence("%(number)r %(what)s", number=number, what=_SEVERAL))
    elif not any(map(str.isdigit, number)):
        problem, what = NumberProblem.NO_DIGITS, Sentence("has no digits")
    elif not (digits.isascii() and digits.isdigit()):
        problem, what = NumberProblem.WRONG_CHARACTER, Sentence("has characters that no phone number has")
    elif len(digits) < NUMBER_DIGITS_MIN:
        problem, what = NumberProblem.TOO_SHORT, Sentence("has fewer than %(least)s digits", least=NUMBER_DIGITS_MIN)
    else:
        problem, what = NumberProblem.TOO_LONG, Sentence("has more than %(most)s digits", most=NUMBER_DIGITS_MAX)
    return NumberError(
        problem,
        Sentence("%(number)r %(what)s. %(remedy)s", number=number[:NUMBER_INPUT_MAX], what=what, remedy=_EXPECTED),
    )


def _with_plus(bare: str) -> str | None:
    """Return a number with `+` in place of 00 or 011; None if it has neither, or if no country code follows."""
    match = _INTERNATIONAL.match(bare)
    if match is None:
        return None
    return f"+{match[1]}" if parse(f"+{match[1]}") is not None else None


def _in_e164(bare: str, region: str | None) -> str:
    """Return a number in E.164, or unchanged if no numbering plan has such a number."""
    if bare.startswith("0"):
        international = _with_plus(bare)
        if international is not None and not _is_possible_inland(bare, region):
            return international
    if region is None and not bare.startswith("+"):
        return bare
    parsed = parse(bare, region)
    if parsed is None:
        return bare
    international = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
    return international if len(international) <= NUMBER_DIGITS_MAX + 1 else bare


def _is_possible_inland(bare: str, region: str | None) -> bool:
    """Return whether digits that begin with 00 or 011 can be a domestic number of a region (None: of any region)."""
    if region is None:
        return bare.startswith("011") and len(bare) <= INLAND_DIGITS_MAX
    parsed = parse(bare, region)
    if parsed is None:
        return False
    # A number without its area code is possible only where it is dialled without the country code.
    return phonenumbers.is_possible_number_with_reason(parsed) == phonenumbers.ValidationResult.IS_POSSIBLE


def is_possible(number: str) -> bool:
    """Return whether the length of a number in normal form is possible in its country.

    A number without a country code counts as possible.
    """
    if not number.startswith("+"):
        return True
    parsed = parse(number)
    if parsed is None or parsed.country_code is None:
        return False
    return len(number) in _possible_lengths(parsed.country_code)


@lru_cache(maxsize=COUNTRY_CODES_MAX)
def _possible_lengths(country_code: int) -> frozenset[int]:
    """Return the lengths of a country's numbers in E.164, area codes included."""
    region = phonenumbers.region_code_for_country_code(country_code)
    metadata = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    desc = None if metadata is None else metadata.general_desc
    if desc is None:
        return frozenset()
    before = len(f"+{country_code}")
    return frozenset(before + length for length in desc.possible_length)


def is_number(number: str) -> bool:
    """Return whether a text can be a phone number."""
    try:
        normalise(number)
    except NumberError:
        return False
    return True


def digits_of(number: str) -> str:
    """Return the digits of a number, which all its spellings share."""
    return "".join(filter(str.isdigit, number))
