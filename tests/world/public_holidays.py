"""Public holidays of the countries whose law closes on them: from holidays, and by the rules of the laws themselves."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from dialer.domain.calling_times.country_hours import COUNTRY_HOURS
from dialer.domain.calling_times.public_holidays import public_holidays
from tests.world.short_texts import day

YEARS: Final = range(2024, 2032)
_FRENCH_DAYS: Final = ((1, 1), (5, 1), (5, 8), (7, 14), (8, 15), (11, 1), (11, 11), (12, 25))
_SPANISH_DAYS: Final = ((1, 1), (1, 6), (5, 1), (8, 15), (10, 12), (11, 1), (12, 6), (12, 8), (12, 25))
_AUSTRALIAN_DAYS: Final = ((1, 1), (1, 26), (4, 25), (12, 25), (12, 26))
"""Months and days; those that move with Easter are added."""
_TUESDAY, _WEDNESDAY, _FRIDAY, _SATURDAY, SUNDAY = 1, 2, 4, 5, 6
_DAY: Final = timedelta(days=1)


def countries() -> list[str]:
    """Return the countries on whose public holidays no calls are allowed."""
    return [row.country for row in COUNTRY_HOURS if any(hours.closed_in for hours in row.hours)]


def rows() -> Iterator[str]:
    """Yield a row for each country and year, with all days."""
    for country in countries():
        for year in YEARS:
            days = sorted(public_holidays(country, year))
            yield f"| {country} | {year} | {len(days)} | {', '.join(map(day, days))} |"


def by_law(country: str, year: int) -> set[date]:
    """Return the public holidays of a whole country by its law, without the library.

    France: Code du travail, article L3133-1. Spain: Real Decreto 2001/1983, artículo 45, and the national days of Real
    Decreto 1346/1989 that no community replaces; those on a Sunday are moved by the communities, and are not
    national then. Australia: the days that all states and territories have.
    """
    easter = easter_sunday(year)
    if country == "FR":
        moved = {easter + _DAY, easter + 39 * _DAY, easter + 50 * _DAY}
        return moved | {date(year, *at) for at in _FRENCH_DAYS}
    if country == "ES":
        found = {date(year, *at) for at in _SPANISH_DAYS}
        return {easter - 2 * _DAY} | {at for at in found if at.weekday() != SUNDAY}
    fixed = {date(year, *at) for at in _AUSTRALIAN_DAYS} | _instead(year)
    return {easter - 2 * _DAY, easter + _DAY} | fixed


def _instead(year: int) -> set[date]:
    """Return the days that Australia has instead of those on a weekend, by the weekday of New Year and Christmas.

    Until 29 February, 26 January is four weekdays after New Year.
    """
    new_year = {_SATURDAY: {(1, 3)}, SUNDAY: {(1, 2)}}.get(date(year, 1, 1).weekday(), set())
    australia_day = {_TUESDAY: {(1, 28)}, _WEDNESDAY: {(1, 27)}}.get(date(year, 1, 1).weekday(), set())
    christmas = {_FRIDAY: {(12, 28)}, _SATURDAY: {(12, 27), (12, 28)}, SUNDAY: {(12, 27)}}
    end_of_year = christmas.get(date(year, 12, 25).weekday(), set())
    return {date(year, *at) for at in (*new_year, *australia_day, *end_of_year)}


def easter_sunday(year: int) -> date:
    """Return Easter Sunday by the rule of Meeus, Jones and Butcher for the Gregorian calendar."""
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)
