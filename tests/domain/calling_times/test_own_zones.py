"""Tests of a person's own zones: they win over those of the number, and the laws of both countries hold."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calling_times.calling_windows import window_at
from dialer.domain.calling_times.own_zones import is_own_zones, own_zones, person_zone_key
from dialer.domain.calling_times.zone_spellings import zones_in_words
from dialer.domain.calling_times.zones import UNKNOWN, zone_of_number, zones_of_key

LONDON: Final = "+442079460018"
NEW_YORK: Final = "+12125550123"
HOURS: Final = CallingHours().hours


def is_open(own: str, number: str, at: str, zone: str) -> bool:
    """Return whether somebody may be called at a local time of a zone, on Tuesday 2027-01-12."""
    moment = datetime.fromisoformat(f"2027-01-12T{at}").replace(tzinfo=ZoneInfo(zone))
    key = person_zone_key(own, "", zone_of_number(number))
    return window_at(Calendar(), key, int(moment.timestamp()) * 1_000, HOURS).is_open


@pytest.mark.parametrize(
    ("own", "at", "zone", "expected"),
    [
        ("America/Vancouver", "20:30", "America/Vancouver", True),
        ("America/Vancouver", "07:59", "America/Vancouver", False),
        ("America/Vancouver", "08:01", "America/New_York", False),
        ("America/Chicago&America/New_York", "08:30", "America/New_York", False),
        ("America/Chicago&America/New_York", "09:30", "America/New_York", True),
        ("America/Chicago&America/New_York", "20:30", "America/Chicago", False),
        ("UTC-10:00", "08:30", "Pacific/Honolulu", True),
        ("UTC-10:00", "07:30", "Pacific/Honolulu", False),
        ("Europe/Madrid@FR", "12:30", "Europe/Madrid", True),
        ("Europe/Madrid@FR", "13:30", "Europe/Madrid", False),
        ("Europe/Paris", "12:30", "Europe/Paris", True),
        ("Europe/Paris", "13:30", "Europe/Paris", False),
    ],
)
def test_the_persons_clock_decides(own: str, at: str, zone: str, expected: bool) -> None:  # noqa: FBT001 - a value of the table
    assert is_open(own, NEW_YORK, at, zone) is expected


def test_a_country_alone_adds_its_law() -> None:
    """French law has a lunch break, wherever the number is from."""
    assert is_open("", LONDON, "13:30", "Europe/London")
    assert not is_open("@FR", LONDON, "13:30", "Europe/London")


@pytest.mark.parametrize("text", ["", "@FR", "Europe/Paris", "UTC+05:30", "UTC-05:00&America/New_York@US"])
def test_these_are_own_zones(text: str) -> None:
    assert is_own_zones(text)


@pytest.mark.parametrize(
    "text",
    ["x", "@", "@fr", "@FRA", "Europe/Paris@", "&", "a&b", "UTC+15:00", "/etc/passwd", "&".join(["Etc/UTC"] * 13)],
)
def test_these_are_none(text: str) -> None:
    assert not is_own_zones(text)
    assert text.startswith("@") or person_zone_key(text, "", "America/New_York") == UNKNOWN


def test_own_zones_are_written_once() -> None:
    assert own_zones(("America/Chicago", "America/Denver", "America/Chicago"), "US") == (
        "America/Chicago&America/Denver@US"
    )
    assert own_zones((), "US") == "@US"


def test_the_offset_counts_without_own_zones() -> None:
    assert zones_of_key(person_zone_key("", "-5", "Europe/London")) == ("UTC-05:00",)
    assert zones_of_key(person_zone_key("America/Denver", "-5", "Europe/London")) == ("America/Denver",)


@pytest.mark.parametrize(
    ("text", "number", "zones"),
    [
        ("America/New_York", NEW_YORK, ("America/New_York",)),
        ("America/New York", NEW_YORK, ("America/New_York",)),
        ("UTC-5", LONDON, ("UTC-05:00",)),
        ("GMT+05:30", LONDON, ("UTC+05:30",)),
        ("utc +0545", LONDON, ("UTC+05:45",)),
        ("\u22123", LONDON, ("UTC-03:00",)),
        ("-05:00", LONDON, ("UTC-05:00",)),
        ("UTC", LONDON, ("UTC+00:00",)),
        ("EST", NEW_YORK, ("America/New_York",)),
        ("Eastern Time", NEW_YORK, ("America/New_York",)),
        ("MST", NEW_YORK, ("America/Denver", "America/Phoenix", "America/Edmonton")),
        ("Pacific", NEW_YORK, ("America/Los_Angeles", "America/Vancouver")),
        ("EST", LONDON, ()),
        ("IST", LONDON, ()),
        ("UTC+15", LONDON, ()),
        ("5", LONDON, ()),
        ("gold", NEW_YORK, ()),
        ("../../etc/passwd", LONDON, ()),
    ],
)
def test_zones_are_read_as_people_write_them(text: str, number: str, zones: tuple[str, ...]) -> None:
    assert zones_in_words(text, number) == zones
