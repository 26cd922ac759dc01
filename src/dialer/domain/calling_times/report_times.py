"""The moments at which a report is due: at one time of the day, on some days of the week, in one time zone."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

DAYS_AHEAD: Final = 9
"""Days among which the next moment is: a week, a day for the zone, and one that a zone may leave out."""
_SECOND_MS: Final = 1_000


class ReportTimes(NamedTuple):
    """The time of the day, the days of the week from Monday (0) to Sunday (6), and the zone of both."""

    hour: int
    minute: int
    days: Collection[int]
    zone: ZoneInfo


def next_due_ms(times: ReportTimes, after_ms: int) -> int | None:
    """Return the first moment after `after_ms` at which a report is due; None without days.

    A time that the clock leaves out on its day, as 02:30 when summer begins, comes as much later as the clock is put
    forward. One that comes twice counts the first time.
    """
    begin = datetime.fromtimestamp(after_ms / _SECOND_MS, UTC).astimezone(times.zone).date() - timedelta(days=1)
    for ahead in range(DAYS_AHEAD + 1):
        day = begin + timedelta(days=ahead)
        if day.weekday() in times.days:
            local = datetime(day.year, day.month, day.day, times.hour, times.minute, tzinfo=times.zone)
            due_ms = int(local.timestamp()) * _SECOND_MS
            if due_ms > after_ms:
                return due_ms
    return None


def day_before(due_ms: int, zone: ZoneInfo) -> tuple[int, int]:
    """Return the beginning and the end of the day before the one of a moment, in milliseconds."""
    today = datetime.fromtimestamp(due_ms / _SECOND_MS, UTC).astimezone(zone).date()
    first, end = (
        datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() for day in (today - timedelta(days=1), today)
    )
    return int(first) * _SECOND_MS, int(end) * _SECOND_MS
