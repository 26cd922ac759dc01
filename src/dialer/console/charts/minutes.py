"""Calls a minute over the last hour. Minutes that are over for a while are kept, so that each reading is short."""

from collections import OrderedDict
from threading import Lock
from typing import Final

from sqlalchemy import Connection

from dialer.store.queries.statistics import MINUTE_MS, WhoseCalls, dialled_by_minute

MINUTES: Final = 60
SETTLED_AFTER: Final = 5
"""Minutes after which the calls of a minute are surely recorded. On a fast clock, steps are minutes long."""
KEPT_MAX: Final = 256
"""Campaigns and users whose minutes are kept."""


class Minutes:
    """The calls dialled in each minute of the last hour, of campaigns and users. Threads may share it."""

    def __init__(self) -> None:
        self._settled: Final[OrderedDict[WhoseCalls, dict[int, int]]] = OrderedDict()
        """The calls of settled minutes without gaps, by the minute since the epoch."""
        self._lock: Final = Lock()

    def read(self, connection: Connection, scope: WhoseCalls, now_ms: int) -> list[int]:
        """Return the numbers of calls of the last `MINUTES` that are over, the newest last."""
        present = now_ms // MINUTE_MS
        first, settled = present - MINUTES, present - SETTLED_AFTER
        with self._lock:
            kept = self._settled.get(scope, {})
        newest = max(kept, default=0)
        begin = newest + 1 if first <= newest <= settled else first
        dialled = dialled_by_minute(connection, scope, begin * MINUTE_MS)
        counts = {
            minute: dialled.get(minute, 0) if minute >= begin else kept.get(minute, 0) for minute in _range(first)
        }
        with self._lock:
            self._settled[scope] = {minute: count for minute, count in counts.items() if minute <= settled}
            self._settled.move_to_end(scope)
            if len(self._settled) > KEPT_MAX:
                self._settled.popitem(last=False)
        return list(counts.values())


def _range(first: int) -> range:
    return range(first, first + MINUTES)
