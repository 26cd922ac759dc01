"""Public holidays of whole countries, on which the law of some allows no calls.

The package `holidays` names them. It lacks the days that Australia has instead of those on a weekend: it knows them for
each state, and not for the country. They are added here, by the rules that all states and territories share.
"""

from datetime import date, timedelta
from functools import lru_cache
from typing import Final

YEARS_KEPT_MAX: Final = 256
_AUSTRALIA: Final = "AU"
_SATURDAY: Final = 5
_SUNDAY: Final = 6
_TO_THE_WEEK: Final = {_SATURDAY: timedelta(days=2), _SUNDAY: timedelta(days=1)}
"""The way from a day of the weekend to the Monday after it."""
_BOTH_OF_CHRISTMAS: Final = timedelta(days=2)
"""Christmas and Boxing Day follow each other, and so do their days off: a weekend's is two days later."""


@lru_cache(maxsize=YEARS_KEPT_MAX)
def public_holidays(country: str, year: int) -> frozenset[date]:
    """Return the public holidays of a whole country by its ISO code, without those of its regions."""
    import holidays  # noqa: PLC0415 - it takes longer to import than a command takes, and few calendars need it

    named = frozenset(holidays.country_holidays(country, years=year))
    return named | _of_australia(year) if country == _AUSTRALIA else named


def _of_australia(year: int) -> frozenset[date]:
    """Return the days off in all of Australia for holidays that are on a weekend.

    They are in the law of each state, such as the Public Holidays Act 2010 of New South Wales, sections 4 and 5. A day
    for Anzac Day (25 April) is left out: some states have it, and others have not.
    """
    first, of_australia = date(year, 1, 1), date(year, 1, 26)
    christmas = (date(year, 12, 25), date(year, 12, 26))
    mondays = {at + _TO_THE_WEEK[at.weekday()] for at in (first, of_australia) if at.weekday() in _TO_THE_WEEK}
    return frozenset(mondays | {at + _BOTH_OF_CHRISTMAS for at in christmas if at.weekday() in _TO_THE_WEEK})
