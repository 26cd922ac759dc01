"""The journal's counters of queues: the calls that left them, by the hour in which they joined and by their wait."""

from collections import defaultdict
from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.plans import Transfer
from dialer.domain.figures.statistics import HOUR_MS, wait_class
from dialer.domain.words.reasons import TransferReason
from dialer.store.backends.expressions import greatest, insert_or
from dialer.store.database.bulk import Bulk
from dialer.store.tables import QueueHour

_TIMED_OUT: Final = frozenset({TransferReason.MAX_WAIT, TransferReason.NO_AGENT, TransferReason.NO_SKILL})
_KEY: Final = ("queue_id", "hour", "within_s")
_SUMS: Final = ("taken", "abandoned", "timed_out", "taken_wait_ms")
_added = insert_or(QueueHour.__table__)
_COUNT: Final = Bulk(
    _added.on_conflict_do_update(
        index_elements=_KEY,
        set_={
            **{name: QueueHour.__table__.c[name] + _added.excluded[name] for name in _SUMS},
            "longest_ms": greatest(QueueHour.longest_ms, _added.excluded.longest_ms),
        },
    ),
    (*_KEY, *_SUMS, "longest_ms"),
)


class QueueHours:
    """Calls that have left a queue and wait to be counted."""

    def __init__(self) -> None:
        self._found: defaultdict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0] * 5)

    def left(self, transfer: Transfer) -> None:
        """Count a transfer of a call that is over, if the call joined a queue that still exists."""
        ended_ms = transfer.ended_ms if transfer.answered_ms is None else transfer.answered_ms
        if transfer.queue_id is None or not transfer.has_queued or ended_ms is None:
            return
        wait_ms = max(0, ended_ms - transfer.joined_ms)
        row = self._found[transfer.queue_id, transfer.joined_ms // HOUR_MS, wait_class(wait_ms)]
        if transfer.answered_ms is not None:
            row[0] += 1
            row[3] += wait_ms
        else:
            row[2 if transfer.reason in _TIMED_OUT else 1] += 1
        row[4] = max(row[4], wait_ms)

    def write(self, connection: Connection) -> None:
        """Add the calls to their counters."""
        _COUNT.run(connection, [(*key, *row) for key, row in self._found.items()])
        self._found.clear()
