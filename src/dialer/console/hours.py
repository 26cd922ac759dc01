"""Hours of statistics in the viewer's zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from dialer.domain.statistics import HOUR_MS
from dialer.store.queries.statistics import Hours


def day_of(now_ms: int, zone: ZoneInfo) -> Hours:
    """Return the hours of the present day in a zone. An hour belongs to the day in which it begins."""
    now = datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone(zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    first, end = (-(-_ms(at) // HOUR_MS) for at in (midnight, midnight + timedelta(days=1)))
    return Hours(first, end)


def _ms(at: datetime) -> int:
    return int(at.timestamp()) * 1_000
