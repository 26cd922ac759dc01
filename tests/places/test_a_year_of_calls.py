"""Numbers of all countries and area codes under two windows over a year, against the zone database alone.

The oracle takes the zones of a number from its country in `zone.tab`, or from the state of its area code. It does not
read our table. All days around changes of clocks are tried, and of the others a third, which the commit draws, or
without CI twelve.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

import phonenumbers
import pytest
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import NUMBER_ZONES, zone_of_number
from dialer.domain.places.places import NumberPlace
from tests.places.area_codes import STATES, ZONES
from tests.places.zone_database import zones_of_countries
from tests.sizes import IS_WHOLE, SEEDS_FROM
from tests.world.never import WINDOWS, never_called

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EIGHT_TO_NINE: Final = Calendar(start=time(8), stop=time(21))
NINE_TO_FIVE: Final = Calendar(start=time(9), stop=time(17))
CHANGES: Final = [date(2027, *day) for day in ((3, 14), (3, 28), (4, 4), (9, 5), (9, 26), (10, 3), (10, 31), (11, 7))]
DAYS: Final = [
    day
    for day in (date(2027, 1, 1) + timedelta(days=ahead) for ahead in range(365))
    if (day.toordinal() % 3 == SEEDS_FROM % 3 if IS_WHOLE else day.day == 12)
    or any(abs(day - change) <= timedelta(days=1) for change in CHANGES)
]
KINDS: Final = (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE)
OTHER_KINDS: Final = (
    PhoneNumberType.TOLL_FREE,
    PhoneNumberType.PREMIUM_RATE,
    PhoneNumberType.SHARED_COST,
    PhoneNumberType.VOIP,
    PhoneNumberType.PERSONAL_NUMBER,
    PhoneNumberType.PAGER,
    PhoneNumberType.UAN,
    PhoneNumberType.VOICEMAIL,
)
"""Kinds whose numbers are nationwide."""
NORTH_AMERICA: Final = 1
SHARED_BY_NORTH_AMERICA: Final = (*OTHER_KINDS[:2], PhoneNumberType.PERSONAL_NUMBER)
SHARES: Final = {"CC": "AU", "CX": "AU"}
"""Countries whose nationwide numbers are those of another one."""
OF_SEVEN_DIGITS: Final = "+13101234"
"""A number that is dialled within Canada only."""
ONE_LEGAL_TIME: Final = {"CN": "Asia/Shanghai", "UA": "Europe/Kyiv"}
"""Countries whose nationwide numbers have the legal time of the country."""
FIXED_LINES: Final = {
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "CD": "Africa/Kinshasa",
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "FM": "Pacific/Pohnpei",
    "GL": "America/Nuuk",
    "ID": "Asia/Jakarta",
    "MN": "Asia/Ulaanbaatar",
    "MX": "America/Mexico_City",
    "NZ": "Pacific/Auckland",
    "PG": "Pacific/Port_Moresby",
    "PT": "Europe/Lisbon",
    "RU": "Asia/Irkutsk",
    "UA": "Europe/Kyiv",
}
"""The zone where the example of a fixed line is, by the area code: in Russia 301 is Buryatia."""
MOBILES: Final = {
    "BR": "America/Sao_Paulo",
    "CC": "Australia/Perth",
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "CX": "Australia/Perth",
    "FM": "Pacific/Chuuk",
    "MX": "America/Mexico_City",
    "UA": "Europe/Kyiv",
}
"""Countries whose mobile numbers, or the examples of them, have area codes, or are those of Australia, or which have
one legal time."""


def examples() -> dict[str, tuple[str, ...]]:
    """Return an example of each country's fixed lines and mobiles, and of each area code, with its zones."""
    found: dict[str, tuple[str, ...]] = {}
    for region in sorted(phonenumbers.SUPPORTED_REGIONS - {"US", "CA"}):
        for kind, own in zip(KINDS, (FIXED_LINES, MOBILES), strict=True):
            example = phonenumbers.example_number_for_type(region, kind)
            if example is not None:
                number = phonenumbers.format_number(example, PhoneNumberFormat.E164)
                found[number] = (own[region],) if region in own else zones_of_countries()[region]
    for kind in OTHER_KINDS:
        found |= nationwide(kind)
    for state, codes in STATES.items():
        found |= {f"+1{code}5550100": ZONES[state] for code in codes.split()}
    return found


