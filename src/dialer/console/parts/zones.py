"""The viewer's time zone. The script of the console stores it in a cookie; until then, it is that of the service."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dialer.api.service import ApiRequest
from dialer.domain.calling_times.zones import zones_of_key
from dialer.domain.figures.statistics import HOUR_MS
from dialer.store.queries.statistics import Hours

COOKIE: Final = "dialer_zone"
ZONES_KEPT_MAX: Final = 1_024
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(/[A-Za-z0-9_+-]{1,32}){0,2}\Z", re.ASCII)


def zone_of(request: ApiRequest) -> ZoneInfo:
    """Return the time zone of the viewer."""
    return _known(unquote(request.cookies.get(COOKIE, ""))) or ZoneInfo(request.service.settings.timezone)


@lru_cache(maxsize=ZONES_KEPT_MAX)
def _known(name: str) -> ZoneInfo | None:
    if not _NAME.match(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zones_in_words(key: str) -> str:
    """Return the names of the zones in which a callee may be, as people write them."""
    return ", ".join(zones_of_key(key)).replace("_", " ")


def day_of(now_ms: int, zone: ZoneInfo) -> Hours:
    """Return the range of hours, counted since the epoch, that belong to the current day in a time zone.

    `now_ms` is in milliseconds since the epoch. An hour belongs to the day in which it begins.
    """
    now = datetime.fromtimestamp(now_ms / 1_000, UTC).astimezone(zone)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    first, end = (-(-_ms(at) // HOUR_MS) for at in (midnight, midnight + timedelta(days=1)))
    return Hours(first, end)


def _ms(at: datetime) -> int:
    return int(at.timestamp()) * 1_000
