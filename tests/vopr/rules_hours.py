"""The rule about calling hours (I6), computed apart from the product's code."""

from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfoNotFoundError

from tests.vopr.rules_dials import zones_of
from tests.vopr.snapshot import Attempt, GatewayRow, Snapshot

_DEFAULT: Final = "08:00-21:00"
_SATURDAY: Final = 5
_HOLIDAYS_OF_AUSTRALIA: Final = frozenset(
    date.fromisoformat(f"2026-{day}") for day in ("01-01", "01-26", "04-03", "04-06", "04-25", "12-25", "12-26")
)
_IN_AMERICA: Final = frozenset({"America/New_York", "America/Chicago"})


def dials(before: Snapshot, new: Collection[Attempt], service_zone: str, calling_hours: str | None) -> Iterator[str]:
    """Yield new attempts outside the service's calling hours, or outside those of the callee's country."""
    for one in new:
        person, line = before.people.get(one.subscriber_id), before.lines.get(one.gateway)
        if person is None or line is None:
            continue
        for zone in closed_zones(person.zone or service_zone, line, one.started_ms, calling_hours):
            yield f"I6: attempt {one.id} at {one.started_ms} in {zone} outside the calling hours"


def closed_zones(zone_key: str, line: GatewayRow, at_ms: int, calling_hours: str | None) -> list[tzinfo]:
    """Return the zones of a key in which nobody may be called over a gateway at a moment, whatever the campaign is."""
    if calling_hours == "off" or (line.protocol == "sim" and calling_hours is None):
        return []
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)
    try:
        zones = zones_of(zone_key)
    except (ZoneInfoNotFoundError, ValueError):
        return []  # `rules_dials` reports it.
    return [zone for zone in zones if not _is_allowed(moment.astimezone(zone), zone, calling_hours or _DEFAULT)]


def _is_allowed(local: datetime, zone: tzinfo, calling_hours: str) -> bool:
    name = str(zone)
    if not _is_between(local, calling_hours):
        return False
    if name in _IN_AMERICA:
        return _is_between(local, "08:00-21:00")
    if name.startswith("Australia/"):
        if local.weekday() > _SATURDAY or local.date() in _HOLIDAYS_OF_AUSTRALIA:
            return False
        return _is_between(local, "09:00-17:00" if local.weekday() == _SATURDAY else "09:00-20:00")
    return True


def _is_between(local: datetime, hours: str) -> bool:
    begin, end = hours.split("-")
    return begin <= local.strftime("%H:%M") < end
