"""Calling windows: whether a callee may be called now, and the time at which that changes.

The callee's wall clock decides about a campaign's daily window. The window is open on selected weekdays, from the start
(inclusive) to the stop (exclusive; 23:59:59 stands for the end of the day). A stop before the start spans midnight.
Daylight saving time skips some wall time: a window that would begin there begins after it. An hour that occurs twice
counts the first time only.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from dialer.domain.zones import fixed_offset_minutes

DAYS_AHEAD_MAX: Final = 9
"""Days in which the next change is searched: a week, and a day on either side for time zones."""
DAYS_NEAR: Final = 3
"""Days in which the next change is searched first."""
ZONES_AGREE_TRIES_MAX: Final = 32
"""Number of openings that are tried until one suits every candidate zone."""
WINDOWS_KEPT_MAX: Final = 65_536
_DAY_MS: Final = 86_400_000
_END_OF_DAY: Final = time(23, 59, 59)


class Calendar(msgspec.Struct, frozen=True):
    """The hours in which a campaign may call: seven weekdays from Monday, and a daily window in wall time."""

    weekdays: tuple[bool, bool, bool, bool, bool, bool, bool] = (True,) * 7
    start: time = time(0, 0, 0)
    stop: time = _END_OF_DAY

    @property
    def is_always(self) -> bool:
        """Return whether calling is allowed at any time."""
        return all(self.weekdays) and self.start == time(0, 0, 0) and self.stop == _END_OF_DAY


class Window(msgspec.Struct, frozen=True):
    """The state of a calling window, and the time until which it holds, in milliseconds since the epoch."""

    is_open: bool
    until_ms: int


def window_at(calendar: Calendar, zone_key: str, now_ms: int) -> Window:
    """Return the state of a calendar for a zone key at `now_ms`.

    With several candidate zones the window is open only while it is open in all of them. A window that does not open
    within nine days counts as closed until then, and is checked again.
    """
    if calendar.is_always:
        return Window(is_open=True, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)
    if not any(calendar.weekdays):
        return Window(is_open=False, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)
    zones = _zones(zone_key)
    at_ms = now_ms
    for _ in range(ZONES_AGREE_TRIES_MAX):
        windows = [_window_in_zone(calendar, zone, at_ms) for zone in zones]
        closed = [window.until_ms for window in windows if not window.is_open]
        if not closed:
            if at_ms == now_ms:
                return Window(is_open=True, until_ms=min(window.until_ms for window in windows))
            break
        at_ms = max(closed)
    return Window(is_open=False, until_ms=at_ms)


class Windows:
    """A cache of windows, each kept until its state changes. Times must never decrease from call to call."""

    def __init__(self) -> None:
        self._known: dict[tuple[Calendar, str], Window] = {}

    def at(self, calendar: Calendar, zone_key: str, now_ms: int) -> Window:
        """Return the result of `window_at`."""
        known = self._known.get((calendar, zone_key))
        if known is None or now_ms >= known.until_ms:
            if len(self._known) >= WINDOWS_KEPT_MAX:
                self._known.clear()
            known = self._known[calendar, zone_key] = window_at(calendar, zone_key, now_ms)
        return known


@lru_cache(maxsize=4_096)
def _zones(zone_key: str) -> tuple[tzinfo, ...]:
    minutes = fixed_offset_minutes(zone_key)
    if minutes is not None:
        return (timezone(timedelta(minutes=minutes)),)
    return tuple(ZoneInfo(name) for name in zone_key.split("&"))


def _window_in_zone(calendar: Calendar, zone: tzinfo, now_ms: int) -> Window:
    is_open = _is_open(calendar, zone, now_ms)
    # Most windows change within a day, so days further ahead are searched only if needed.
    for days in (DAYS_NEAR, DAYS_AHEAD_MAX):
        near_ms = now_ms + (days - 1) * _DAY_MS
        for at_ms in _boundaries(calendar, zone, now_ms, days):
            if _is_open(calendar, zone, at_ms) is not is_open and (at_ms < near_ms or days == DAYS_AHEAD_MAX):
                return Window(is_open=is_open, until_ms=at_ms)
    return Window(is_open=is_open, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)


def _is_open(calendar: Calendar, zone: tzinfo, at_ms: int) -> bool:
    local = _local(zone, at_ms)
    if local.fold or not calendar.weekdays[local.weekday()]:
        return False
    wall = local.time()
    before_stop = wall < calendar.stop or calendar.stop == _END_OF_DAY
    if calendar.start <= calendar.stop:
        return calendar.start <= wall and before_stop
    return calendar.start <= wall or before_stop


def _boundaries(calendar: Calendar, zone: tzinfo, now_ms: int, days: int) -> list[int]:
    """Return the times after `now_ms`, up to `days` ahead and in order, at which the state may change."""
    today = _local(zone, now_ms).date()
    moments: set[int] = set()
    for ahead in range(-1, days):
        day = today + timedelta(days=ahead)
        for wall in {time(0, 0), calendar.start, calendar.stop}:
            moments.update(_instant_ms(zone, day, wall, fold) for fold in (0, 1))
        moments.update(_offset_change_ms(zone, day))
    return sorted(moment for moment in moments if moment > now_ms)


def _offset_change_ms(zone: tzinfo, day: date) -> list[int]:
    """Return the times around a change of the zone's offset within a day, if there is one, found by bisection.

    If clocks are put back, the end of the repeated hour is included.
    """
    low, high = (
        _instant_ms(zone, day, time(0, 0), 0),
        _instant_ms(zone, day + timedelta(days=1), time(0, 0), 0),
    )
    before, after = _local(zone, low).utcoffset(), _local(zone, high).utcoffset()
    if before == after:
        return []
    first_high = high
    while high - low > 1:
        middle = (low + high) // 2
        if _local(zone, middle).utcoffset() == before:
            low = middle
        else:
            high = middle
    repeated_ms = 0 if before is None or after is None else int((before - after) / timedelta(milliseconds=1))
    return [high, high + repeated_ms] if 0 < repeated_ms < first_high else [high]


def _local(zone: tzinfo, at_ms: int) -> datetime:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)).astimezone(zone)


def _instant_ms(zone: tzinfo, day: date, wall: time, fold: int) -> int:
    moment = datetime.combine(day, wall.replace(fold=fold), tzinfo=zone)
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
