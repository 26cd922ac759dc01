"""Updates of rows after the machine's wall clock has jumped.

Timestamps that measure a duration move with the clock: those of calls and messages in progress, the periods that keep a
limit of abandoned calls, and the short waits that limit the pace of gateways, campaigns and agents. Retries and
call-backs are appointments by the wall clock, and do not move.
"""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Case, ColumnElement, Connection, Table, case, select, true, update

from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.queueing.plans import AgentFigures
from dialer.domain.sessions.b_leg_session import BLegSessionState
from dialer.domain.sessions.leg_protocol import Dialling, Texting
from dialer.domain.sessions.session_state import SessionState
from dialer.domain.sessions.supervisor_session import SUPERVISOR_PLACE, SupervisorState
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import AFTER_ANSWER, SubscriberReason
from dialer.store.database.service_state import State, read_state, save_state
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import (
    Agent,
    CallRequest,
    Campaign,
    Gateway,
    LiveLeg,
    Queue,
    SmsMessage,
    Subscriber,
    Transfer,
)

_MILLISECOND_US: Final = 1_000
_SECOND_MS: Final = 1_000
_WAITING: Final = (SubscriberStatus.PENDING, SubscriberStatus.PAUSE)
_is_of_a_call = Transfer.callrequest_id.in_(select(CallRequest.id).where(IS_CALLING))
_OF_TRANSFERS: Final = (
    *("joined_ms", "score_from_ms", "started_ms", "answered_ms", "ended_ms", "on_hold_from_ms"),
    "recorded_ms",
)
_LASTING: Final[tuple[tuple[Table, ColumnElement[bool], tuple[str, ...]], ...]] = (
    (Transfer.__table__, _is_of_a_call, _OF_TRANSFERS),
    (CallRequest.__table__, IS_CALLING, ("started_ms",)),
    (LiveLeg.__table__, true(), ("wanted_ms", "handed_ms", "heard_ms")),
    (SmsMessage.__table__, SmsMessage.ended_ms.is_(None), ("send_date",)),
    (Gateway.__table__, true(), ("rests_until_ms",)),
    (Queue.__table__, true(), ("no_agent_from_ms",)),
    (Campaign.__table__, true(), ("next_dial_us",)),
    (Agent.__table__, true(), ("counted_ms", "wraps_until_ms", "began_ms")),
)
"""Timestamps that measure a duration: the table, the condition for its rows, and the columns."""
_OF_AGENTS: Final = ("last_offered_ms", "last_bridge_end_ms", "free_at_ms", "let_ring_ms")


class Jump(NamedTuple):
    """A jump of the wall clock, with the state of the service as it was stored before."""

    before: State
    done_until_ms: int
    """Time until which everything due has happened, by the clock before the jump."""
    by_ms: int

    @property
    def now_ms(self) -> int:
        """Return `done_until_ms` by the clock after the jump."""
        return self.done_until_ms + self.by_ms


def follow_jump(connection: Connection, jump: Jump) -> None:
    """Move the timestamps that measure a duration, and store the new position of the clock.

    Do nothing if the stored state is not the one before the jump: the rows were moved already.
    """
    if read_state(connection) != jump.before:
        return
    for table, is_meant, names in _LASTING:
        moved = {name: _moved(table, name, jump.by_ms) for name in names}
        connection.execute(update(table).where(is_meant).values(moved))
    _move_offers(connection, jump.by_ms)
    _move_agents(connection, jump.by_ms)
    _move_periods(connection, jump.by_ms)
    _move_talks(connection, jump.by_ms)
    if jump.by_ms < 0:
        _bring_retries_within_reach(connection, jump.now_ms)
    save_state(connection, jump.before._replace(now_ms=jump.now_ms))


def _moved(table: Table, name: str, by_ms: int) -> Case[int]:
    """Return an expression for a timestamp moved by `by_ms`. Null and 0 mean "not yet" and stay."""
    column = table.c[name]
    return case((column > 0, column + (by_ms * _MILLISECOND_US if name.endswith("_us") else by_ms)), else_=column)


def _move_offers(connection: Connection, by_ms: int) -> None:
    """Move the times at which calls in progress were offered to agents."""
    offered = select(Transfer.id, Transfer.offers).where(_is_of_a_call, Transfer.offers != "{}")
    for transfer_id, document in connection.execute(offered).all():
        offers = msgspec.json.decode(document, type=dict[int, int])
        moved = msgspec.json.encode({agent_id: at_ms + by_ms for agent_id, at_ms in offers.items()}).decode()
        connection.execute(update(Transfer).where(Transfer.id == transfer_id).values(offers=moved))


def _move_talks(connection: Connection, by_ms: int) -> None:
    """Move the times within the sessions over lines. Messages have none."""
    query = select(LiveLeg.id, LiveLeg.standing, LiveLeg.dialling, LiveLeg.place)
    for leg_id, document, order, place in connection.execute(query).all():
        if isinstance(msgspec.json.decode(order, type=Dialling | Texting), Dialling):
            kind: type[SessionState | BLegSessionState | SupervisorState] = SessionState
            if place:
                kind = SupervisorState if place == SUPERVISOR_PLACE else BLegSessionState
            moved = msgspec.json.encode(msgspec.json.decode(document, type=kind).moved(by_ms)).decode()
            connection.execute(update(LiveLeg).where(LiveLeg.id == leg_id).values(standing=moved))


def _move_agents(connection: Connection, by_ms: int) -> None:
    for agent_id, document in connection.execute(select(Agent.id, Agent.figures)).all():
        if document:
            figures = msgspec.json.decode(document, type=AgentFigures)
            moments = {name: at_ms + by_ms for name in _OF_AGENTS if (at_ms := getattr(figures, name))}
            moved = msgspec.json.encode(msgspec.structs.replace(figures, **moments)).decode()
            connection.execute(update(Agent).where(Agent.id == agent_id).values(figures=moved))


def _move_periods(connection: Connection, by_ms: int) -> None:
    """Move the periods of campaigns that keep a limit of abandoned calls, as the dial times of their calls move."""
    query = select(Campaign.id, Campaign.pacing_figures).where(Campaign.pacing_figures != "")
    for campaign_id, document in connection.execute(query).all():
        figures = msgspec.json.decode(document, type=PacingFigures)
        for period in figures.periods:
            period.from_ms += by_ms
            period.until_ms += by_ms if period.until_ms else 0
        moved = msgspec.json.encode(figures).decode()
        connection.execute(update(Campaign).where(Campaign.id == campaign_id).values(pacing_figures=moved))


def _bring_retries_within_reach(connection: Connection, now_ms: int) -> None:
    """Limit the wait for each retry, from `now_ms`, to the retry interval of its campaign.

    A retry that was planned while the clock was ahead would otherwise wait too long.
    """
    is_incomplete = Subscriber.status_reason.in_(AFTER_ANSWER)
    seconds = case(
        (is_incomplete, Campaign.completion_intervalretry),
        (Subscriber.status_reason == SubscriberReason.ABANDONED.value, Campaign.abandoned_intervalretry),
        else_=Campaign.intervalretry,
    )
    interval = select(seconds).where(Campaign.id == Subscriber.campaign_id).correlate(Subscriber)
    latest_ms = now_ms + interval.scalar_subquery() * _SECOND_MS
    late = update(Subscriber).where(Subscriber.status.in_(_WAITING), Subscriber.due_ms > latest_ms)
    # The index on `due_ms` begins with the campaign: the condition lets SQLite use it.
    connection.execute(late.where(Subscriber.campaign_id.in_(select(Campaign.id))).values(due_ms=latest_ms))
