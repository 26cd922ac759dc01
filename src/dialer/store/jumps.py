"""A clock that was put: what is pending is moved by as much, so that it takes as long as it would have.

Moved is what counts a duration to or from now: calls in progress and what is under way in them, messages on their way,
retries, rests, paces, call-backs. What is over keeps the times it was written with, and the dates of a campaign are
dates on the wall: they are judged by the clock as it stands now.
"""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Case, Connection, Table, case, select, update

from dialer.domain.enums import CallRequestStatus, SubscriberStatus
from dialer.domain.pacing.adaptive import DUE
from dialer.domain.pacing.situation import PacingFigures
from dialer.domain.queueing.plans import AgentFigures
from dialer.store.service_state import State, read_state, save_state
from dialer.store.tables import (
    Agent,
    CallBack,
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
_call_backs = CallBack.__table__
_requests = CallRequest.__table__
_campaigns = Campaign.__table__
_queues = Queue.__table__
_messages = SmsMessage.__table__
_subscribers = Subscriber.__table__
_transfers = Transfer.__table__
MICROSECONDS: Final = 1_000
"""In a millisecond."""
_WAITING: Final = (SubscriberStatus.PENDING, SubscriberStatus.PAUSE)
_OF_A_CALL: Final = ("joined_ms", "score_from_ms", "started_ms", "answered_ms", "ended_ms")


class Jump(NamedTuple):
    """By how much a clock was put, and what the rows said of it before."""

    before: State
    done_until_ms: int
    """Everything due until then has happened, by the clock as it stood before."""
    by_ms: int


def move_pending(connection: Connection, jump: Jump) -> None:
    """Move what is pending, once: rows that were moved already stay as they are."""
    if read_state(connection) != jump.before:
        return
    by_ms = jump.by_ms
    _move_calls(connection, by_ms)
    _move_subscribers(connection, jump)
    _move_lines(connection, by_ms)
    _move_agents(connection, by_ms)
    _move_paces(connection, by_ms)
    connection.execute(update(_call_backs).values(due_ms=_call_backs.c.due_ms + by_ms))
    save_state(connection, jump.before._replace(now_ms=jump.done_until_ms + by_ms))


def _move_calls(connection: Connection, by_ms: int) -> None:
    is_calling = _requests.c.status == CallRequestStatus.CALLING
    calling = select(_requests.c.id).where(is_calling)
    asked = select(_transfers.c.id, _transfers.c.offers).where(_transfers.c.callrequest_id.in_(calling))
    for transfer_id, document in connection.execute(asked.where(_transfers.c.offers != "{}")).all():
        offers = {agent_id: at_ms + by_ms for agent_id, at_ms in _offers(document).items()}
        changed = update(_transfers).where(_transfers.c.id == transfer_id)
        connection.execute(changed.values(offers=msgspec.json.encode(offers).decode()))
    legs = update(_transfers).where(_transfers.c.callrequest_id.in_(calling))
    connection.execute(legs.values({name: _moved(_transfers, name, by_ms) for name in _OF_A_CALL}))
    connection.execute(update(_requests).where(is_calling).values(started_ms=_requests.c.started_ms + by_ms))
    on_their_way = update(_messages).where(_messages.c.ended_ms.is_(None))
    connection.execute(on_their_way.values(send_date=_messages.c.send_date + by_ms))


def _offers(document: str) -> dict[int, int]:
    return msgspec.json.decode(document, type=dict[int, int])


def _move_subscribers(connection: Connection, jump: Jump) -> None:
    """Retries that are due stay due; their index is one of each campaign's."""
    still_due_ms = min(jump.done_until_ms, jump.done_until_ms + jump.by_ms)
    waiting = update(_subscribers).where(
        _subscribers.c.campaign_id.in_(select(_campaigns.c.id)),
        _subscribers.c.status.in_(_WAITING),
        _subscribers.c.due_ms > still_due_ms,
    )
    connection.execute(waiting.values(due_ms=_subscribers.c.due_ms + jump.by_ms))


def _move_lines(connection: Connection, by_ms: int) -> None:
    for table in (Gateway.__table__, SmsGateway.__table__):
        connection.execute(update(table).values(rests_until_ms=_moved(table, "rests_until_ms", by_ms)))


def _move_agents(connection: Connection, by_ms: int) -> None:
    connection.execute(update(_queues).values(no_agent_from_ms=_moved(_queues, "no_agent_from_ms", by_ms)))
    for agent_id, document in connection.execute(select(_agents.c.id, _agents.c.figures)).all():
        if document:
            figures = _moved_agent(msgspec.json.decode(document, type=AgentFigures), by_ms)
            changed = update(_agents).where(_agents.c.id == agent_id)
            connection.execute(changed.values(figures=msgspec.json.encode(figures).decode()))


def _moved_agent(figures: AgentFigures, by_ms: int) -> AgentFigures:
    names = ("last_offered_ms", "last_bridge_end_ms", "free_at_ms", "let_ring_ms")
    moments = {name: getattr(figures, name) for name in names}
    return msgspec.structs.replace(figures, **{name: at_ms + by_ms for name, at_ms in moments.items() if at_ms})


def _move_paces(connection: Connection, by_ms: int) -> None:
    connection.execute(update(_campaigns).values(next_dial_us=_moved(_campaigns, "next_dial_us", by_ms * MICROSECONDS)))
    measured = select(_campaigns.c.id, _campaigns.c.pacing_figures).where(_campaigns.c.pacing_figures != "")
    for campaign_id, document in connection.execute(measured).all():
        figures = msgspec.json.decode(document, type=PacingFigures)
        if DUE in figures.memory:
            figures.memory[DUE] += by_ms
            changed = update(_campaigns).where(_campaigns.c.id == campaign_id)
            connection.execute(changed.values(pacing_figures=msgspec.json.encode(figures).decode()))


def _moved(table: Table, name: str, by: int) -> Case[int]:
    """A moment moved; one that has not come stays null, or 0."""
    column = table.c[name]
    return case((column > 0, column + by), else_=column)
