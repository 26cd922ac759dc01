"""Calling hours by country: where the law allows calls in fewer hours than the service's own.

A row holds for every number of the country, and for every person there, whatever the campaign is for, because the
service does not know whether a call sells something. Public holidays are those of the whole country; regional ones are
not known.
"""

from collections.abc import Iterable
from datetime import time
from typing import Final, NamedTuple

from dialer.domain.calling_times.calendars import Calendar

_WORKDAYS: Final = (True, True, True, True, True, False, False)
_SATURDAYS: Final = (False, False, False, False, False, True, False)
_WEEKENDS: Final = (False, False, False, False, False, True, True)


class CountryHours(NamedTuple):
    """The calling hours of a country: calls are allowed while any of the calendars allows them."""

    country: str
    """ISO 3166 code."""
    name: str
    hours: tuple[Calendar, ...]
    in_words: str
    source: str
    """The law."""
    territories: frozenset[str] = frozenset()
    """ISO codes of its territories in which the law holds too."""
    territories_source: str = ""
    """The law that says so."""


COUNTRY_HOURS: Final = (
    CountryHours(
        country="AU",
        name="Australia",
        hours=(
            Calendar(_WORKDAYS, time(9), time(20), closed_in="AU"),
            Calendar(_SATURDAYS, time(9), time(17), closed_in="AU"),
        ),
        in_words="Monday to Friday 09:00-20:00, Saturday 09:00-17:00, not on national public holidays",
        source="Telecommunications (Telemarketing and Research Calls) Industry Standard 2017",
        territories=frozenset({"CC", "CX", "NF"}),
        territories_source="Telecommunications Act 1997, section 10",
    ),
    CountryHours(
        country="CA",
        name="Canada",
        hours=(Calendar(_WORKDAYS, time(9), time(21, 30)), Calendar(_WEEKENDS, time(10), time(18))),
        in_words="Monday to Friday 09:00-21:30, Saturday and Sunday 10:00-18:00",
        source="CRTC Unsolicited Telecommunications Rules, Part III, section 23",
    ),
    CountryHours(
        country="ES",
        name="Spain",
        hours=(Calendar(_WORKDAYS, time(9), time(21), closed_in="ES"),),
        in_words="Monday to Friday 09:00-21:00, not on national public holidays",
        source="Real Decreto Legislativo 1/2007, artículo 96.2",
    ),
    CountryHours(
        country="FR",
        name="France",
        hours=(
            Calendar(_WORKDAYS, time(10), time(13), closed_in="FR"),
            Calendar(_WORKDAYS, time(14), time(20), closed_in="FR"),
        ),
        in_words="Monday to Friday 10:00-13:00 and 14:00-20:00, not on public holidays",
        source="Code de la consommation, article D. 223-9",
        territories=frozenset({"BL", "GF", "GP", "MF", "MQ", "PM", "RE", "YT"}),
        territories_source="Constitution, article 73; Code général des collectivités territoriales, LO6213-1 etc.",
    ),
    CountryHours(
        country="US",
        name="United States",
        hours=(Calendar(start=time(8), stop=time(21)),),
        in_words="08:00-21:00",
        source="47 CFR 64.1200(c)(1)",
        territories=frozenset({"AS", "GU", "MP", "PR", "UM", "VI"}),
        territories_source="47 USC 153(58): a state is also a territory or possession",
    ),
)
"""The table, in the order of the codes."""

_BY_COUNTRY: Final = {row.country: row for row in COUNTRY_HOURS}
_LAWS: Final = {country: row.country for row in COUNTRY_HOURS for country in (row.country, *row.territories)}


def law_of(country: str | None) -> str | None:
    """Return the country of the table whose law holds in a country or territory; None if the table has none."""
    return None if country is None else _LAWS.get(country)


def laws_of(countries: Iterable[str | None]) -> frozenset[str]:
    """Return the countries of the table whose law holds in any of these countries and territories."""
    return frozenset(filter(None, map(law_of, countries)))


def narrowing(countries: Iterable[str]) -> list[CountryHours]:
    """Return the rows of countries, in the order of the table."""
    codes = {*countries}
    return [row for row in COUNTRY_HOURS if row.country in codes]


def is_country(code: str) -> bool:
    """Return whether the table has a country."""
    return code in _BY_COUNTRY


def hours_in_country(code: str) -> tuple[Calendar, ...]:
    """Return the calling hours of a country of the table.

    Raises:
        KeyError: the table has no such country.
    """
    return _BY_COUNTRY[code].hours
