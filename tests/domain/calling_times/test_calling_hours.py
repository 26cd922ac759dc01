"""Tests of the service's calling hours and of those of countries, for every day of a year.

2026 has both changes of the clocks in the north, and both in the south. The oracle reads wall clocks only.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import CallingHours, read_calling_hours
from dialer.domain.calling_times.calling_windows import Windows, window_at
from dialer.domain.calling_times.country_hours import COUNTRY_HOURS
from dialer.domain.calling_times.zones import countries_of_key, is_zone_key, zone_key, zone_of_number
from tests.domain.calling_times.test_calling_windows import ZONES, calendars, may_call_in_all

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
END: Final = datetime(2027, 1, 1, tzinfo=UTC)
EIGHT_TO_NINE: Final = Calendar(start=time(8), stop=time(21))
STEP: Final = timedelta(minutes=30)
SATURDAY: Final = 5
SUNDAY: Final = 6
FRENCH_HOLIDAYS: Final = (
    *("01-01", "04-06", "05-01", "05-08", "05-14", "05-25"),
    *("07-14", "08-15", "11-01", "11-11", "12-25"),
)
SPANISH_HOLIDAYS: Final = ("01-01", "01-06", "04-03", "05-01", "08-15", "10-12", "12-08", "12-25")
AUSTRALIAN_HOLIDAYS: Final = ("01-01", "01-26", "04-03", "04-06", "04-25", "12-25", "12-26", "12-28")
"""26 December 2026 is a Saturday, so Monday 28 is off."""


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def is_on(day: date, holidays: tuple[str, ...]) -> bool:
    return f"{day:%m-%d}" in holidays


def in_france(local: datetime) -> bool:
    is_closed = local.weekday() >= SATURDAY or is_on(local.date(), FRENCH_HOLIDAYS)
    return not is_closed and (time(10) <= local.time() < time(13) or time(14) <= local.time() < time(20))


def in_spain(local: datetime) -> bool:
    is_closed = local.weekday() >= SATURDAY or is_on(local.date(), SPANISH_HOLIDAYS)
    return not is_closed and time(9) <= local.time() < time(21)


def in_canada(local: datetime) -> bool:
    if local.weekday() >= SATURDAY:
        return time(10) <= local.time() < time(18)
    return time(9) <= local.time() < time(21, 30)


def in_australia(local: datetime) -> bool:
    if local.weekday() == SUNDAY or is_on(local.date(), AUSTRALIAN_HOLIDAYS):
        return False
    return time(9) <= local.time() < (time(17) if local.weekday() == SATURDAY else time(20))


def anywhere(_local: datetime) -> bool:
    return True


COUNTRIES: Final[dict[str, Callable[[datetime], bool]]] = {
    "Europe/Paris": in_france,
    "Europe/Madrid": in_spain,
    "Atlantic/Canary": in_spain,
    "America/St_Johns": in_canada,
    "America/Toronto": in_canada,
    "America/Vancouver": in_canada,
    "Australia/Lord_Howe": in_australia,
    "Australia/Sydney": in_australia,
}


def offset_or_zone(name: str) -> str:
    """Return the name of a zone that `zoneinfo` knows; a fixed offset in minutes has none."""
    return name if not name.startswith("UTC") or name == "UTC" else ""


SWEPT: Final = sorted({*filter(offset_or_zone, (name for key in ZONES for name in key.split("&"))), *COUNTRIES})


@pytest.mark.parametrize("zone", SWEPT)
def test_no_hour_of_a_year_outside_the_calling_hours_is_open(zone: str) -> None:
    """Every half hour, and every moment at which the window changes and the one before."""
    windows, local_zone, is_allowed = Windows(), ZoneInfo(zone), COUNTRIES.get(zone, anywhere)
    moments = [BEGIN + STEP * step for step in range((END - BEGIN) // STEP)]
    opened = changes = 0
    last_until_ms = 0
    for moment in moments:
        at_ms = milliseconds(moment)
        window = windows.at(Calendar(), zone, at_ms, EIGHT_TO_NINE)
        local = moment.astimezone(local_zone)
        expected = time(8) <= local.time() < time(21) and is_allowed(local)
        assert window.is_open is expected, local
        opened += window.is_open
        if window.until_ms != last_until_ms:
            last_until_ms = window.until_ms
            changes += 1
            before = EPOCH + timedelta(milliseconds=window.until_ms - 1)
            after = EPOCH + timedelta(milliseconds=window.until_ms)
            for when, is_open in ((before, window.is_open), (after, not window.is_open)):
                there = when.astimezone(local_zone)
                assert (time(8) <= there.time() < time(21) and is_allowed(there)) is is_open, there
    assert opened > len(moments) // 5
    assert changes > 365


@given(calendars | st.just(Calendar()), st.sampled_from(ZONES), st.integers(milliseconds(BEGIN), milliseconds(END)))
def test_a_window_is_open_only_if_the_campaign_and_the_service_allow_it(
    calendar: Calendar, zone: str, at_ms: int
) -> None:
    window = window_at(calendar, zone, at_ms, EIGHT_TO_NINE)
    assert window.until_ms > at_ms
    if window.is_open:
        assert may_call_in_all(EIGHT_TO_NINE, zone, at_ms)
        assert calendar.is_always or may_call_in_all(calendar, zone, at_ms)
    else:
        narrowed = bool(countries_of_key(zone))
        is_allowed = calendar.is_always or may_call_in_all(calendar, zone, at_ms)
        assert narrowed or not (is_allowed and may_call_in_all(EIGHT_TO_NINE, zone, at_ms))


def test_a_campaign_at_night_never_calls() -> None:
    night, at_ms = Calendar(start=time(22), stop=time(2)), milliseconds(BEGIN)
    for _ in range(20):
        window = window_at(night, "Europe/Berlin", at_ms, EIGHT_TO_NINE)
        assert not window.is_open
        assert window.until_ms > at_ms
        at_ms = window.until_ms


def test_a_wider_limit_of_the_service_does_not_widen_that_of_a_country() -> None:
    """It is 07:30 in New York, in Berlin and in Paris, on Monday 2 March."""
    early = Calendar(start=time(6), stop=time(23))
    found = [
        window_at(Calendar(), zone, milliseconds(datetime(2026, 3, 2, 7, 30, tzinfo=ZoneInfo(zone))), early).is_open
        for zone in ("America/New_York", "Europe/Berlin", "Europe/Paris")
    ]
    assert found == [False, True, False]


def test_a_number_keeps_the_hours_of_its_country_in_a_zone_that_is_given() -> None:
    """It is Saturday noon in Paris, and the number is French."""
    number_zone = zone_of_number("+33140000000")
    keys = [
        zone_key(tz_code="", gmt_offset="+1", number_zone=number_zone),
        zone_key(tz_code="Europe/Berlin", gmt_offset="", number_zone=number_zone),
        zone_key(tz_code="Europe/Paris", gmt_offset="", number_zone=number_zone),
        zone_key(tz_code="Europe/Berlin", gmt_offset="", number_zone="Europe/Berlin"),
    ]
    assert keys == ["UTC+01:00@FR", "Europe/Berlin@FR", "Europe/Paris", "Europe/Berlin"]
    assert all(map(is_zone_key, keys))
    noon_ms = milliseconds(datetime(2026, 3, 7, 11, tzinfo=UTC))
    assert [window_at(Calendar(), key, noon_ms, EIGHT_TO_NINE).is_open for key in keys] == [False, False, False, True]
    assert not is_zone_key("Europe/Berlin@XX")


LAW_OF_NUMBERS: Final = {
    "+213551234567": (),
    "+212650123456": (),
    "+50581234567": (),
    "+18765551234": (),
    "+12025550100": ("US",),
    "+14165550100": ("CA",),
    "+14365550100": ("CA", "US"),
    "+18005550100": ("CA", "US"),
    "+17875550100": ("US",),
    "+16715550100": ("US",),
    "+590690001234": ("FR",),
    "+262639012345": ("FR",),
    "+68987123456": (),
    "+61891641234": ("AU",),
    "+672322123": ("AU",),
    "+34922123456": ("ES",),
    "+4915112345678": (),
}


@pytest.mark.parametrize(("number", "countries"), LAW_OF_NUMBERS.items())
def test_the_law_is_that_of_the_number_s_country(number: str, countries: tuple[str, ...]) -> None:
    assert countries_of_key(zone_of_number(number)) == countries


@pytest.mark.parametrize(
    ("key", "countries"),
    [
        ("", ()),
        ("Europe/Paris", ("FR",)),
        ("US/Eastern", ("US",)),
        ("America/Coral_Harbour", ("CA",)),
        ("Africa/Algiers", ()),
        ("EST5EDT", ()),
        ("UTC+01:00", ()),
        ("UTC+01:00@FR", ("FR",)),
        ("Europe/Paris@", ()),
        ("America/Chicago&America/Winnipeg", ("CA", "US")),
    ],
)
def test_a_key_without_countries_has_those_of_its_zones(key: str, countries: tuple[str, ...]) -> None:
    assert countries_of_key(key) == countries
    assert is_zone_key(key)


def test_every_law_has_its_source() -> None:
    assert all(row.source and row.in_words for row in COUNTRY_HOURS)
    assert all(bool(row.territories) == bool(row.territories_source) for row in COUNTRY_HOURS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, CallingHours()),
        ("off", CallingHours(None, for_simulated=True)),
        ("09:30-17:00", CallingHours(Calendar(start=time(9, 30), stop=time(17)), for_simulated=True)),
        ("00:00-23:59", CallingHours(Calendar(start=time(0), stop=time(23, 59)), for_simulated=True)),
    ],
)
def test_the_hours_are_read(text: str | None, expected: CallingHours) -> None:
    assert read_calling_hours(text) == expected


def test_simulated_gateways_have_no_hours_unless_an_administrator_sets_some() -> None:
    set_hours = read_calling_hours("09:00-17:00")
    found = [hours.over(is_simulated=one) for hours in (CallingHours(), set_hours) for one in (True, False)]
    assert found == [None, EIGHT_TO_NINE, set_hours.hours, set_hours.hours]


def test_the_page_about_calling_hours_has_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "calling-hours.md").read_text("utf-8")
    assert [line for line in page.splitlines() if line.startswith("| ")][1:] == [
        f"| {row.name} | {row.in_words} | {row.source} |" for row in COUNTRY_HOURS
    ]
