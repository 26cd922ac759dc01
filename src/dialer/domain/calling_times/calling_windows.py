"""Calling windows: whether a callee may be called now, and the time at which that changes.

The callee's wall clock decides about a campaign's daily window. The window is open on selected weekdays, from the start
(inclusive) to the stop (exclusive; 23:59:59 stands for the end of the day). A stop before the start spans midnight.
Daylight saving time skips some wall time: a window that would begin there begins after it. An hour that occurs twice
counts the first time only.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.country_hours import hours_in_country
from dialer.domain.calling_times.zones import countries_of_key, fixed_offset_minutes, zones_of_key

DAYS_AHEAD_MAX: Final = 9
"""Days in which the next change is searched: a week, and a day on either side for time zones."""
DAYS_NEAR: Final = 3
"""Days in which the next change is searched first."""
RULES_AGREE_TRIES_MAX: Final = 32
"""Number of openings that are tried until one suits every candidate zone and every calendar."""
WINDOWS_KEPT_MAX: Final = 65_536
DAYS_KEPT_MAX: Final = 16_384
"""Days of zones, and times on them, whose instants are kept."""
_DAY_MS: Final = 86_400_000


class Window(msgspec.Struct, frozen=True):
    """The state of a calling window, and the time until which it holds, in milliseconds since the epoch."""

    is_open: bool
    until_ms: int


class _Rule(NamedTuple):
    """A condition of a window: the local time of a zone must be allowed by any of the calendars."""

    calendars: tuple[Calendar, ...]
    zone: tzinfo


def window_at(calendar: Calendar, zone_key: str, now_ms: int, outer: Calendar | None = None) -> Window:
    """Return the state of a calendar for a zone key at `now_ms`.

    With several candidate zones the window is open only while it is open in all of them. A window that does not open
    within nine days counts as closed until then, and is checked again. With `outer`, the service's calling hours, the
    window is open only within these, and within the hours of the callee's country.
    """
    if calendar.is_always and outer is None:
        return Window(is_open=True, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)
    if not any(calendar.weekdays):
        return Window(is_open=False, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)
    rules = _rules(calendar, zone_key, outer)
    at_ms = now_ms
    for _ in range(RULES_AGREE_TRIES_MAX):
        windows = [_window_of_rule(rule, at_ms) for rule in rules]
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
        self._known: dict[tuple[Calendar, str, Calendar | None], Window] = {}

    def at(self, calendar: Calendar, zone_key: str, now_ms: int, outer: Calendar | None = None) -> Window:
        """Return the result of `window_at`."""
        window = self._known.get((calendar, zone_key, outer))
        if window is None or now_ms >= window.until_ms:
            if len(self._known) >= WINDOWS_KEPT_MAX:
                self._known.clear()
            window = self._known[calendar, zone_key, outer] = window_at(calendar, zone_key, now_ms, outer)
        return window


@lru_cache(maxsize=4_096)
def _rules(calendar: Calendar, zone_key: str, outer: Calendar | None) -> tuple[_Rule, ...]:
    """Return all conditions of a window, without those that always hold."""
    rules: list[_Rule] = []
    for name in zones_of_key(zone_key):
        minutes = fixed_offset_minutes(name)
        zone = ZoneInfo(name) if minutes is None else timezone(timedelta(minutes=minutes))
        if not calendar.is_always:
            rules.append(_Rule((calendar,), zone))
        if outer is not None:
            rules.append(_Rule((outer,), zone))
            rules += [_Rule(hours_in_country(country), zone) for country in countries_of_key(zone_key)]
    return tuple(rules)


def _window_of_rule(rule: _Rule, now_ms: int) -> Window:
    is_open = _is_open(rule, now_ms)
    # Most windows change within a day, so days further ahead are searched only if needed.
    for days in (DAYS_NEAR, DAYS_AHEAD_MAX):
        near_ms = now_ms + (days - 1) * _DAY_MS
        for at_ms in _boundaries(rule, now_ms, days):
            if _is_open(rule, at_ms) is not is_open and (at_ms < near_ms or days == DAYS_AHEAD_MAX):
                return Window(is_open=is_open, until_ms=at_ms)
    return Window(is_open=is_open, until_ms=now_ms + DAYS_AHEAD_MAX * _DAY_MS)


def _is_open(rule: _Rule, at_ms: int) -> bool:
    local = _local(rule.zone, at_ms)
    return any(calendar.allows(local) for calendar in rule.calendars)


def _boundaries(rule: _Rule, now_ms: int, days: int) -> list[int]:
    """Return the times after `now_ms`, up to `days` ahead and in order, at which the state may change."""
    zone = rule.zone
    today = _local(zone, now_ms).date()
    walls = {time(0, 0)}
    for calendar in rule.calendars:
        walls |= {calendar.start, calendar.stop}
    moments: set[int] = set()
    for ahead in range(-1, days):
        day = today + timedelta(days=ahead)
        for wall in walls:
            moments.update(_instants_ms(zone, day, wall))
        moments.update(_offset_change_ms(zone, day))
    return sorted(moment for moment in moments if moment > now_ms)


@lru_cache(maxsize=DAYS_KEPT_MAX)
def _offset_change_ms(zone: tzinfo, day: date) -> tuple[int, ...]:
    """Return the times around a change of the zone's offset within a day, if there is one, found by bisection.

    If clocks are put back, the end of the repeated hour is included.
    """
    low, high = (
        _instant_ms(zone, day, time(0, 0), 0),
        _instant_ms(zone, day + timedelta(days=1), time(0, 0), 0),
    )
    before, after = _local(zone, low).utcoffset(), _local(zone, high).utcoffset()
    if before == after:
        return ()
    first_high = high
    while high - low > 1:
        middle = (low + high) // 2
        if _local(zone, middle).utcoffset() == before:
            low = middle
        else:
            high = middle
    repeated_ms = 0 if before is None or after is None else int((before - after) / timedelta(milliseconds=1))
    return (high, high + repeated_ms) if 0 < repeated_ms < first_high else (high,)


def _local(zone: tzinfo, at_ms: int) -> datetime:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)).astimezone(zone)


@lru_cache(maxsize=DAYS_KEPT_MAX)
def _instants_ms(zone: tzinfo, day: date, wall: time) -> tuple[int, int]:
    """Return the instants at which a wall clock shows this time: two if an hour occurs twice."""
    return _instant_ms(zone, day, wall, 0), _instant_ms(zone, day, wall, 1)


def _instant_ms(zone: tzinfo, day: date, wall: time, fold: int) -> int:
    moment = datetime.combine(day, wall.replace(fold=fold), tzinfo=zone)
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
