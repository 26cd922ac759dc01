"""People whom a campaign can never call: no hour suits all zones in which they may be, and the law of their country."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import msgspec

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, window_at
from dialer.domain.calling_times.zones import UNKNOWN, is_zone_key
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.sentences import CountryName, FieldName, Sentence, counting_sentence

COUNTRIES_TOLD_MAX: Final = 5
"""Countries that have a finding of their own: those with the most people."""
_LOOKED_AHEAD_MS: Final = 9 * 86_400_000
"""Time in which an hour is searched: each weekday, and a day on either side for time zones."""
WINDOWS_KEPT_MAX: Final = 4_096
"""Windows of one moment, and openings after one, that are kept."""
OPENINGS_TRIED_MAX: Final = 40
"""Number of changes of a window after which it counts as closed for good."""


class PeopleOfZone(msgspec.Struct, frozen=True):
    """People with one zone key, how many they are, and their country; None if the zones are of several."""

    zone: str
    count: int
    country: CountryName | None


class CallingSpan(msgspec.Struct, frozen=True):
    """The hours in which a campaign may call: its window and the calling hours, from a moment to another."""

    calendar: Calendar
    hours: Calendar | None
    from_ms: int
    until_ms: int
    service_zone: str

    def opens_ms(self, zone_key: str, from_ms: int | None = None) -> int | None:
        """Return the first moment at which people with a zone key may be called, from one on; None if there is none."""
        at_ms = self.from_ms if from_ms is None else max(from_ms, self.from_ms)
        zone = zone_key or self.service_zone
        window = kept_window(self.calendar, zone, at_ms, self.hours)
        opens_ms = at_ms if window.is_open else _opening_after(self.calendar, zone, window.until_ms, self.hours)
        return opens_ms if opens_ms is not None and opens_ms < self.until_ms else None

    def has_hour(self, zone_key: str) -> bool:
        """Return whether people with a zone key may be called at any moment of the next days."""
        near = msgspec.structs.replace(self, until_ms=min(self.until_ms, self.from_ms + _LOOKED_AHEAD_MS))
        return near.opens_ms(zone_key) is not None


@lru_cache(maxsize=WINDOWS_KEPT_MAX)
def kept_window(calendar: Calendar, zone: str, at_ms: int, hours: Calendar | None) -> Window:
    """Return a window. Many campaigns of a list have equal ones."""
    return window_at(calendar, zone, at_ms, hours)


@lru_cache(maxsize=WINDOWS_KEPT_MAX)
def _opening_after(calendar: Calendar, zone: str, closed_ms: int, hours: Calendar | None) -> int | None:
    """Return when a window opens that changes at `closed_ms`; None if it does not. It is asked until that moment."""
    at_ms = closed_ms
    for _ in range(OPENINGS_TRIED_MAX):
        window = window_at(calendar, zone, at_ms, hours)
        if window.is_open:
            return at_ms
        at_ms = window.until_ms
    return None


def check_common_hours(span: CallingSpan, people: Iterable[PeopleOfZone], *, is_part: bool) -> Iterator[Finding]:
    """Yield a warning for each country with people whom the campaign can never call, the most people first.

    `is_part` tells that more people were there than were counted.
    """
    counts: dict[CountryName | None, int] = {}
    for group in people:
        if group.zone != UNKNOWN and is_zone_key(group.zone) and not span.has_hour(group.zone):
            counts[group.country] = counts.get(group.country, 0) + group.count
    if not counts or not span.has_hour(""):  # Another warning says that nobody can be called.
        return
    order = sorted(counts, key=lambda country: (-counts[country], country or ""))
    told, others = order[:COUNTRIES_TOLD_MAX], sum(counts[country] for country in order[COUNTRIES_TOLD_MAX:])
    for country in told:
        yield _finding(country, counts[country], is_part=is_part)
    if others:
        yield _finding(None, others, is_part=is_part)


def _finding(country: CountryName | None, count: int, *, is_part: bool) -> Finding:
    remedy = Sentence(
        "Set a wider window with %(start)s and %(stop)s, or the %(zone)s of the contacts.",
        start=FieldName("daily_start_time"),
        stop=FieldName("daily_stop_time"),
        zone=FieldName("tz_code"),
    )
    if is_part:
        remedy = Sentence("There may be more, as only the first people were counted. %(remedy)s", remedy=remedy)
    if country is None:
        message = counting_sentence(
            "A person has no hour in which the window, the calling hours and the law allow a call in all their time"
            " zones, so nobody calls them. %(remedy)s",
            "%(count)s people have no hour in which the window, the calling hours and the law allow a call in all"
            " their time zones, so nobody calls them. %(remedy)s",
            count,
            remedy=remedy,
        )
    else:
        message = counting_sentence(
            "A person in %(country)s has no hour in which the window, the calling hours and the law allow a call in all"
            " their time zones, so nobody calls them. %(remedy)s",
            "%(count)s people in %(country)s have no hour in which the window, the calling hours and the law allow a"
            " call in all their time zones, so nobody calls them. %(remedy)s",
            count,
            country=country,
            remedy=remedy,
        )
    return Finding(FindingLevel.WARNING, FindingCode.NO_COMMON_HOUR, None, message, field="daily_start_time")
