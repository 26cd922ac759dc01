"""Queries of queues, agents, transfers and expected call backs, for the engine."""

import contextlib
from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, RowMapping, Select, and_, bindparam, delete, exists, false, func, select

from dialer.domain.calls.agent_events import AgentOpened, QueueOpened
from dialer.domain.calls.call_events import CallArrived
from dialer.domain.calls.identity import leg_uuid
from dialer.domain.calls.plan_settings import settings_by_name
from dialer.domain.calls.plans import NO_SUBSCRIBER, VOICE, GatewayKey, Subscriber, Transfer
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan, TierPlan
from dialer.domain.words.enums import Consulted, TransferStatus
from dialer.store.backends.expressions import in_order
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.rates import rate_of
from dialer.store.queries.readable_rows import UNREADABLE, Unreadable, readable
from dialer.store.queries.selection import OwnedRows, Selection, Shards
from dialer.store.tables import Agent, CallBack, CallRequest, Queue, Tier
from dialer.store.tables import Subscriber as SubscriberRow
from dialer.store.tables import Transfer as TransferRow

_OF_CALLER: Final = ("id", "number", "zone", "contact_id", "full_name", "additional_vars", "phonebook_id")
LEFT_EARLY_MAX: Final = 10_000
"""Maximum number of callers who left early that are read for each queue, newest first."""
_SECOND_MS: Final = 1_000

_TIERS: Final = Selection(select(Tier.__table__).order_by(Tier.level, Tier.position, Tier.agent_id), Tier.queue_id)
_QUEUES: Final = Selection(select(Queue.__table__).order_by(Queue.id), Queue.id, Queue.user_id)
_AGENTS: Final = Selection(select(Agent.__table__).order_by(Agent.id), Agent.id, Agent.user_id)


def _left_early_query() -> Select[Any]:
    """Return a query of callers whose wait in a queue ended before an agent answered.

    A caller whose number has joined the queue again since has no earlier place to resume.
    """
    number = func.coalesce(SubscriberRow.number, CallRequest.callerid)
    joined_later = func.max(TransferRow.joined_ms).over(
        partition_by=number, order_by=(TransferRow.joined_ms, TransferRow.id), rows=(1, None)
    )
    is_left = and_(TransferRow.status == TransferStatus.OVER, TransferRow.answered_ms.is_(None))
    found = (
        select(number.label("number"), TransferRow.id, TransferRow.score_from_ms, TransferRow.ended_ms)
        .add_columns(joined_later.label("joined_later_ms"), is_left.label("is_left"))
        .join_from(TransferRow, CallRequest, CallRequest.id == TransferRow.callrequest_id)
        .outerjoin(SubscriberRow, SubscriberRow.id == CallRequest.subscriber_id)
        .where(TransferRow.queue_id == bindparam("queue"), TransferRow.score_from_ms > 0)
        .where(func.coalesce(TransferRow.ended_ms, bindparam("now_ms")) >= bindparam("since_ms"))
        .subquery()
    )
    has_come_back = func.coalesce(found.c.joined_later_ms >= found.c.ended_ms, false())
    return (
        select(found.c.number, found.c.score_from_ms, found.c.ended_ms)
        .where(found.c.is_left, ~has_come_back)
        .order_by(in_order(found.c.ended_ms, is_descending=True), found.c.id.desc())
        .limit(LEFT_EARLY_MAX)
    )


_LEFT_EARLY: Final = _left_early_query()
_EXPECTATIONS: Final = (
    select(
        CallBack.due_ms,
        CallRequest.id,
        CallRequest.user_id,
        CallRequest.attempt,
        CallRequest.callerid,
        SubscriberRow.__table__,
    )
    .join(CallRequest, CallRequest.id == CallBack.id)
    .join(SubscriberRow, SubscriberRow.id == CallRequest.subscriber_id)
    .order_by(CallBack.due_ms, CallBack.id)
)
_ALL_EXPECTATIONS: Final = OwnedRows(_EXPECTATIONS, CallRequest.user_id)
_EXPECTATION: Final = _EXPECTATIONS.where(CallBack.id == bindparam("call"))
_HAS_CALLED: Final = select(
    exists().where(CallRequest.subscriber_id == bindparam("subscriber"), CallRequest.attempt == bindparam("attempt"))
)
_FORGET: Final = delete(CallBack).where(CallBack.id == bindparam("call"))


def queues_of(
    connection: Connection,
    now_ms: int,
    *,
    among: Collection[int] | None = None,
    with_past: bool,
    shards: Shards = None,
    unreadable: Unreadable | None = None,
) -> list[QueueOpened]:
    """Return all queues, or those with the ids in `among`, with their tiers.

    `with_past` also reads the callers who left early, which a new engine needs.
    """
    tiers: defaultdict[int, list[TierPlan]] = defaultdict(list)
    for row in _TIERS.rows(connection, among):
        tiers[row["queue_id"]].append(TierPlan(row["agent_id"], row["level"], row["position"]))
    rows = _QUEUES.rows(connection, among, shards)

    def opened(row: RowMapping) -> QueueOpened:
        return QueueOpened(
            plan=_queue(row, tuple(tiers[row["id"]])),
            last_agent_id=row["last_agent_id"],
            left_early=_left_early(connection, row, now_ms) if with_past else (),
            no_agent_from_ms=row["no_agent_from_ms"],
        )

    return readable(rows, Queue.__table__, opened, {} if unreadable is None else unreadable)


