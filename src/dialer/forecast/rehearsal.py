"""One rehearsal: the campaign run to its end under one seed, and what came of it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from sqlalchemy import Connection, RowMapping, Select, func, literal, select, union_all

from dialer.domain.billing.money import format_money
from dialer.domain.digest import cdr_digest
from dialer.domain.enums import CallRequestStatus, CampaignStatus
from dialer.forecast.memory_database import Scratch
from dialer.forecast.order import Order
from dialer.runtime.clock import VirtualClock
from dialer.runtime.worker import Worker
from dialer.sim.line import SimulatedLine
from dialer.sim.report import show_date
from dialer.store.queries.survey_results import count_answers
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, SmsMessage

LAST_CALLS_MS: Final = 2 * 86_400_000
"""How long after a campaign's end its last calls are waited for; one lasts a day at most."""
UNREADABLE: Final = "unreadable"
"""The stop reason of a campaign whose rows the engine cannot understand: it never stops, nor does it dial."""

_campaigns = Campaign.__table__
_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_cdrs = Cdr.__table__


class Counters(NamedTuple):
    """What a campaign has come to so far; money in integers of 1e-5."""

    calls: int
    """Calls that are over, or text messages of which is known what became."""
    answered: int
    completed: int
    cost: int
    live_answered: int
    abandoned: int


class Stop(NamedTuple):
    """When a campaign stopped dialling, in milliseconds since the epoch, and why."""

    at_ms: int
    reason: str


class RehearsalOutcome(NamedTuple):
    """What came of a campaign under one seed, from the moment of the forecast on."""

    seed: int
    stop: Stop
    subscribers: int
    counters: Counters
    calls_in_progress_peak: int
    digest: str
    answers: Counter[tuple[int, str]]
    """How often each section was answered what; of very many different answers, the most frequent ones."""
    answered_sections: Counter[int]
    """How often each section was answered at all."""


async def rehearse(pristine: Scratch, order: Order, seed: int) -> RehearsalOutcome:
    """What comes of the campaign in `pristine`, which stays as it is, under a seed."""
    scratch = pristine.copied()
    try:
        before = scratch.read_now(lambda connection: _counters(connection, order.campaign_id))
        stop = await _run(scratch, order, seed)
        return scratch.read_now(lambda connection: _outcome(connection, order, seed, stop, before))
    finally:
        scratch.close()


async def _run(scratch: Scratch, order: Order, seed: int) -> Stop:
    """Run the campaign until nothing more can come of it; the first stop counts, as who is out of money expires too."""
    worker = Worker(
        scratch, VirtualClock(order.now_ms), seed=seed, service_zone=order.service_zone, new_line=SimulatedLine
    )
    expires_ms = scratch.read_now(lambda connection: int(_campaign(connection, order.campaign_id)["expirationdate"]))
    stop: Stop | None = None
    for until_ms in (order.now_ms, expires_ms - 1, expires_ms, expires_ms + LAST_CALLS_MS):
        await worker.advance(max(until_ms, order.now_ms))
        stop = stop or scratch.read_now(lambda connection: _stop(connection, order.campaign_id))
    return stop or Stop(expires_ms, UNREADABLE)


def _stop(connection: Connection, campaign_id: int) -> Stop | None:
    row = _campaign(connection, campaign_id)
    return None if row["status"] == CampaignStatus.START else Stop(row["updated_date"], row["status_reason"])


def _counters(connection: Connection, campaign_id: int) -> Counters:
    """What the campaign has come to so far. Calls that came in, and texts sent in a call, are no calls of its own."""
    row = _campaign(connection, campaign_id)
    in_progress = sum(
        connection.scalar(query) or 0
        for query in (
            select(func.count()).where(
                _requests.c.campaign_id == campaign_id,
                _requests.c.status == CallRequestStatus.CALLING,
                _requests.c.did_id.is_(None),
            ),
            select(func.count()).where(
                _messages.c.campaign_id == campaign_id,
                _messages.c.ended_ms.is_(None),
                _messages.c.callrequest_id.is_(None),
            ),
        )
    )
    return Counters(row["calls"] - in_progress, *(row[name] for name in Counters._fields[1:]))


def _outcome(connection: Connection, order: Order, seed: int, stop: Stop, before: Counters) -> RehearsalOutcome:
    after = _counters(connection, order.campaign_id)
    answers = count_answers(connection, order.campaign_id)
    return RehearsalOutcome(
        seed=seed,
        stop=stop,
        subscribers=_campaign(connection, order.campaign_id)["totalcontact"],
        counters=Counters(*(new - old for new, old in zip(after, before, strict=True))),
        calls_in_progress_peak=_peak(connection, order),
        digest=cdr_digest(_records(connection, order.campaign_id)),
        answers=Counter({(key, each.response): each.count for key, found in answers.items() for each in found.answers}),
        answered_sections=Counter({section_id: found.total for section_id, found in answers.items()}),
    )


def _campaign(connection: Connection, campaign_id: int) -> RowMapping:
    return connection.execute(select(_campaigns).where(_campaigns.c.id == campaign_id)).mappings().one()


def _peak(connection: Connection, order: Order) -> int:
    """The most calls, or messages, that were in progress at once; one that ends makes room in the same millisecond."""
    medium = _campaign(connection, order.campaign_id)["medium"]
    attempts, started = (_messages, _messages.c.send_date) if medium == SMS else (_requests, _requests.c.started_ms)
    of_campaign = attempts.c.campaign_id == order.campaign_id
    is_later = attempts.c.ended_ms > order.now_ms
    changes = union_all(
        select(started.label("at_ms"), literal(1).label("change")).where(of_campaign, is_later),
        select(attempts.c.ended_ms, literal(-1)).where(of_campaign, is_later),
    ).subquery()
    running = func.sum(changes.c.change).over(order_by=(changes.c.at_ms, changes.c.change)).label("running")
    found: Select[tuple[int]] = select(func.max(select(running).subquery().c.running))
    return int(connection.scalar(found) or 0)


def _records(connection: Connection, campaign_id: int) -> Iterator[Mapping[str, object]]:
    """The call detail records, as the API gives them."""
    query = select(_cdrs).where(_cdrs.c.campaign_id == campaign_id).order_by(_cdrs.c.id)
    for row in connection.execute(query).mappings():
        yield {**row, "starting_date": show_date(row["starting_date"]), "call_cost": format_money(row["call_cost"])}
