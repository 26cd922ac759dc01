"""Which caller ID a callee is shown."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.plans import CallerIdChoice, CampaignPlan

WILDCARD: Final = "*"
_AND: Final = "&"

Turns = dict[str, int]
"""How often the caller IDs of an area code were shown, by area code: so that equals take turns, over a restart too."""


def choose_callerid(plan: CampaignPlan, number: str, turns: Turns) -> str:
    """The caller ID for a number in normal form: the one whose area code is its longest prefix, else a wildcard.

    An area code is a prefix of the digits with the country code, or of the national number. Those that fit equally well
    take turns, which are counted in `turns`: whatever else was dialled meanwhile, one of them was shown at most once
    more than another. Without a group, or with none of it that fits: the campaign's own `callerid`.
    """
    if not plan.callerids:
        return plan.callerid
    written = _ways_to_write(number)
    fits = [(_fit(choice, written), choice) for choice in plan.callerids]
    best = max(length for length, _ in fits)
    if best < 0:
        return plan.callerid
    equals = [choice for length, choice in fits if length == best]
    return _in_turn(equals, turns).callerid_num


def turns_of(plan: CampaignPlan, turns: Turns) -> Turns:
    """What was counted, without the area codes that the campaign's group has no more."""
    known = {_digits(choice) for choice in plan.callerids}
    return {key: count for key, count in turns.items() if known.issuperset(key.split(_AND))}


def _in_turn(equals: list[CallerIdChoice], turns: Turns) -> CallerIdChoice:
    if len(equals) == 1:
        return equals[0]
    key = _key(equals)
    turn = turns[key] = turns.get(key, 0) + 1
    return equals[(turn - 1) % len(equals)]


def _key(equals: Iterable[CallerIdChoice]) -> str:
    """Nearly always one area code: two fit equally well only if one is a prefix with the country code, one without."""
    return _AND.join(sorted({_digits(choice) for choice in equals}))


def _digits(choice: CallerIdChoice) -> str:
    return choice.areacode.lstrip("+")


def _fit(choice: CallerIdChoice, written: tuple[str, ...]) -> int:
    """How many digits of the number the area code names: 0 for the wildcard, -1 if it is for other numbers."""
    areacode = _digits(choice)
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
