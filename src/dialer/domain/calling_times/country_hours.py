"""Calling hours by country: where the law allows calls in fewer hours than the service's own.

A row holds for every number in a zone of the country, whatever the campaign is for, because the service does not know
whether a call sells something. Public holidays are those of the whole country; regional ones are not known.
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
    zones: frozenset[str]
    """IANA names of the country's zones."""
    zone_folder: str = ""
    """Beginning of older names of its zones, such as `US/`."""


def _zones(folder: str, names: str) -> frozenset[str]:
    return frozenset(f"{folder}/{name}" for name in names.split())


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
        zones=_zones("Australia", "Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne")
        | _zones("Australia", "Perth Sydney ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West")
        | _zones("Australia", "Yancowinna"),
    ),
    CountryHours(
        country="CA",
        name="Canada",
        hours=(Calendar(_WORKDAYS, time(9), time(21, 30)), Calendar(_WEEKENDS, time(10), time(18))),
        in_words="Monday to Friday 09:00-21:30, Saturday and Sunday 10:00-18:00",
        source="CRTC Unsolicited Telecommunications Rules, Part III, section 23",
        zones=_zones("America", "Atikokan Blanc-Sablon Cambridge_Bay Coral_Harbour Creston Dawson Dawson_Creek")
        | _zones("America", "Edmonton Fort_Nelson Glace_Bay Goose_Bay Halifax Inuvik Iqaluit Moncton Montreal Nipigon")
        | _zones("America", "Pangnirtung Rainy_River Rankin_Inlet Regina Resolute St_Johns Swift_Current Thunder_Bay")
        | _zones("America", "Toronto Vancouver Whitehorse Winnipeg Yellowknife"),
        zone_folder="Canada/",
    ),
    CountryHours(
        country="ES",
        name="Spain",
        hours=(Calendar(_WORKDAYS, time(9), time(21), closed_in="ES"),),
        in_words="Monday to Friday 09:00-21:00, not on national public holidays",
        source="Real Decreto Legislativo 1/2007, artículo 96.2",
        zones=frozenset({"Europe/Madrid", "Africa/Ceuta", "Atlantic/Canary"}),
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
        zones=frozenset({"Europe/Paris"}),
    ),
    CountryHours(
        country="US",
        name="United States",
        hours=(Calendar(start=time(8), stop=time(21)),),
        in_words="08:00-21:00",
        source="47 CFR 64.1200(c)(1)",
        zones=_zones("America", "Adak Anchorage Atka Boise Chicago Denver Detroit Fort_Wayne Indianapolis Juneau")
        | _zones("America", "Knox_IN Los_Angeles Louisville Menominee Metlakatla New_York Nome Phoenix Puerto_Rico")
        | _zones("America", "Shiprock Sitka St_Thomas Virgin Yakutat")
        | _zones("America/Indiana", "Indianapolis Knox Marengo Petersburg Tell_City Vevay Vincennes Winamac")
        | _zones("America/Kentucky", "Louisville Monticello")
        | _zones("America/North_Dakota", "Beulah Center New_Salem")
        | _zones("Pacific", "Guam Honolulu Johnston Midway Pago_Pago Saipan Samoa"),
        zone_folder="US/",
    ),
)
"""The table, in the order of the codes."""

_BY_COUNTRY: Final = {row.country: row for row in COUNTRY_HOURS}
_BY_ZONE: Final = {zone: row for row in COUNTRY_HOURS for zone in row.zones}


def narrowing(zone_names: Iterable[str], countries: Iterable[str]) -> list[CountryHours]:
    """Return the rows that hold for any of the zones or for any of the countries, in the order of the table."""
    country_codes = {country_of_zone(name) for name in zone_names} | {*countries}
    return [row for row in COUNTRY_HOURS if row.country in country_codes]


def is_country(code: str) -> bool:
    """Return whether the table has a country."""
    return code in _BY_COUNTRY


def country_of_zone(zone: str) -> str | None:
    """Return the country of the table to which a zone belongs."""
    row = _row_of_zone(zone)
    return None if row is None else row.country


def hours_in_zone(zone: str) -> tuple[Calendar, ...] | None:
    """Return the calling hours of the country to which a zone belongs; None if the table has none."""
    row = _row_of_zone(zone)
    return None if row is None else row.hours


def hours_in_country(code: str) -> tuple[Calendar, ...]:
    """Return the calling hours of a country of the table.

    Raises:
        KeyError: the table has no such country.
    """
    return _BY_COUNTRY[code].hours


def _row_of_zone(zone: str) -> CountryHours | None:
    row = _BY_ZONE.get(zone)
    if row is not None:
        return row
    return next((row for row in COUNTRY_HOURS if row.zone_folder and zone.startswith(row.zone_folder)), None)