def nationwide(kind: int) -> dict[str, tuple[str, ...]]:
    """Return the example of a kind of each country, with all zones in which it may be."""
    found: dict[str, tuple[str, ...]] = {}
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        example = phonenumbers.example_number_for_type(region, kind)
        if example is not None:
            code = example.country_code or 0
            is_shared = code == NORTH_AMERICA and kind in SHARED_BY_NORTH_AMERICA
            regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[code] if is_shared else (SHARES.get(region, region),)
            zones = tuple(zone for one in regions for zone in zones_of_countries()[one])
            number = phonenumbers.format_number(example, PhoneNumberFormat.E164)
            found[number] = (ONE_LEGAL_TIME[region],) if region in ONE_LEGAL_TIME else zones
    return {number: zones for number, zones in found.items() if number != OF_SEVEN_DIGITS}


EXAMPLES: Final = examples()
GROUPS: Final = sorted({(zone_of_number(number), *zones): number for number, zones in EXAMPLES.items()}.values())
"""One number of each key and each answer of the oracle."""


def opened(calendar: Calendar, key: str, day: date) -> list[tuple[datetime, datetime]]:
    """Return the times at which a window opens on a day of UTC, and at which it closes."""
    begin = datetime.combine(day, time(0), tzinfo=UTC)
    at_ms, end_ms = (
        round((moment - EPOCH) / timedelta(milliseconds=1)) for moment in (begin, begin + timedelta(days=1))
    )
    found: list[tuple[datetime, datetime]] = []
    while at_ms < end_ms:
        window = window_at(calendar, key, at_ms, EIGHT_TO_NINE)
        if window.is_open:
            found.append((moment(at_ms), moment(window.until_ms)))
        at_ms = window.until_ms
    return found


def moment(at_ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=at_ms)


@pytest.mark.parametrize("calendar", [EIGHT_TO_NINE, NINE_TO_FIVE], ids=["8 to 21", "9 to 17"])
@pytest.mark.parametrize("number", GROUPS)
def test_nobody_is_called_outside_the_hours_of_any_zone(number: str, calendar: Calendar) -> None:
    key, zones = zone_of_number(number), [ZoneInfo(name) for name in EXAMPLES[number]]
    times = [found for day in DAYS for found in opened(calendar, key, day)]
    for begin, end in times:
        for zone in zones:
            first, last = begin.astimezone(zone), (end - timedelta(milliseconds=1)).astimezone(zone)
            assert calendar.start <= first.time(), (first, key)
            assert last.time() < calendar.stop, (last, key)
            assert first.date() == last.date()
    assert bool(times) is (NUMBER_ZONES.places.of(number) not in never(calendar))


@cache
def never(calendar: Calendar) -> set[NumberPlace]:
    """Return the places that a window never reaches, as `docs/reference/world.md` lists them with the reason."""
    return {row.place for row in never_called() if WINDOWS[row.window] == calendar}


@pytest.mark.parametrize("calendar", [EIGHT_TO_NINE, NINE_TO_FIVE], ids=["8 to 21", "9 to 17"])
def test_an_unknown_area_code_is_called_and_a_toll_free_number_not_from_nine_to_five(calendar: Calendar) -> None:
    """A toll-free number may be anywhere from Guam to Newfoundland."""
    keys = [zone_of_number(number) for number in ("+14365550100", "+18005550100")]
    day = date(2027, 7, 12)
    assert [bool(opened(calendar, key, day)) for key in keys] == [True, calendar is EIGHT_TO_NINE]


def test_the_oracle_has_nearly_every_area_code_of_phonenumbers() -> None:
    """Those without a row are newer than the oracle, or not in use."""
    known = {code for codes in STATES.values() for code in codes.split()}
    assert len(known) == sum(len(codes.split()) for codes in STATES.values())
    found = {str(area) for area in range(200, 1000) if _is_of_us_or_canada(area)}
    assert len(found - known) <= len(found) // 20, sorted(found - known)


def _is_of_us_or_canada(area: int) -> bool:
    number = phonenumbers.PhoneNumber(1, int(f"{area}5550100"))
    kind = phonenumbers.number_type(number)
    return kind == PhoneNumberType.FIXED_LINE_OR_MOBILE and phonenumbers.region_code_for_number(number) in {"US", "CA"}
