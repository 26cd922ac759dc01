"""Tests of the zones of numbers."""

import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import timezone

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.zones import (
    UNKNOWN,
    fixed_offset_minutes,
    is_zone,
    zone_key,
    zone_of_number,
    zone_of_offset,
)
from tests.domain.numbers.numbering import examples, numbers, parsed_by_the_library


@pytest.mark.parametrize(
    ("number", "zone"),
    [
        ("+33199001234", "Europe/Paris"),
        ("+12025550100", "America/New_York"),
        ("+19075550100", "America/Adak&America/Anchorage"),
        ("+447700900123", "Europe/Guernsey&Europe/Isle_of_Man&Europe/London"),
        ("12025550100", ""),
        ("+999123456", ""),
        ("+", ""),
    ],
)
def test_the_zone_of_a_number_is_every_one_it_may_be_in(number: str, zone: str) -> None:
    assert zone_of_number(number) == zone


@given(numbers())
def test_the_zones_of_a_number_are_those_of_its_numbering_plan(number: str) -> None:
    assert zone_of_number(number) == by_the_library(number)


def test_so_are_those_of_every_example_of_every_plan() -> None:
    for number in examples():
        assert zone_of_number(number) == by_the_library(number), number


def by_the_library(number: str) -> str:
    """Return the zones by the library: of the number if its type is known, else of the place of its first digits."""
    parsed = parsed_by_the_library(number)
    if parsed is None:
        return ""
    zones = {*timezone.time_zones_for_number(parsed)}
    if timezone.UNKNOWN_TIMEZONE in zones:
        zones = {*timezone.time_zones_for_geographical_number(parsed)}
    if number.startswith("+617"):
        zones.add("Australia/Brisbane")
    return "&".join(sorted(zones - {timezone.UNKNOWN_TIMEZONE}))


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
        ("America/New_York", "", "Europe/Paris", "CA", "America/New_York@CA&FR"),
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
