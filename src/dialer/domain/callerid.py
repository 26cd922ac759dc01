"""Which caller ID a callee is shown."""

from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.plans import CallerIdChoice, CampaignPlan

WILDCARD: Final = "*"


def choose_callerid(plan: CampaignPlan, number: str, turn: int) -> str:
    """The caller ID for a number in normal form: the one whose area code is its longest prefix, else a wildcard.

    An area code is a prefix of the digits with the country code, or of the national number. `turn` rotates evenly among
    those that fit equally well. Without a group, or with none of it that fits: the campaign's own `callerid`.
    """
    if not plan.callerids:
        return plan.callerid
    written = _ways_to_write(number)
    fits = [(_fit(choice, written), choice) for choice in plan.callerids]
    best = max(length for length, _ in fits)
    if best < 0:
        return plan.callerid
    equals = [choice.callerid_num for length, choice in fits if length == best]
    return equals[turn % len(equals)]


def _fit(choice: CallerIdChoice, written: tuple[str, ...]) -> int:
    """How many digits of the number the area code names: 0 for the wildcard, -1 if it is for other numbers."""
    areacode = choice.areacode.lstrip("+")
    if areacode in {WILDCARD, ""}:
        return 0 if areacode else -1
    return len(areacode) if any(digits.startswith(areacode) for digits in written) else -1


@lru_cache(maxsize=4_096)
def _ways_to_write(number: str) -> tuple[str, ...]:
    """The digits with the country code, and without."""
    digits = number.lstrip("+")
    if not number.startswith("+"):
        return (digits,)
    try:
        return digits, phonenumbers.national_significant_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return (digits,)
