"""Ordinary numbers: those that are certainly neither emergency nor special numbers, whatever their last digits are.

Nearly all numbers are ordinary. They are looked up by their first digits and their length. Only others are looked at
one by one (`is_emergency`, `special_digits`).
"""

from typing import Final

from dialer.domain.numbers.destinations import SATELLITE_AND_SPECIAL, special_patterns
from dialer.domain.numbers.digit_patterns import digit_pattern
from dialer.domain.numbers.emergency import EMERGENCY_DIGITS_MAX
from dialer.domain.numbers.numbering_plans import PrefixTable, Start, is_assigned, national_part, plan_of, split

_SHORT: Final = 5
_LONG: Final = 8
"""Characters of the starts by which numbers are looked up: of long ones where the short ones do not settle it."""
_settled: Final[set[tuple[str, int]]] = set()
"""Starts and lengths of numbers that are all ordinary: short starts only, of which there are few."""


def is_ordinary(number: str) -> bool:
    """Return whether a number is certainly ordinary. Every dial asks this."""
    return (number[:_SHORT], len(number)) in _settled or _look_up(number)


def _look_up(number: str) -> bool:
    if _by_short_start.of(number):
        _settled.add((number[:_SHORT], len(number)))
        return True
    return _by_long_start.of(number) is True


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


_by_short_start: Final = PrefixTable(_is_ordinary, (_SHORT,))
_by_long_start: Final = PrefixTable(_is_ordinary, (_LONG,))
