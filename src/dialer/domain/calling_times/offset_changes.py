"""The hours at which the clocks of time zones change, so that hours between them can be added up by local hour."""

from bisect import bisect_left
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

_HOUR_S: Final = 3_600
_DAY: Final = 24
"""Hours between two looks at a zone: no zone changes its clocks twice in a day."""


def offset_changes(zones: Iterable[tzinfo], first: int, last: int) -> list[int]:
    """Return the hours since the epoch, after `first` and up to `last`, that are the first with a new offset in a zone.

    Between two of them, the local hour in each zone depends only on the hour of the day in UTC.
    """
    found: set[int] = set()
    for zone in set(zones):
        before = _offset(zone, first)
        for until in range(first + _DAY, last + _DAY, _DAY):
            after = _offset(zone, until)
            if after != before:
                begin = until - _DAY + 1
                changed = [_offset(zone, hour) == after for hour in range(begin, until + 1)]
                found.add(begin + bisect_left(changed, True))  # noqa: FBT003 - the value that is looked for
            before = after
    return sorted(hour for hour in found if hour <= last)


def _offset(zone: tzinfo, hour: int) -> timedelta | None:
    return datetime.fromtimestamp(hour * _HOUR_S, UTC).astimezone(zone).utcoffset()
