"""The time of day where a callee is, as far as it is known."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from dialer.console.parts.rendering import time_of_day
from dialer.domain.calling_times.zones import fixed_offset_minutes, is_zone_key, zones_of_key


def callees_time(key: str, now_ms: int) -> str:
    """Return the time of day in the zones of a key, from the earliest to the latest; empty if they are not known."""
    if not key or not is_zone_key(key):
        return ""
    now = datetime.fromtimestamp(now_ms // 1_000, UTC)
    zones = sorted(map(_zone, zones_of_key(key)), key=lambda zone: now.astimezone(zone).replace(tzinfo=None))
    first, last = (time_of_day(now_ms, zone) for zone in (zones[0], zones[-1]))
    return first if first == last else f"{first} / {last}"


def _zone(name: str) -> tzinfo:
    minutes = fixed_offset_minutes(name)
    return ZoneInfo(name) if minutes is None else timezone(timedelta(minutes=minutes))
