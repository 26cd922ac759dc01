"""Numbers without a country code: whether one may stand for a number in normal form."""

from enum import Enum, auto
from typing import Final

import phonenumbers

from dialer.domain.numbers.by_the_library import parse
from dialer.domain.numbers.numbering_plans import plan_of

SUBSCRIBER_DIGITS_MIN: Final = 6
"""Digits of a number without its area code, below which it says too little."""


class Likeness(Enum):
    """Answers to the question whether digits without a country code stand for a number."""

    NATIONAL = auto()
    """They are all of the number but its country code. A prefix for calls within the country may stand before them."""
    ENDING = auto()
    """They are its end, as within an area."""
    NONE = auto()


def likeness_of(digits: str, number: str) -> Likeness:
    """Return whether digits without a country code may stand for a number in normal form.

    A number in normal form without a country code is the same digits.
    """
    if not number.startswith("+"):
        return Likeness.NATIONAL if digits == number else Likeness.NONE
    parsed = parse(number)
    if parsed is None:
        return Likeness.NONE
    national = phonenumbers.national_significant_number(parsed)
    if digits in {national, _inland_prefix(parsed.country_code) + national}:
        return Likeness.NATIONAL
    is_end = len(digits) >= SUBSCRIBER_DIGITS_MIN and national.endswith(digits.lstrip("0") or digits)
    return Likeness.ENDING if is_end else Likeness.NONE


def _inland_prefix(country_code: int | None) -> str:
    """Return the prefix for calls within a country; empty if it has none."""
    plan = None if country_code is None else plan_of(country_code)
    return (plan.national_prefix if plan is not None else None) or ""
