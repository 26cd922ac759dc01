"""The waits of calls in queues, read from the rows of their transfers."""

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Connection, RowMapping, bindparam, select

from dialer.domain.words.enums import LegType
from dialer.store.tables import Cdr, Transfer

_WAITS: Final = (
    select(Cdr.id.label("cdr_id"), Transfer.__table__)
    .join(Transfer, Transfer.callrequest_id == Cdr.callrequest_id)
    .where(Cdr.id.in_(bindparam("ids", expanding=True)), Cdr.leg_type == LegType.A_LEG)
    .where((Transfer.queue_id.is_not(None)) | (Transfer.score_from_ms > 0))
    .order_by(Transfer.place)
)


class CallWait(NamedTuple):
    """The end of a call's wait for an agent."""

    reason: str
    """The reason why no agent took it; empty if one did."""
    waited_ms: int | None
    """None if the call was not let into the queue."""
    is_abandoned: bool


def waits_of_calls(connection: Connection, cdr_ids: Collection[int]) -> dict[int, CallWait]:
    """Return the waits of the calls with these CDRs that were transferred to a queue, by the ids of the CDRs of A-legs.

    Of several waits of a call the first abandoned one counts, else the last one.
    """
    found: dict[int, CallWait] = {}
    for row in connection.execute(_WAITS, {"ids": list(cdr_ids)}).mappings():
        before = found.get(row["cdr_id"])
        if before is None or not before.is_abandoned:
            found[row["cdr_id"]] = CallWait(row["reason"], waited_ms(row), row["is_abandoned"])
    return found


def waited_ms(transfer: RowMapping) -> int | None:
    """Return the milliseconds until an agent took a call, or it stopped waiting; None without a queue, or if it waits.

    A call that an agent took has the time of the answer, even if the two were parted later.
    """
    until_ms = transfer["answered_ms"] or transfer["ended_ms"]
    if transfer["score_from_ms"] <= 0 or until_ms is None:
        return None
    return max(0, int(until_ms - transfer["joined_ms"]))
