"""Tests of the zones of numbers."""

import zoneinfo
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import (
    UNKNOWN,
    fixed_offset_minutes,
    is_zone,
    zone_key,
    zone_of_number,
    zone_of_offset,
    zones_of_key,
)
from dialer.domain.places.places import Places
from tests.domain.numbers.numbering import numbers

ALL_OF_NORTH_AMERICA: Final = (
    "America/Adak&America/Anchorage&America/Blanc-Sablon&America/Chicago&America/Denver"
    "&America/Halifax&America/Los_Angeles&America/Regina&America/St_Johns&America/Toronto&America/Vancouver"
    "&America/Winnipeg&Pacific/Honolulu"
)


@pytest.mark.parametrize(
    ("number", "zone"),
    [
        ("+33199001234", "Europe/Paris"),
        ("+12025550100", "America/New_York"),
        ("+19075550100", "America/Adak&America/Anchorage"),
        ("+447700900123", "Europe/London"),
        ("+447781123456", "Europe/Guernsey"),
        ("+213551234567", "Africa/Algiers"),
        ("+77012345678", "Asia/Almaty"),
        ("+18765551234", "America/Jamaica"),
        ("+18505550100", "America/Chicago&America/New_York"),
        ("+12505550100", "America/Edmonton&America/Vancouver"),
        ("+19075815555", "America/Anchorage"),
        ("+18679835555", "America/Cambridge_Bay"),
        ("+6281234567890", "Asia/Jakarta&Asia/Jayapura&Asia/Makassar"),
        ("+56221234567", "America/Santiago"),
        ("+5591912345678", "America/Sao_Paulo"),
        ("+80012345678", ""),
        ("+1", ALL_OF_NORTH_AMERICA),
        ("+14365550100", ALL_OF_NORTH_AMERICA),
        ("12025550100", ""),
        ("+999123456", ""),
        ("+", ""),
    ],
)
def test_the_zone_of_a_number_is_every_one_it_may_be_in(number: str, zone: str) -> None:
    assert zone_of_number(number) == zone


@given(numbers())
def test_a_number_is_looked_up_as_its_row_says(number: str) -> None:
    place = Places().of(number)
    assert zones_of_key(zone_of_number(number)) == (("",) if place is None else place.zones)


@pytest.mark.parametrize(
    ("offset", "zone"),
    [
        ("0", "UTC+00:00"),
        ("-5", "UTC-05:00"),
        ("+5.5", "UTC+05:30"),
        ("5.75", "UTC+05:45"),
        ("-0.5", "UTC-00:30"),
        ("14", "UTC+14:00"),
        ("14.25", None),
        ("", None),
        ("x", None),
        ("5:30", None),
        ("1e1", None),
        ("٣", None),
    ],
)
def test_an_offset_in_hours_is_a_zone(offset: str, zone: str | None) -> None:
    assert zone_of_offset(offset) == zone


@given(st.integers(-14 * 60, 14 * 60))
def test_an_offset_is_read_as_it_is_written(minutes: int) -> None:
    """Two decimals of an hour are exact for quarters of an hour, which all zones use."""
    minutes -= minutes % 15
    key = zone_of_offset(f"{minutes / 60:+.2f}")
    assert key is not None
    assert fixed_offset_minutes(key) == minutes


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Nowhere",
        "../etc/passwd",
        "/etc/localtime",
        "Europe",
        "Europe/Paris\0",
        "a" * 5_000,
        "localtime",
        "posixrules",
        "Factory",
        "right/UTC",
        "posix/Europe/Paris",
    ],
)
def test_an_invalid_zone(name: str) -> None:
    assert not is_zone(name)


def test_every_zone_that_iana_names_is_one() -> None:
    named = zoneinfo.available_timezones() - {"localtime", "Factory"}
    assert {name for name in named if not is_zone(name)} == set()


@pytest.mark.parametrize(
    ("tz_code", "gmt_offset", "number_zone", "key"),
    [
        ("Asia/Tokyo", "-5", "Europe/Paris", "Asia/Tokyo@FR"),
        ("", "-5", "Europe/Paris", "UTC-05:00@FR"),
        ("", "", "Europe/Paris", "Europe/Paris"),
        ("", "", "", ""),
        ("Nowhere", "-5", "Europe/Paris", UNKNOWN),
        ("", "noon", "Europe/Paris", UNKNOWN),
    ],
)
def test_the_subscribers_own_zone_wins_then_the_offset_then_the_number(
    tz_code: str, gmt_offset: str, number_zone: str, key: str
) -> None:
    assert zone_key(tz_code=tz_code, gmt_offset=gmt_offset, number_zone=number_zone) == key


@pytest.mark.parametrize(
    ("tz_code", "gmt_offset", "number_zone", "country", "key"),
    [
        ("", "", "Europe/Berlin", "FR", "Europe/Berlin@FR"),
        ("", "", "Europe/Berlin", "DE", "Europe/Berlin"),
        ("", "", "Europe/Paris", "FR", "Europe/Paris"),
        ("", "+1", "Europe/Berlin", "FR", "UTC+01:00@FR"),
        ("America/New_York", "", "Europe/Paris", "CA", "America/New_York@CA&FR&US"),
        ("", "", "", "FR", ""),
    ],
)
def test_the_country_of_a_person_adds_its_calling_hours(
    tz_code: str, gmt_offset: str, number_zone: str, country: str, key: str
) -> None:
    assert zone_key(tz_code=tz_code, gmt_offset=gmt_offset, number_zone=number_zone, country=country) == key


@given(st.text(), st.text() | st.from_regex(r"\A[+-]?[0-9]{1,2}(\.[0-9]{1,2})?\Z"))
def test_any_key_but_the_unknown_one_has_windows(tz_code: str, gmt_offset: str) -> None:
    key = zone_key(tz_code=tz_code, gmt_offset=gmt_offset, number_zone="Europe/Paris")
    if key != UNKNOWN:
        assert window_at(Calendar(weekdays=(True,) * 6 + (False,)), key, 0).until_ms > 0
