"""Doubts about numbers that are stored all the same: nobody can have them, or a 0 is missing."""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.numbers import north_america
from dialer.domain.numbers.by_the_library import NUMBERS_KEPT_MAX, parse
from dialer.domain.numbers.lost_zeros import with_lost_zero
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise
from dialer.domain.numbers.numbering_plans import PrefixTable, is_assigned, plan_of, split
from dialer.domain.words.sentences import Sentence

_AREA_CODE_START: Final = len(north_america.CODE)
_EXCHANGE_END: Final = north_america.AREA_CODE_LENGTH + 1
"""Characters up to the first digit of the exchange, which is 2 to 9."""


class NumberDoubt(StrEnum):
    """A reason why a stored number is probably wrong."""

    NONE = ""
    IMPOSSIBLE = "impossible_number"
    UNASSIGNED = "unassigned_number"
    LOST_ZERO = "lost_zero"


def doubt_of(number: str) -> NumberDoubt:
    """Return the doubt about a number in normal form. A number without a country code raises none."""
    if number[:1] != "+":
        return NumberDoubt.NONE
    found = _JUDGED.of(number)
    if found is None:
        found = _judged_by_the_library(number)
    return found if found is NumberDoubt.NONE or not with_lost_zero(number) else NumberDoubt.LOST_ZERO


def doubt_in_words(doubt: NumberDoubt, number: str) -> Sentence:
    """Return a doubt about a number in a sentence."""
    if doubt is NumberDoubt.LOST_ZERO:
        return Sentence(
            "%(number)r is a number that nobody can have. A 0 is missing: %(mended)r would be right.",
            number=number,
            mended=with_lost_zero(number),
        )
    if doubt is NumberDoubt.UNASSIGNED:
        return Sentence(
            "%(number)r is a number that nobody can have in its country. Check the digits and the country.",
            number=number,
        )
    return Sentence(
        "%(number)r is impossible in its country. Check the number of digits and the country code.", number=number
    )


def counted_as_assigned(texts: Iterable[str], region: str | None) -> int:
    """Return the number of texts that are assigned phone numbers, with a region for numbers without a country."""
    return sum(_is_somebodys(text, region) for text in texts)


def _is_somebodys(text: str, region: str | None) -> bool:
    try:
        number = normalise(text, region)
    except NumberError:
        return False
    return number.startswith("+") and doubt_of(number) is NumberDoubt.NONE


def doubt_of_all(start: str, length: int) -> NumberDoubt | None:
    """Return the doubt about all numbers of a length that begin with a start; None if they differ."""
    parts = split(start, length)
    plan = parts and plan_of(parts[0])
    if not parts or not plan or plan.general_desc is None:
        return NumberDoubt.IMPOSSIBLE if start[1:2] == "0" else None
    if parts[1].length not in plan.general_desc.possible_length:
        return NumberDoubt.IMPOSSIBLE
    is_known = is_assigned(*parts)
    if is_known is not False or parts[0] != 1:
        return {True: NumberDoubt.NONE, False: NumberDoubt.UNASSIGNED, None: None}[is_known]
    if len(start) < _EXCHANGE_END:
        return None
    return NumberDoubt.NONE if _may_be_of_new_area(start) else NumberDoubt.UNASSIGNED


def _may_be_of_new_area(start: str) -> bool:
    """Return whether a number that begins with +1 may be in an area code that phonenumbers does not know yet.

    Area codes are [2-9][0-8][0-9] without N11, and exchanges begin with 2 to 9 (NANPA, "Number Resources").
    """
    area, exchange = start[_AREA_CODE_START : north_america.AREA_CODE_LENGTH], start[_EXCHANGE_END - 1]
    is_area = area[0] in "23456789" and area[1] != "9" and area[1:] != "11"
    return is_area and exchange in "23456789" and north_america.country_of(start) is None


_JUDGED: Final = PrefixTable(doubt_of_all, (4, 6, 8, 11))


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def _judged_by_the_library(number: str) -> NumberDoubt:
    if not is_possible(number):
        return NumberDoubt.IMPOSSIBLE
    parsed = parse(number)
    is_valid = parsed is not None and phonenumbers.is_valid_number(parsed)
    return NumberDoubt.NONE if is_valid else NumberDoubt.UNASSIGNED
