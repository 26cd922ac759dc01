"""Holds and listeners of calls, from the audit log: when they began, who wanted them, and how long they lasted."""

from collections.abc import Iterator
from typing import Final

import msgspec
from sqlalchemy import Connection, Row, RowMapping, select

from dialer.store.backends.expressions import without_index
from dialer.store.tables import AuditLog
from dialer.store.timeline.parts import OrderKind, OrderPart, moment

ORDERS_MAX: Final = 1_000
"""Entries of the audit log that are read for one call."""
_HOLDS: Final = {"call_held": OrderKind.HELD, "call_resumed": None}
_CONSULTATIONS: Final = {
    "call_consulted": OrderKind.CONSULTED,
    "call_handed_over": None,
    "call_consultation_ended": None,
}
_SUPERVISION: Final = {
    "call_listened": OrderKind.LISTENED,
    "call_whispered": OrderKind.WHISPERED,
    "call_joined": OrderKind.JOINED_IN,
    "call_left": None,
}
_KINDS: Final = (_HOLDS, _CONSULTATIONS, _SUPERVISION)
"""The kinds of orders by the action of the log; None for one that ends an earlier order."""


class _Entry(msgspec.Struct, frozen=True):
    """The part of an entry that says to which call it belongs."""

    callrequest_id: int = 0


def orders_in(connection: Connection, call: RowMapping, transfers: list[RowMapping]) -> list[OrderPart]:
    """Return the holds and the listeners of a call, in their order. Calls that no agent took have none."""
    agents = {row["agent_id"] for row in transfers if row["answered_ms"] is not None and row["agent_id"] is not None}
    if not agents:
        return []
    entries = list(_entries(connection, call, agents))
    return sorted(
        [order for kinds in _KINDS for order in _orders(entries, kinds, call["ended_ms"])],
        key=lambda part: part.at,
    )


def _entries(connection: Connection, call: RowMapping, agents: set[int]) -> Iterator[Row[int, str, str, str]]:
    of_agents = without_index((AuditLog.resource == "agent") & AuditLog.record_id.in_(agents))
    query = select(AuditLog.created_date, AuditLog.action, AuditLog.actor, AuditLog.after)
    query = query.where(AuditLog.created_date >= call["started_ms"], of_agents)
    query = query.where(AuditLog.action.in_([*_HOLDS, *_CONSULTATIONS, *_SUPERVISION]))
    if call["ended_ms"] is not None:
        query = query.where(AuditLog.created_date <= call["ended_ms"])
    for row in connection.execute(query.order_by(AuditLog.id).limit(ORDERS_MAX)):
        if msgspec.json.decode(row.after, type=_Entry).callrequest_id == call["id"]:
            yield row


def _orders(
    entries: list[Row[int, str, str, str]], kinds: dict[str, OrderKind | None], ended_ms: int | None
) -> Iterator[OrderPart]:
    """Yield the orders of some kinds. Each lasts until the next one, or until the call is over."""
    own = [row for row in entries if row.action in kinds]
    ends = [*(row.created_date for row in own[1:]), ended_ms]
    for row, until_ms in zip(own, ends, strict=False):
        kind = kinds[row.action]
        if kind is not None:
            seconds = None if until_ms is None else round((until_ms - row.created_date) / 1_000)
            yield OrderPart(moment(row.created_date), kind, row.actor, seconds)
