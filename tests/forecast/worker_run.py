"""A seed's run through the worker and SQLite: the way of the service, which the runs of a forecast must equal."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, Select, Table, func, literal, select, union_all
from sqlalchemy.orm import InstrumentedAttribute

from dialer.domain.billing.money import format_money
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.figures.statistics import Grouping
from dialer.domain.forecast.rehearsed_rules import RuleCost
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import CampaignStatus, TransferStatus
from dialer.forecast.forecast import started_copy
from dialer.forecast.memory_database import MemoryDatabase
from dialer.forecast.parameters import Order
from dialer.forecast.queue_figures import IN_TIME_MS, QueueCounters
from dialer.forecast.run_store import Counters, Stop
from dialer.forecast.seed_run import HOURS_MAX, LAST_CALLS_MS, UNREADABLE, HourCounters, SeedRun
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.report import show_date
from dialer.store.database.database import Database
from dialer.store.queries.campaign_figures import machines_of_campaigns
from dialer.store.queries.contact_law import law_rows
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.statistics import WhoseCalls, count_calls
from dialer.store.queries.survey_results import count_answers
from dialer.store.tables import (
    SMS,
    Agent,
    CallRequest,
    Campaign,
    Cdr,
    ContactWait,
    SectionTemplate,
    SmsMessage,
    Tier,
    Transfer,
)


class Before(NamedTuple):
    """The copy before the run: its counters, the agents on duty, and the transfers that are over."""

    counters: Counters
    agents: int
    """Agents on duty who serve a queue of the campaign."""
    wrap_ups_ms: dict[int, int]
    transfer_ids: set[int]


async def run_in_worker(database: Database, order: Order, seed: int) -> SeedRun:
    """Run a copy of a campaign under a seed."""
    copy, _, _ = started_copy(database, order)
    try:
        before = copy.read_now(lambda connection: _before(connection, order.campaign_id))
        stop = await _run(copy, order, seed)
        return copy.read_now(lambda connection: _seed_run(connection, order, seed, stop, before))
    finally:
        copy.close()


async def _run(copy: MemoryDatabase, order: Order, seed: int) -> Stop:
    """Run the campaign until its last call is over, and return its first stop.

    A campaign that stops for want of money also expires later, so later stops do not count.
    """
    worker = Worker(
        copy,
        VirtualClock(order.now_ms),
        seed=seed,
        service_zone=order.service_zone,
        new_carrier=SimulatedCarrier,
        new_lines=None,
        hours=read_calling_hours(order.calling_hours),
    )
    expires_ms = copy.read_now(lambda connection: int(_campaign(connection, order.campaign_id)["expirationdate"]))
    stop: Stop | None = None
    for until_ms in (order.now_ms, expires_ms - 1, expires_ms, expires_ms + LAST_CALLS_MS):
        await worker.advance(max(until_ms, order.now_ms))
        stop = stop or copy.read_now(lambda connection: _stop(connection, order.campaign_id))
    return stop or Stop(expires_ms, UNREADABLE)


def _stop(connection: Connection, campaign_id: int) -> Stop | None:
    row = _campaign(connection, campaign_id)
    return None if row["status"] == CampaignStatus.START else Stop(row["updated_date"], row["status_reason"])


def _counters(connection: Connection, campaign_id: int) -> Counters:
    """Return the counters, without attempts in progress. Inbound calls and texts sent during calls are no attempts."""
    row = _campaign(connection, campaign_id)
    in_progress = sum(
        connection.scalar(query) or 0
        for query in (
            select(func.count()).where(
                CallRequest.campaign_id == campaign_id,
                IS_CALLING,
                CallRequest.did_id.is_(None),
            ),
            select(func.count()).where(
                SmsMessage.campaign_id == campaign_id,
                SmsMessage.ended_ms.is_(None),
                SmsMessage.callrequest_id.is_(None),
            ),
        )
    )
    machines = machines_of_campaigns(connection, [campaign_id]).get(campaign_id, 0)
    counted = {name: row[name] for name in Counters._fields if name in row}
    return Counters(**{**counted, "calls": row["calls"] - in_progress, "machine_answered": machines})


def _before(connection: Connection, campaign_id: int) -> Before:
    agents = connection.execute(select(Agent.id, Agent.wrap_up_time).where(Agent.status.in_(TAKES_CALLS)))
    served = select(SectionTemplate.queue_id).where(SectionTemplate.queue_id.is_not(None))
    of_campaign = select(Campaign.object_id).where(Campaign.id == campaign_id)
    served = served.where(SectionTemplate.survey_id.in_(of_campaign))
    serving = select(Tier.agent_id).where(Tier.queue_id.in_(served))
    return Before(
        _counters(connection, campaign_id),
        len(set(connection.scalars(select(Agent.id).where(Agent.id.in_(serving), Agent.status.in_(TAKES_CALLS))))),
        {agent_id: seconds * 1_000 for agent_id, seconds in agents},
        set(connection.scalars(select(Transfer.id).where(Transfer.status == TransferStatus.OVER))),
    )


def _seed_run(connection: Connection, order: Order, seed: int, stop: Stop, before: Before) -> SeedRun:
    after = _counters(connection, order.campaign_id)
    answers = count_answers(connection, order.campaign_id)
    return SeedRun(
        seed=seed,
        stop=stop,
        subscribers=_campaign(connection, order.campaign_id)["totalcontact"],
        counters=Counters(*(new - old for new, old in zip(after, before.counters, strict=True))),
        calls_in_progress_peak=_peak(connection, order),
        digest=cdr_digest(_records(connection, order.campaign_id)),
        answers=Counter(
            {
                (key, each.response): each.count
                for key, section_answers in answers.items()
                for each in section_answers.answers
            }
        ),
        answered_sections=Counter(
            {section_id: section_answers.total for section_id, section_answers in answers.items()}
        ),
        hours=_hours(connection, order.campaign_id),
        queues=_queues(connection, order, before),
        held=_held(connection, order),
    )


def _held(connection: Connection, order: Order) -> tuple[RuleCost, ...]:
    """Return what the contact rules have cost, by the waits that the worker has kept."""
    expires_ms = _campaign(connection, order.campaign_id)["expirationdate"]
    waits: dict[int, list[tuple[int, int, int]]] = {}
    for row in connection.execute(select(ContactWait.__table__).order_by(ContactWait.id)).mappings():
        if row["until_ms"] is not None:
            rule_id = row["rule_id"] or -1 - [law.id for law in law_rows()].index(row["row"])
            waits.setdefault(rule_id, []).append((row["subscriber_id"], row["at_ms"], row["until_ms"]))
    found = []
    for rule_id, theirs in sorted(waits.items()):
        last = {who: until_ms for who, _, until_ms in theirs}
        waited_ms = sum(max(0, min(until_ms, expires_ms) - at_ms) for _, at_ms, until_ms in theirs)
        too_late = sum(until_ms >= expires_ms for until_ms in last.values())
        found.append(RuleCost(rule_id, len(last), len(theirs), waited_ms, too_late))
    return tuple(found)


def _queues(connection: Connection, order: Order, before: Before) -> QueueCounters:
    query = select(Transfer.__table__).where(Transfer.status == TransferStatus.OVER, Transfer.score_from_ms > 0)
    over = [row for row in connection.execute(query) if row.id not in before.transfer_ids]
    served = [row for row in over if row.answered_ms is not None]
    waits_ms = [row.answered_ms - row.joined_ms for row in served]
    wrapped_ms = sum(before.wrap_ups_ms.get(row.agent_id, 0) for row in served)
    return QueueCounters(
        agents=before.agents,
        queued=len(over),
        served=len(served),
        in_time=sum(wait_ms <= IN_TIME_MS for wait_ms in waits_ms),
        waited_ms=sum(waits_ms),
        busy_ms=wrapped_ms + sum(row.ended_ms - row.answered_ms for row in served),
        dialled_ms=_dialled_ms(connection, order),
    )


def _dialled_ms(connection: Connection, order: Order) -> int:
    """Return the milliseconds from the forecast on in which a call, or a message, was in progress."""
    medium = _campaign(connection, order.campaign_id)["medium"]
    attempts, started = _attempts(medium)
    of_campaign = attempts.c.campaign_id == order.campaign_id
    spans = select(started, attempts.c.ended_ms).where(of_campaign, attempts.c.ended_ms > order.now_ms)
    dialled_ms, free_from_ms = 0, order.now_ms
    for begun_ms, ended_ms in connection.execute(spans.order_by(started)):
        dialled_ms += max(0, ended_ms - max(begun_ms, free_from_ms))
        free_from_ms = max(free_from_ms, ended_ms)
    return dialled_ms


def _hours(connection: Connection, campaign_id: int) -> list[HourCounters]:
    """Return the counters of the run. The copy begins without any, so they are those from the forecast on."""
    scope = WhoseCalls(campaign_id=campaign_id)
    counted = count_calls(connection, scope, Grouping.TOTAL, None, HOURS_MAX, by_hour=True)
    return [
        HourCounters(
            counted_hour.hour or 0,
            counted_hour.figures.calls + counted_hour.figures.messages,
            counted_hour.figures.cost,
        )
        for counted_hour in counted
    ]


def _campaign(connection: Connection, campaign_id: int) -> RowMapping:
    return connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()


def _peak(connection: Connection, order: Order) -> int:
    """Return the most calls, or messages, in progress at once; one that ends frees its place in that millisecond."""
    medium = _campaign(connection, order.campaign_id)["medium"]
    attempts, started = _attempts(medium)
    of_campaign = attempts.c.campaign_id == order.campaign_id
    is_later = attempts.c.ended_ms > order.now_ms
    changes = union_all(
        select(started.label("at_ms"), literal(1).label("change")).where(of_campaign, is_later),
        select(attempts.c.ended_ms, literal(-1)).where(of_campaign, is_later),
    ).subquery()
    running = func.sum(changes.c.change).over(order_by=(changes.c.at_ms, changes.c.change)).label("running")
    query: Select[tuple[int]] = select(func.max(select(running).subquery().c.running))
    return int(connection.scalar(query) or 0)


def _attempts(medium: str) -> tuple[Table, InstrumentedAttribute[int]]:
    """Return the table of a medium's attempts, and the column of their beginning."""
    if medium == SMS:
        return SmsMessage.__table__, SmsMessage.send_date
    return CallRequest.__table__, CallRequest.started_ms


def _records(connection: Connection, campaign_id: int) -> Iterator[Mapping[str, object]]:
    """Yield the call detail records with values as the API writes them."""
    query = select(Cdr.__table__).where(Cdr.campaign_id == campaign_id).order_by(Cdr.id)
    for row in connection.execute(query).mappings():
        yield {**row, "starting_date": show_date(row["starting_date"]), "call_cost": format_money(row["call_cost"])}
