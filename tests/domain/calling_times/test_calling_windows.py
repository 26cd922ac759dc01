"""Tests of calling windows, compared with an oracle that reads a wall clock.

The oracle does not use transitions. It reads the wall clock at an instant. An hour is repeated if the wall clock showed
its time before, on that day, within three hours.
"""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times import calling_windows as windows_module
from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import DAYS_AHEAD_MAX, Window, Windows, window_at

MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000
END_OF_DAY: Final = time(23, 59, 59)
WORKDAYS: Final = (True, True, True, True, True, False, False)
EVERY_DAY: Final = (True,) * 7

ZONES: Final = (
    "UTC",
    "America/New_York",
    "America/St_Johns",  # half an hour off, changes at 2
    "America/Havana",  # midnight comes twice, or never
    "America/Santiago",  # changes at midnight
    "Europe/London",
    "Europe/Paris",
    "Africa/Cairo",  # changes at midnight
    "Africa/Casablanca",  # changes twice around Ramadan
    "Asia/Beirut",  # midnight never comes in spring
    "Asia/Kathmandu",
    "Asia/Gaza",
    "Australia/Lord_Howe",  # changes by half an hour
    "Pacific/Chatham",
    "Pacific/Apia",
    "America/Los_Angeles&America/New_York",
    "Europe/Guernsey&Europe/Isle_of_Man&Europe/London",
    "America/Adak&America/Anchorage",
    "UTC+05:30",
    "UTC-09:30",
)
# Instants around which some of these zones change their offset, in 2026 and 2027.
TRANSITIONS: Final = [
    datetime(2026, 3, 8, 7, tzinfo=UTC),
    datetime(2026, 3, 8, 5, tzinfo=UTC),
    datetime(2026, 3, 28, 22, tzinfo=UTC),
    datetime(2026, 3, 29, 1, tzinfo=UTC),
    datetime(2026, 4, 4, 15, tzinfo=UTC),
    datetime(2026, 4, 5, 3, tzinfo=UTC),
    datetime(2026, 4, 23, 22, tzinfo=UTC),
    datetime(2026, 9, 6, 4, tzinfo=UTC),
    datetime(2026, 10, 3, 15, tzinfo=UTC),
    datetime(2026, 10, 24, 21, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 10, 29, 21, tzinfo=UTC),
    datetime(2026, 11, 1, 6, tzinfo=UTC),
    datetime(2026, 11, 1, 5, tzinfo=UTC),
    datetime(2027, 2, 7, 2, tzinfo=UTC),
    datetime(2027, 3, 14, 2, tzinfo=UTC),
]


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def wall(zone: str, at_ms: int) -> datetime:
    """Return the wall clock of a zone at a moment."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    if zone.startswith("UTC") and zone != "UTC":
        hours, minutes = int(zone[4:6]), int(zone[7:9])
        offset = timedelta(hours=hours, minutes=minutes)
        return (moment + (offset if zone[3] == "+" else -offset)).replace(tzinfo=None)
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def may_call(calendar: Calendar, zone: str, at_ms: int) -> bool:
    now = wall(zone, at_ms)
    if any(wall(zone, at_ms - earlier * 30 * MINUTE_MS) == now for earlier in range(1, 7)):
        return False
    if not calendar.weekdays[now.weekday()]:
        return False
    stop = time(23, 59, 59, 999_999) if calendar.stop == END_OF_DAY else calendar.stop
    if calendar.start < stop:
        return calendar.start <= now.time() < stop or now.time() == stop == time.max
    return now.time() >= calendar.start or now.time() < stop


def may_call_in_all(calendar: Calendar, zone_key: str, at_ms: int) -> bool:
    return all(may_call(calendar, zone, at_ms) for zone in zone_key.split("&"))


times = st.one_of(
    st.sampled_from([time(0), time(0, 30), time(1), time(1, 30), time(2), time(2, 30), time(3), END_OF_DAY]),
    st.times().map(lambda moment: moment.replace(microsecond=0)),
)
calendars = st.builds(
    Calendar,
    weekdays=st.tuples(*[st.booleans()] * 7) | st.just(EVERY_DAY),
    start=times,
    stop=times,
).filter(lambda calendar: calendar.start != calendar.stop and not calendar.is_always)
instants = st.one_of(
    st.tuples(st.sampled_from(TRANSITIONS).map(milliseconds), st.integers(-3 * 60, 3 * 60)).map(
        lambda pair: pair[0] + pair[1] * MINUTE_MS
    ),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)).map(milliseconds),  # noqa: DTZ001 - the strategy wants bounds without a zone
)


@given(calendars, st.sampled_from(ZONES), instants)
def test_it_is_open_exactly_when_the_clock_on_the_wall_says_so(calendar: Calendar, zone: str, at_ms: int) -> None:
    assert window_at(calendar, zone, at_ms).is_open is may_call_in_all(calendar, zone, at_ms)


@given(calendars, st.sampled_from(ZONES), instants, st.floats(0, 1, exclude_max=True))
def test_nothing_changes_before_it_says_so(calendar: Calendar, zone: str, at_ms: int, part: float) -> None:
    window = window_at(calendar, zone, at_ms)
    assert at_ms < window.until_ms
    between_ms = at_ms + int((window.until_ms - at_ms) * part)
    for moment_ms in (between_ms, window.until_ms - 1):
        assert may_call_in_all(calendar, zone, moment_ms) is window.is_open


@given(calendars, st.sampled_from([zone for zone in ZONES if "&" not in zone]), instants)
def test_it_changes_when_it_says_so(calendar: Calendar, zone: str, at_ms: int) -> None:
    """The search for the change ends after nine days."""
    window = window_at(calendar, zone, at_ms)
    if window.until_ms - at_ms < DAYS_AHEAD_MAX * DAY_MS:
        assert may_call(calendar, zone, window.until_ms) is not window.is_open


def window(calendar: Calendar, zone: str, moment: str) -> tuple[bool, str]:
    """Return whether a window is open, and until when by the wall clock of the first zone."""
    found = window_at(calendar, zone, milliseconds(datetime.fromisoformat(moment)))
    return found.is_open, wall(zone.split("&", maxsplit=1)[0], found.until_ms).isoformat(" ", "minutes")


OFFICE: Final = Calendar(WORKDAYS, time(9), time(18))


@pytest.mark.parametrize(
    ("calendar", "zone", "moment", "expected"),
    [
        (OFFICE, "Europe/Paris", "2026-11-20T08:00:00Z", (True, "2026-11-20 18:00")),
        (OFFICE, "Europe/Paris", "2026-11-20T07:59:59.999Z", (False, "2026-11-20 09:00")),
        (OFFICE, "Europe/Paris", "2026-11-20T17:00:00Z", (False, "2026-11-23 09:00")),
        (OFFICE, "UTC+05:30", "2026-11-20T03:30:00Z", (True, "2026-11-20 18:00")),
        # A window over midnight: each day of the calendar is a day of its own.
        (Calendar(EVERY_DAY, time(22), time(2)), "UTC", "2026-11-20T23:00:00Z", (True, "2026-11-21 02:00")),
        (Calendar(WORKDAYS, time(22), time(2)), "UTC", "2026-11-20T23:00:00Z", (True, "2026-11-21 00:00")),
        # In New York, 02:30 does not exist on 8 March 2026: the clock goes from 02:00 to 03:00.
        (
            Calendar(EVERY_DAY, time(2, 30), time(12)),
            "America/New_York",
            "2026-03-08T06:59:00Z",
            (False, "2026-03-08 03:00"),
        ),
        (
            Calendar(EVERY_DAY, time(2, 30), time(2, 45)),
            "America/New_York",
            "2026-03-08T06:59:00Z",
            (False, "2026-03-09 02:30"),
        ),
        # There, the hour from 01:00 comes twice on 1 November 2026, and counts once.
        (Calendar(EVERY_DAY, time(1), time(2)), "America/New_York", "2026-11-01T05:00:00Z", (True, "2026-11-01 01:00")),
        (
            Calendar(EVERY_DAY, time(1), time(2)),
            "America/New_York",
            "2026-11-01T06:00:00Z",
            (False, "2026-11-02 01:00"),
        ),
        (
            Calendar(EVERY_DAY, time(1), time(9)),
            "America/New_York",
            "2026-11-01T06:30:00Z",
            (False, "2026-11-01 02:00"),
        ),
        # Open in both: from 09:00 on the west coast, until 18:00 on the east coast.
        (OFFICE, "America/Los_Angeles&America/New_York", "2026-11-20T16:00:00Z", (False, "2026-11-20 09:00")),
        (OFFICE, "America/Los_Angeles&America/New_York", "2026-11-20T17:00:00Z", (True, "2026-11-20 15:00")),
    ],
)
def test_windows_worked_out_by_hand(calendar: Calendar, zone: str, moment: str, expected: tuple[bool, str]) -> None:
    assert window(calendar, zone, moment) == expected


def test_a_calendar_that_forbids_nothing_is_always_open_even_when_an_hour_comes_twice() -> None:
    at_ms = milliseconds(datetime(2026, 11, 1, 6, 30, tzinfo=UTC))
    assert window_at(Calendar(), "America/New_York", at_ms) == Window(
        is_open=True, until_ms=at_ms + DAYS_AHEAD_MAX * DAY_MS
    )


def test_a_calendar_without_a_weekday_never_opens() -> None:
    assert window_at(Calendar((False,) * 7), "UTC", 0) == Window(is_open=False, until_ms=DAYS_AHEAD_MAX * DAY_MS)


def test_a_window_that_ends_where_it_begins_never_opens() -> None:
    calendar = Calendar(start=time(9), stop=time(9))
    days = windows_module.RULES_AGREE_TRIES_MAX * DAYS_AHEAD_MAX
    assert window_at(calendar, "UTC", 0) == Window(is_open=False, until_ms=days * DAY_MS)


def test_zones_whose_windows_never_meet_are_never_open() -> None:
    """Both windows are 15 minutes at 09:00, in zones an ocean apart."""
    breakfast = Calendar(EVERY_DAY, time(9), time(9, 15))
    at_ms = milliseconds(datetime(2026, 11, 20, tzinfo=UTC))
    for _ in range(5):
        found = window_at(breakfast, "America/New_York&Europe/London", at_ms)
        assert not found.is_open
        assert found.until_ms > at_ms
        at_ms = found.until_ms


@given(calendars, st.lists(instants, max_size=5))
def test_cached_windows_equal_fresh_ones(calendar: Calendar, moments: list[int]) -> None:
    """At increasing times, the cached state is right, and stays right until the moment that it names."""
    windows = Windows()
    for at_ms in sorted(moments):
        for zone in ("Europe/Paris", "America/Los_Angeles&America/New_York"):
            kept, anew = windows.at(calendar, zone, at_ms), window_at(calendar, zone, at_ms)
            assert kept.is_open is anew.is_open
            assert at_ms < kept.until_ms <= anew.until_ms


def test_many_windows_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows_module, "WINDOWS_KEPT_MAX", 2)
    windows = Windows()
    found = [windows.at(OFFICE, zone, 0) for zone in ZONES * 2]
    assert found == [window_at(OFFICE, zone, 0) for zone in ZONES * 2]
