"""Ordinary numbers: those that are certainly neither emergency nor special numbers, whatever their last digits are.

Nearly all numbers are ordinary. They are looked up by their first digits and their length. Only others are looked at
one by one (`is_emergency`, `special_digits`).
"""

from typing import Final

from dialer.domain.numbers.destinations import SATELLITE_AND_SPECIAL, special_patterns
from dialer.domain.numbers.digit_patterns import digit_pattern
from dialer.domain.numbers.emergency import EMERGENCY_DIGITS_MAX
from dialer.domain.numbers.numbering_plans import PrefixTable, Start, is_assigned, national_part, plan_of, split

_STARTS: Final = (5, 8)
"""Characters of the starts of numbers by which they are looked up."""


def _is_ordinary(start: str, length: int) -> bool | None:
    """Return True if all numbers of a length that begin with a start are ordinary; None if some may not be."""
    parts = split(start, length)
    if parts is None:
        return None
    code, national = parts
    # Some carriers ignore zeros before a national number.
    bare = national.behind(len(national.digits) - len(national.digits.lstrip("0")))
    if str(code) in SATELLITE_AND_SPECIAL or not bare.digits or _may_be_emergency(code, national, length - 1):
        return None
    special, short, _ = special_patterns(str(code))
    is_whole = any(_fits(numbers, pattern) for numbers in (national, bare) for pattern in (*special, *short))
    return None if is_whole or any(_begins(bare, pattern) for pattern in special) else True


def _may_be_emergency(code: int, national: Start, digits: int) -> bool:
    """Return False if all numbers are too long for emergency numbers, or valid, which emergency numbers are not."""
    if digits > EMERGENCY_DIGITS_MAX:
        return False
    plan = plan_of(code)
    return plan is None or national_part(plan, national) != national or is_assigned(code, national) is not True


def _fits(numbers: Start, pattern: str) -> bool:
    """Return whether some of the numbers match a pattern."""
    return digit_pattern(pattern).matches(*numbers) is not False


def _begins(numbers: Start, pattern: str) -> bool:
    """Return whether some of the numbers begin with a match of a pattern."""
    return digit_pattern(pattern).ends(*numbers) != frozenset()


ORDINARY_NUMBERS: Final = PrefixTable(_is_ordinary, _STARTS)
"""The numbers that are certainly ordinary: True for these, None for all others."""
