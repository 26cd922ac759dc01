"""Phone numbers: the texts that are accepted as numbers, and the normal form in which numbers are compared."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.numbers.by_the_library import (
    NUMBER_DIGITS_MAX,
    NUMBER_DIGITS_MIN,
    lacks_plus,
    normal_form_as_dialled,
    normal_form_of,
    parse,
    with_plus,
)
from dialer.domain.numbers.numbering_plans import (
    PrefixTable,
    Start,
    dialled_inland,
    is_mobile,
    national_part,
    plan_of,
    split,
)
from dialer.domain.numbers.older_habits import is_older, without_carrier
from dialer.domain.numbers.spreadsheet_numbers import DECIMALS, without_decimals
from dialer.domain.numbers.usual_spellings import (
    folded,
    has_extension,
    has_second_number,
    is_shortened,
    plain_spelling,
)
from dialer.domain.words.sentences import Sentence

NUMBER_INPUT_MAX: Final = 64
"""Maximum characters of a number as a user writes it, punctuation included."""
NATIONAL_DIGITS_MIN: Final = 2
"""Minimum digits after a country code."""
COUNTRY_CODES_MAX: Final = 1_000
_NO_PUNCTUATION: Final = str.maketrans("", "", " .-()[]")
_BLANKS: Final = r"[ .\-()\[\]]*"
NUMBER_PATTERN: Final = rf"^{_BLANKS}(\+{_BLANKS})?([0-9]{_BLANKS}){{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}$"
"""The regular expression of a number as a user writes it. More digits are accepted after 00 or 011 only."""
_SHAPE: Final = re.compile(rf"\+?[0-9]{{{NUMBER_DIGITS_MIN},{NUMBER_DIGITS_MAX}}}\Z")
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


def normalise(number: str, region: str | None) -> str:
    """Return the normal form of a phone number, by which duplicates, do-not-call lists and prefixes are compared.

    The normal form is E.164 if the number has a `+` or `region` (ISO 3166) gives its country, else its digits alone.
    `region` is the country of the account; None only for texts that nobody reads as numbers of a country.
    Spaces, dots, dashes and brackets are removed, and so is what `usual_spellings` knows. A leading 00 or 011 is read
    as `+` if the number is otherwise impossible in its region. A mobile number of the region with its country code gets
    the `+` that it lacks. A number in the older form of its country gets that of today.

    Raises:
        NumberError: the number is not 3 to 15 digits with an optional leading `+`, 00 or 011, in a usual spelling.
    """
    if DECIMALS[0] in number or DECIMALS[1] in number:
        number = without_decimals(number)
    bare = number.translate(_NO_PUNCTUATION) if len(number) <= NUMBER_INPUT_MAX else ""
    if bare[:1] == "+" and _IN_NORMAL_FORM.of(bare) is not None:
        return bare
    if not _SHAPE.match(bare):
        bare = _unpunctuated(number, bare)
    return _looked_up(bare, region) or normal_form_of(bare, region)


def _looked_up(bare: str, region: str | None) -> str | None:
    """Return the normal form of a number that the tables have; else None."""
    if region is not None and bare[0] != "+":
        dialled = _dialled_in(region).of(bare)
        if dialled is None:
            return None
        country, before = dialled
        bare = country + bare[before:]
    return None if _IN_NORMAL_FORM.of(bare) is None else bare


def _is_possible_as_it_is(start: str, length: int) -> bool | None:
    """Return whether numbers that begin with a start, such as `+1202`, have a length that is possible in their country.

    Return None if it is not settled that all of them are in normal form.
    """
    parts = split(start, length)
    plan = parts and plan_of(parts[0])
    if not parts or not plan or plan.general_desc is None or parts[1].length < NATIONAL_DIGITS_MIN:
        return None
    if is_older(start, length):
        return None
    if national_part(plan, parts[1]) != parts[1]:
        return None
    return parts[1].length in plan.general_desc.possible_length


_IN_NORMAL_FORM: Final = PrefixTable(_is_possible_as_it_is, (4, 6, 8, 11))


def is_in_normal_form(start: str, length: int) -> bool:
    """Return whether all numbers with a start and a length are certainly in normal form."""
    return _is_possible_as_it_is(start, length) is not None


@lru_cache(maxsize=COUNTRY_CODES_MAX)
def _dialled_in(region: str) -> PrefixTable[tuple[str, int]]:
    """Return the table of numbers as dialled in a region: the country code, and the digits that E.164 leaves out."""

    def dialled(start: str, length: int) -> tuple[str, int] | None:
        if start.startswith(("+", *_INTERNATIONAL_PREFIXES)):
            return None
        found = dialled_inland(region, Start(start, length))
        if found is None:
            return None
        code = str(found[0])
        in_full = Start(start[len(code) :], length - len(code))
        if start.startswith(code) and found[1] != in_full:
            is_lost = _is_settled_as_lost(found[0], in_full, found[1])
            if is_lost is not False:
                return ("+", 0) if is_lost else None
        return f"+{code}", length - found[1].length

    return PrefixTable(dialled, (3, 5, 8))


def _is_settled_as_lost(country_code: int, in_full: Start, as_dialled: Start) -> bool | None:
    """Return whether numbers lack only their `+`, as `lacks_plus` says; None if that is not settled for all of them."""
    is_full, is_dialled = is_mobile(country_code, in_full), is_mobile(country_code, as_dialled)
    if is_full is False or is_dialled is True:
        return False
    return None if None in {is_full, is_dialled} else True


def has_lost_plus(digits: str, region: str | None) -> bool:
    """Return whether digits are a mobile number of a region with its country code, and lack only the `+`."""
    if not region or not (digits.isascii() and digits.isdigit()):
        return False
    return lacks_plus(digits, normal_form_as_dialled(digits, region), region)


def _unpunctuated(number: str, bare: str) -> str:
    """Return the digits of a number in a spelling that is less common; raise NumberError if it is in none."""
    international = with_plus(bare)
    if international is not None:
        return international
    plain = plain_spelling(number).translate(_NO_PUNCTUATION) if len(number) <= NUMBER_INPUT_MAX else ""
    plain = without_carrier(plain)
    if _SHAPE.match(plain):
        return plain
    international = with_plus(plain)
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
    elif has_second_number(folded(number)):
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
        normalise(number, None)
    except NumberError:
        return False
    return True


def digits_of(number: str) -> str:
    """Return the digits of a number, which all its spellings share."""
    return "".join(filter(str.isdigit, number))


def digits_meant(written: str, number: str) -> frozenset[str]:
    """Return the digits by which a number is known: as it is written, and in normal form with its country."""
    return frozenset({digits_of(written), digits_of(number)} - {""})
