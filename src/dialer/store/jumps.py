"""Rows after the machine's wall clock was put: what is in progress is as old as before, what is due is due.

Moved by the jump is what lasts: calls and messages in progress, and the short waits that keep gateways, campaigns and
agents from going too fast. Retries and call-backs are appointments on the wall, and stay.
"""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Case, ColumnElement, Connection, Table, case, select, true, update

from dialer.domain.enums import CallRequestStatus, SubscriberStatus
from dialer.domain.queueing.plans import AgentFigures
from dialer.store.service_state import State, read_state, save_state
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Gateway,
    Queue,
    SmsGateway,
    SmsMessage,
    Subscriber,
    Transfer,
)

_agents = Agent.__table__
_requests = CallRequest.__table__
_campaigns = Campaign.__table__
_messages = SmsMessage.__table__
_subscribers = Subscriber.__table__
_transfers = Transfer.__table__
_MICROSECONDS: Final = 1_000
"""In a millisecond."""
_MILLISECONDS: Final = 1_000
"""In a second."""
_WAITING: Final = (SubscriberStatus.PENDING, SubscriberStatus.PAUSE)
_is_calling = _requests.c.status == CallRequestStatus.CALLING
_is_of_a_call = _transfers.c.callrequest_id.in_(select(_requests.c.id).where(_is_calling))
_LASTING: Final[tuple[tuple[Table, ColumnElement[bool], tuple[str, ...]], ...]] = (
    (_transfers, _is_of_a_call, ("joined_ms", "score_from_ms", "started_ms", "answered_ms", "ended_ms")),
    (_requests, _is_calling, ("started_ms",)),
    (_messages, _messages.c.ended_ms.is_(None), ("send_date",)),
    (Gateway.__table__, true(), ("rests_until_ms",)),
    (SmsGateway.__table__, true(), ("rests_until_ms",)),
    (Queue.__table__, true(), ("no_agent_from_ms",)),
    (_campaigns, true(), ("next_dial_us",)),
)
"""Moments from or to which something lasts: the tables, their rows and columns."""
_OF_AGENTS: Final = ("last_offered_ms", "last_bridge_end_ms", "free_at_ms", "let_ring_ms")


class Jump(NamedTuple):
    """By how much a clock was put, and what the rows said of it before."""

    before: State
    done_until_ms: int
    """Everything due until then has happened, by the clock as it stood before."""
    by_ms: int

    @property
    def now_ms(self) -> int:
        """The same moment by the clock as it stands now."""
        return self.done_until_ms + self.by_ms


def follow_jump(connection: Connection, jump: Jump) -> None:
    """Move what lasts, once: rows of a service that stands elsewhere than before the jump were moved already."""
    if read_state(connection) != jump.before:
        return
    for table, is_meant, names in _LASTING:
        moved = {name: _moved(table, name, jump.by_ms) for name in names}
        connection.execute(update(table).where(is_meant).values(moved))
    _move_offers(connection, jump.by_ms)
    _move_agents(connection, jump.by_ms)
    if jump.by_ms < 0:
        _bring_retries_within_reach(connection, jump.now_ms)
    save_state(connection, jump.before._replace(now_ms=jump.now_ms))


def _moved(table: Table, name: str, by_ms: int) -> Case[int]:
    """A moment moved; one that has not come stays null, or 0."""
    column = table.c[name]
    return case((column > 0, column + (by_ms * _MICROSECONDS if name.endswith("_us") else by_ms)), else_=column)


def _move_offers(connection: Connection, by_ms: int) -> None:
    """Move the moments at which agents were asked for calls in progress."""
    offered = select(_transfers.c.id, _transfers.c.offers).where(_is_of_a_call, _transfers.c.offers != "{}")
    for transfer_id, document in connection.execute(offered).all():
        offers = msgspec.json.decode(document, type=dict[int, int])
        moved = msgspec.json.encode({agent_id: at_ms + by_ms for agent_id, at_ms in offers.items()}).decode()
        connection.execute(update(_transfers).where(_transfers.c.id == transfer_id).values(offers=moved))


def _move_agents(connection: Connection, by_ms: int) -> None:
    for agent_id, document in connection.execute(select(_agents.c.id, _agents.c.figures)).all():
        if document:
            figures = msgspec.json.decode(document, type=AgentFigures)
            moments = {name: at_ms + by_ms for name in _OF_AGENTS if (at_ms := getattr(figures, name))}
            moved = msgspec.json.encode(msgspec.structs.replace(figures, **moments)).decode()
            connection.execute(update(_agents).where(_agents.c.id == agent_id).values(figures=moved))


def _bring_retries_within_reach(connection: Connection, now_ms: int) -> None:
    """Let no retry wait longer from now than its campaign's interval: the clock was ahead when it was planned."""
    is_incomplete = _subscribers.c.status_reason == "not_completed"
    seconds = case((is_incomplete, _campaigns.c.completion_intervalretry), else_=_campaigns.c.intervalretry)
    interval = select(seconds).where(_campaigns.c.id == _subscribers.c.campaign_id).correlate(_subscribers)
    latest_ms = now_ms + interval.scalar_subquery() * _MILLISECONDS
    late = update(_subscribers).where(_subscribers.c.status.in_(_WAITING), _subscribers.c.due_ms > latest_ms)
    # The index on what is due is one of each campaign's.
    connection.execute(late.where(_subscribers.c.campaign_id.in_(select(_campaigns.c.id))).values(due_ms=latest_ms))
