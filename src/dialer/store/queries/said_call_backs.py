"""Call-backs that agents have promised in calls that go on, for the engine."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, select

from dialer.domain.calls.call_events import OutcomeSaid
from dialer.domain.calls.plan_parts import SaidCallBack
from dialer.domain.queueing.plans import Promise
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.readable_rows import Unreadable, readable
from dialer.store.queries.selection import Selection, Shards
from dialer.store.tables import CallDisposition, CallRequest

_COLUMNS: Final = ("callrequest_id", "call_back_ms", "promised_agent_id", "promised_until_ms")
_SAID: Final = Selection(
    select(*(CallDisposition.__table__.c[name] for name in _COLUMNS), CallDisposition.id)
    .join(CallRequest, CallRequest.id == CallDisposition.callrequest_id)
    .where(IS_CALLING)
    .order_by(CallDisposition.callrequest_id),
    CallDisposition.callrequest_id,
    CallDisposition.user_id,
)


def said_call_backs(
    connection: Connection, among: Collection[int] | None, shards: Shards, unreadable: Unreadable
) -> list[OutcomeSaid]:
    """Return what agents have said of the calls in progress that have an outcome; of those in `among`, or of all."""
    rows = _SAID.rows(connection, among, shards)
    return readable(rows, CallDisposition.__table__, lambda row: _said(*(row[name] for name in _COLUMNS)), unreadable)


def _said(call_id: int, at_ms: int | None, agent_id: int | None, until_ms: int) -> OutcomeSaid:
    promise = None if agent_id is None else Promise(agent_id, until_ms)
    return OutcomeSaid(call_id, None if at_ms is None else SaidCallBack(at_ms, promise))
