"""The caller ID that a callee is shown."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.calls.plan_parts import CallerIdChoice
from dialer.domain.calls.plans import CampaignPlan

WILDCARD: Final = "*"
_AND: Final = "&"

Turns = dict[str, int]
"""The number of times that caller IDs were shown, by area code, so that equals take turns across restarts."""


def choose_callerid(plan: CampaignPlan, number: str, turns: Turns) -> str:
    """Return the caller ID for a number in normal form: its longest matching area code, else a wildcard.

    An area code matches a prefix of the digits with the country code, or of the national number. Caller IDs that match
    equally well take turns, so that their counts in `turns` differ by at most one. If the campaign has no group, or no
    area code matches, the result is the campaign's own `callerid`.
    """
    if not plan.callerids:
        return plan.callerid
    written = _digits_with_and_without_country(number)
    fits = [(_fit(choice, written), choice) for choice in plan.callerids]
    best = max(length for length, _ in fits)
    if best < 0:
        return plan.callerid
    equals = [choice for length, choice in fits if length == best]
    return _in_turn(equals, turns).callerid_num


def turns_of(plan: CampaignPlan, turns: Turns) -> Turns:
    """Return the counts without the area codes that are no longer in the campaign's group."""
    digits_of_choices = {_digits(choice) for choice in plan.callerids}
    return {key: count for key, count in turns.items() if digits_of_choices.issuperset(key.split(_AND))}


def _in_turn(equals: list[CallerIdChoice], turns: Turns) -> CallerIdChoice:
    if len(equals) == 1:
        return equals[0]
    key = _key(equals)
    turn = turns[key] = turns.get(key, 0) + 1
    return equals[(turn - 1) % len(equals)]


def _key(equals: Iterable[CallerIdChoice]) -> str:
    """Return the joined area codes of equally good caller IDs.

    Nearly always it is one code; it is two if one is written with the country code and the other without.
    """
    return _AND.join(sorted({_digits(choice) for choice in equals}))


def _digits(choice: CallerIdChoice) -> str:
    return choice.areacode.lstrip("+")


def _fit(choice: CallerIdChoice, written: tuple[str, ...]) -> int:
    """Return the number of digits that the area code matches: 0 for the wildcard, -1 if it does not match."""
    areacode = _digits(choice)
    if areacode in {WILDCARD, ""}:
        return 0 if areacode else -1
    return len(areacode) if any(digits.startswith(areacode) for digits in written) else -1


@lru_cache(maxsize=4_096)
def _digits_with_and_without_country(number: str) -> tuple[str, ...]:
    """Return the digits with the country code, and without it."""
    digits = number.lstrip("+")
    if not number.startswith("+"):
        return (digits,)
    try:
        return digits, phonenumbers.national_significant_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return (digits,)
