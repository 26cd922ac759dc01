"""Phone numbers: the texts that are accepted as numbers, and the normal form in which numbers are compared."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.numbers.numbering_plans import PrefixTable, Start, dialled_inland, national_part, plan_of, split
from dialer.domain.numbers.usual_spellings import has_extension, has_second_number, is_shortened, plain_spelling
from dialer.domain.sentences import Sentence

NUMBER_DIGITS_MIN: Final = 3
NUMBER_DIGITS_MAX: Final = 15
NUMBER_INPUT_MAX: Final = 64
"""Maximum characters of a number as a user writes it, punctuation included."""
NATIONAL_DIGITS_MIN: Final = 2
"""Minimum digits after a country code."""
NUMBERS_KEPT_MAX: Final = 4_096
COUNTRY_CODES_MAX: Final = 1_000
INLAND_DIGITS_MAX: Final = 11
"""Maximum digits of domestic numbers that begin with 011: Buenos Aires, Delhi, Sheffield, Turin, Sapporo."""
_NO_PUNCTUATION: Final = str.maketrans("", "", " .-()[]")
_BLANKS: Final = r"[ .\-()\[\]]*"
NUMBER_PATTERN: Final = rf"^{_BLANKS}(\+{_BLANKS})?([0-9]{_BLANKS}){{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}$"
"""The regular expression of a number as a user writes it. More digits are accepted after 00 or 011 only."""
_SHAPE: Final = re.compile(rf"\+?[0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}\Z")
_INTERNATIONAL: Final = re.compile(rf"(?:00|011)([1-9][0-9]{{{NUMBER_DIGITS_MIN - 1},{NUMBER_DIGITS_MAX - 1}}})\Z")
"""The international prefix as dialled within a country, and the number after it."""
_INTERNATIONAL_PREFIXES: Final = ("00", "011")
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


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def parse(number: str, region: str | None = None) -> phonenumbers.PhoneNumber | None:
    """Return the parts of a number, which must not be changed; None if no numbering plan has such a number."""
    try:
        return phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None


def normalise(number: str, region: str | None = None) -> str:
    """Return the normal form of a phone number, by which duplicates, do-not-call lists and prefixes are compared.

    The normal form is E.164 if the number has a `+` or `region` (ISO 3166) gives its country, else its digits alone.
    Spaces, dots, dashes and brackets are removed, and so is what `usual_spellings` knows. A leading 00 or 011 is read
    as `+` if the number is otherwise impossible in its region.

    Raises:
        NumberError: the number is not 3 to 15 digits with an optional leading `+`, 00 or 011, in a usual spelling.
    """
    bare = number.translate(_NO_PUNCTUATION) if len(number) <= NUMBER_INPUT_MAX else ""
    if _IN_NORMAL_FORM.of(bare) is not None:
        return bare
    if not _SHAPE.match(bare):
        bare = _unpunctuated(number, bare)
    return _looked_up(bare, region) or _normalise_by_the_library(bare, region)


def _looked_up(bare: str, region: str | None) -> str | None:
    """Return the normal form of a number that the tables have; else None."""
    if region is not None and bare[0] != "+":
        dialled = _dialled_in(region).of(bare)
        if dialled is None:
            return None
        country, before = dialled
        bare = country + bare[before:]
    return None if _IN_NORMAL_FORM.of(bare) is None else bare


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def _normalise_by_the_library(bare: str, region: str | None) -> str:
    for _ in range(NUMBER_DIGITS_MAX):
        in_e164 = _in_e164(bare, region)
        if in_e164 == bare:
            break
        # The removal of a prefix may reveal another one, and the normal form of a normal form must not differ from it.
        bare, region = in_e164, None
    return bare


def _is_possible_as_it_is(start: str, length: int) -> bool | None:
    """Return whether numbers that begin with a start, such as `+1202`, have a length that is possible in their country.

    Return None if it is not settled that all of them are in normal form.
    """
    parts = split(start, length)
    plan = parts and plan_of(parts[0])
    if not parts or not plan or plan.general_desc is None or parts[1].length < NATIONAL_DIGITS_MIN:
        return None
    if national_part(plan, parts[1]) != parts[1]:
        return None
    return parts[1].length in plan.general_desc.possible_length


_IN_NORMAL_FORM: Final = PrefixTable(_is_possible_as_it_is, (4, 6, 8, 11))


def is_in_normal_form(start: str, length: int) -> bool:
    """Return whether it is settled that all numbers of a length that begin with a start are in normal form."""
    return _is_possible_as_it_is(start, length) is not None


@lru_cache(maxsize=COUNTRY_CODES_MAX)
def _dialled_in(region: str) -> PrefixTable[tuple[str, int]]:
    """Return the table of numbers as dialled in a region: the country code, and the digits that E.164 leaves out."""

    def dialled(start: str, length: int) -> tuple[str, int] | None:
        if start.startswith(("+", *_INTERNATIONAL_PREFIXES)):
            return None
        found = dialled_inland(region, Start(start, length))
        return None if found is None else (f"+{found[0]}", length - found[1].length)

    return PrefixTable(dialled, (3, 5, 8))


def _unpunctuated(number: str, bare: str) -> str:
    """Return the digits of a number in a spelling that is less common; raise NumberError if it is in none."""
    international = _with_plus(bare)
    if international is not None:
        return international
    plain = plain_spelling(number).translate(_NO_PUNCTUATION) if len(number) <= NUMBER_INPUT_MAX else ""
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
    known = _IN_NORMAL_FORM.of(number)
    if known is not None:
        return known
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