def agents_of(
    connection: Connection,
    among: Collection[int] | None = None,
    shards: Shards = None,
    unreadable: Unreadable | None = None,
) -> list[AgentOpened]:
    """Return all agents, or those with the ids in `among`, with their figures."""
    rows = _AGENTS.rows(connection, among, shards)

    def opened(row: RowMapping) -> AgentOpened:
        return AgentOpened(AgentPlan(**settings_by_name(AgentPlan, row)), _figures(row["figures"]))

    return readable(rows, Agent.__table__, opened, {} if unreadable is None else unreadable)


def transfers_of(
    connection: Connection, call_ids: Collection[int], seed: int, unreadable: Unreadable
) -> dict[int, tuple[Transfer, ...] | None]:
    """Return the transfers of all calls in progress, in order, by call request; none if `call_ids` is empty.

    A call of which a transfer cannot be read has None.
    """
    found: defaultdict[int, list[Transfer]] = defaultdict(list)
    if not call_ids:
        return {}
    query = (
        select(
            TransferRow.__table__,
            CallRequest.campaign_id,
            CallRequest.subscriber_id,
            CallRequest.attempt,
            CallRequest.ring_limit_ms,
        )
        .join(CallRequest, CallRequest.id == TransferRow.callrequest_id)
        .where(IS_CALLING)
        .order_by(TransferRow.callrequest_id, TransferRow.place)
    )
    odd_calls = set()
    for row in connection.execute(query).mappings():
        one = readable([row], TransferRow.__table__, lambda row: _transfer(row, seed), unreadable)
        found[row["callrequest_id"]] += one
        odd_calls.update([] if one else [row["callrequest_id"]])
    return {call_id: None if call_id in odd_calls else tuple(transfers) for call_id, transfers in found.items()}


def call_backs_of(connection: Connection, shards: Shards) -> list[tuple[int, CallArrived]]:
    """Return the expected call backs with their times in milliseconds, in order of time. Odd ones are left out."""
    found = []
    for row in _ALL_EXPECTATIONS.run(connection, shards):
        with contextlib.suppress(*UNREADABLE):
            found.append(_expected(row))
    return found


def take_call_back(connection: Connection, call_id: int) -> CallArrived | None:
    """Delete the expected call back after a missed call, and return it.

    Return None if none was expected, or if the subscriber has called over a line since, and so taken its number.
    """
    row = connection.execute(_EXPECTATION, {"call": call_id}).one_or_none()
    connection.execute(_FORGET, {"call": call_id})
    if row is None:
        return None
    arrived = _expected(row)[1]
    has_called = {"subscriber": arrived.subscriber.id, "attempt": -arrived.missed_attempt}
    return None if connection.scalar(_HAS_CALLED, has_called) else arrived


def _expected(row: Row[Any]) -> tuple[int, CallArrived]:
    due_ms, call_id, user_id, attempt, callerid, *subscriber = tuple(row)
    values = dict(zip(SubscriberRow.__table__.c.keys(), subscriber, strict=True))
    return due_ms, CallArrived(call_id, user_id, attempt, callerid, _caller(values))


def _queue(row: RowMapping, tiers: tuple[TierPlan, ...]) -> QueuePlan:
    is_from_answer = row["time_base_score"] == "system"
    return QueuePlan(tiers=tiers, scores_from_answer=is_from_answer, **settings_by_name(QueuePlan, row))


def _left_early(connection: Connection, queue: RowMapping, now_ms: int) -> tuple[LeftEarly, ...]:
    since_ms = now_ms - queue["discard_abandoned_after"] * _SECOND_MS
    rows = connection.execute(_LEFT_EARLY, {"queue": queue["id"], "now_ms": now_ms, "since_ms": since_ms}).all()
    return tuple(LeftEarly(queue["id"], number, score, ended) for number, score, ended in reversed(rows))


def _figures(document: str) -> AgentFigures:
    return msgspec.json.decode(document, type=AgentFigures) if document else AgentFigures()


def _transfer(row: RowMapping, seed: int) -> Transfer:
    return Transfer(
        place=row["place"],
        section_id=row["section_id"],
        callid=leg_uuid(
            seed,
            row["campaign_id"],
            row["subscriber_id"] or NO_SUBSCRIBER,
            row["attempt"],
            row["callrequest_id"],
            row["place"] + 1,
        ),
        joined_ms=row["joined_ms"],
        rate=rate_of(row),
        queue_id=row["queue_id"],
        number=row["phone_number"],
        gateway_id=GatewayKey(VOICE, row["gateway_id"]) if row["gateway_id"] else None,
        hold=row["hold"],
        ring_limit_ms=row["ring_limit_ms"],
        talk_limit_ms=row["talk_limit_ms"],
        status=TransferStatus(row["status"]),
        reason=row["reason"],
        agent_id=row["agent_id"],
        parameters=row["parameters"],
        score_from_ms=row["score_from_ms"],
        offers=msgspec.json.decode(row["offers"], type=dict[int, int]),
        started_ms=row["started_ms"],
        answered_ms=row["answered_ms"],
        ended_ms=row["ended_ms"],
        is_abandoned=row["is_abandoned"],
        on_hold_from_ms=row["on_hold_from_ms"],
        on_hold_ms=row["on_hold_ms"],
        from_agent_id=row["from_agent_id"],
        for_agent_id=row["for_agent_id"],
        consulted=Consulted(row["consulted"]),
        recorded_ms=row["recorded_ms"],
    )


def _caller(row: dict[str, object]) -> Subscriber:
    return msgspec.convert({name: row[name] for name in _OF_CALLER}, type=Subscriber)
