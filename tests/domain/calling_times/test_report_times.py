"""Tests of the moments at which reports are due, with days on which clocks are put forward and back."""

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.report_times import ReportTimes, day_before, next_due_ms

BERLIN: Final = ZoneInfo("Europe/Berlin")
DAILY: Final = frozenset(range(7))
ZONES: Final = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo")
DAY_MS: Final = 86_400_000


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000


@pytest.mark.parametrize(
    ("time", "days", "after", "due"),
    [
        ((8, 0), DAILY, "2026-11-18T06:59:59Z", "2026-11-18T07:00:00Z"),
        ((8, 0), DAILY, "2026-11-18T07:00:00Z", "2026-11-19T07:00:00Z"),
        # Friday, and the Monday after it.
        ((8, 0), {0, 1, 2, 3, 4}, "2026-11-20T07:00:00Z", "2026-11-23T07:00:00Z"),
        # 02:30 does not exist on 28 March 2027: an hour later by the clock.
        ((2, 30), DAILY, "2027-03-27T12:00:00Z", "2027-03-28T01:30:00Z"),
        # 02:30 comes twice on 25 October 2026: the first one, and then the day after.
        ((2, 30), DAILY, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
        ((2, 30), DAILY, "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
    ],
)
def test_a_report_is_due_at_its_time_in_its_zone(
    time: tuple[int, int], days: frozenset[int], after: str, due: str
) -> None:
    assert next_due_ms(ReportTimes(*time, days, BERLIN), ms(after)) == ms(due)


def test_nothing_is_due_without_days() -> None:
    assert next_due_ms(ReportTimes(8, 0, frozenset(), BERLIN), 0) is None


@given(
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.integers(0, 59),
    st.frozensets(st.integers(0, 6), min_size=1),
    st.integers(ms("2005-01-01T00:00Z"), ms("2035-01-01T00:00Z")),
)
def test_each_day_has_one_moment_and_none_is_left_out(
    zone: str, hour: int, minute: int, days: frozenset[int], after_ms: int
) -> None:
    times = ReportTimes(hour, minute, days, ZoneInfo(zone))
    due_ms = next_due_ms(times, after_ms)
    assert due_ms is not None
    assert after_ms < due_ms <= after_ms + 9 * DAY_MS
    following = next_due_ms(times, due_ms)
    assert following is not None
    assert due_ms < following
    # No moment between is due, so a look at any time finds the same one.
    assert next_due_ms(times, due_ms - 1) == due_ms
    assert next_due_ms(times, (after_ms + due_ms) // 2) == due_ms
    local = datetime.fromtimestamp(due_ms / 1_000, UTC).astimezone(ZoneInfo(zone))
    if local.utcoffset() == (local - timedelta(days=1)).utcoffset():
        assert (local.hour, local.minute) == (hour, minute)
        assert local.weekday() in days


def test_the_day_before_has_as_many_hours_as_its_clock() -> None:
    first_ms, end_ms = day_before(ms("2027-03-29T06:00:00Z"), BERLIN)
    assert (first_ms, end_ms) == (ms("2027-03-27T23:00:00Z"), ms("2027-03-28T22:00:00Z"))
