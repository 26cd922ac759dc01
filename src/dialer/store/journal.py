"""The journal: effects become rows, many at a time, in the transaction of the step that decided them.

Within a step a call may be placed and over: then it is written once, as it ended. What a step wrote is there as a whole
or not at all.
"""

from collections import defaultdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, literal, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from dialer.domain import effects, events
from dialer.domain.enums import CallRequestStatus, LegType, SubscriberStatus
from dialer.domain.plans import Call
from dialer.domain.plans import Subscriber as Callee
from dialer.domain.retry import failure_reason
from dialer.domain.states import OPEN_SUBSCRIBERS
from dialer.store import journal_statements as statements
from dialer.store.journal_messages import MessageRows
from dialer.store.ledger import Entry, post_calls
from dialer.store.models import Campaign, DncContact, Subscriber

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__
_dnc = DncContact.__table__


class _Progress:
    """How a campaign's counters grew."""

    __slots__ = ("answered", "calls", "completed", "cost", "next_dial_us")

    def __init__(self) -> None:
        self.calls = self.answered = self.completed = self.cost = 0
        self.next_dial_us: int | None = None


class Journal:
    """The book of the live engine (`dialer.sim.kernel.Book`): begin a step, record and claim, flush, commit."""

    def __init__(self, *, next_cdr_id: int) -> None:
        self.next_cdr_id = next_cdr_id
        self._connection: Connection | None = None
        self._clear()

    def begin(self, connection: Connection) -> None:
        """Write through this connection until the next step."""
        self._connection = connection

    def flush(self) -> None:
        """Write all that was recorded since the last time."""
        connection = self._at_work()
        statements.INSERT_REQUESTS.run(connection, [_dialled(call) for call in self._dialled.values()])
        statements.INSERT_REQUESTS.run(connection, self._requests_over)
        statements.FINISH_REQUESTS.run(connection, self._requests_finished)
        self._messages.write(connection)
        statements.INSERT_CDRS.run(connection, self._cdrs)
        statements.INSERT_RESULTS.run(connection, self._results)
        statements.UPDATE_SUBSCRIBERS.run(connection, list(self._subscribers.values()))
        statements.REFUSE_SUBSCRIBERS.run(connection, self._refusals)
        statements.COUNT_CAMPAIGNS.run(connection, [_counted(*item) for item in self._progress.items()])
        if self._entries or self._reserved:
            post_calls(connection, self._entries, self._reserved)
        self._clear()

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Subscribers never called, lowest id first."""
        query = (
            _claimable(claim.campaign_id)
            .where(_in_zone(claim.zone), _subscribers.c.due_ms == 0, _subscribers.c.id > claim.after_id)
            .order_by(_subscribers.c.id)
        )
        found = self._find(query.limit(claim.limit))
        return events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Subscribers who wait for a retry, in the order in which they are due."""
        after = tuple_(literal(claim.after_due_ms), literal(claim.after_id))
        query = (
            _claimable(claim.campaign_id)
            .where(_in_zone(claim.zone), _subscribers.c.due_ms > 0)
            .where(tuple_(_subscribers.c.due_ms, _subscribers.c.id) > after)
            .order_by(_subscribers.c.due_ms, _subscribers.c.id)
        )
        found = self._find(query.limit(claim.limit))
        return events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """A subscriber who waits for a retry, as their row stands now."""
        found = self._find(_claimable(claim.campaign_id).where(_subscribers.c.id == claim.subscriber.id))
        return events.SubscriberClaimedAgain(claim.campaign_id, found[0] if found else None)

    def count(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Whether a campaign has subscribers, and any that are not final."""
        self.flush()
        connection = self._at_work()
        of_campaign = _subscribers.c.campaign_id == request.campaign_id
        is_open = _subscribers.c.status.in_(sorted(OPEN_SUBSCRIBERS))
        return events.SubscribersCounted(
            request.campaign_id,
            has_any=bool(connection.scalar(select(exists().where(of_campaign)))),
            has_open=bool(connection.scalar(select(exists().where(of_campaign, is_open)))),
        )

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says, to be written by the next flush."""
        match effect:
            case effects.Dial():
                self._record_dial(effect)
            case effects.FinishCall():
                self._record_finish(effect)
            case effects.RefuseSubscriber():
                self._record_refusal(effect, now_ms)
            case effects.MoveCampaign():
                self._move_campaign(effect, now_ms)
            case effects.AddToDnc():
                self._add_to_dnc(effect, now_ms)
            case _:
                pass

    def _clear(self) -> None:
        self._dialled: dict[int, Call] = {}
        self._messages = MessageRows()
        self._requests_over: list[tuple[Any, ...]] = []
        self._requests_finished: list[tuple[Any, ...]] = []
        self._cdrs: list[tuple[Any, ...]] = []
        self._results: list[tuple[Any, ...]] = []
        self._subscribers: dict[int, tuple[Any, ...]] = {}
        self._refusals: list[tuple[Any, ...]] = []
        self._progress: defaultdict[int, _Progress] = defaultdict(_Progress)
        self._entries: list[Entry] = []
        self._reserved: defaultdict[int, int] = defaultdict(int)

    def _at_work(self) -> Connection:
        if self._connection is None:
            message = "the journal was used outside a step"
            raise RuntimeError(message)
        return self._connection

    def _find(self, query: Select[Any]) -> list[Callee]:
        self.flush()
        return [_callee(row) for row in self._at_work().execute(query)]

    def _record_dial(self, effect: effects.Dial) -> None:
        call = effect.call
        if call.parts:
            self._messages.sent(call)
        else:
            self._dialled[call.id] = call
        self._subscribers[call.subscriber.id] = _in_process(call)
        progress = self._progress[call.plan.id]
        progress.calls += 1
        progress.next_dial_us = effect.next_dial_us
        if call.hold:
            self._reserved[call.plan.user_id] += call.hold

    def _record_finish(self, effect: effects.FinishCall) -> None:
        if effect.call.parts:
            self._messages.finished(effect)
        else:
            self._record_call(effect)
        self._record_consequences(effect)

    def _record_call(self, effect: effects.FinishCall) -> None:
        call, plan = effect.call, effect.call.plan
        if self._dialled.pop(call.id, None) is not None:
            self._requests_over.append(_dialled(call)[: -len(_FINAL)] + _final(effect))
        else:
            self._requests_finished.append((*_final(effect), call.id))
        self._cdrs.append(_cdr(self.next_cdr_id, effect))
        self.next_cdr_id += 1
        for result in effect.outcome.results:
            kept = (result.section_id, result.section_type, result.question, result.response, result.at_ms)
            self._results.append((plan.user_id, plan.id, call.id, *kept, "", None))

    def _record_consequences(self, effect: effects.FinishCall) -> None:
        """What an attempt changes besides its own rows: the subscriber, the campaign's counters, the balance."""
        call, outcome, bill, after = effect.call, effect.outcome, effect.bill, effect.verdict
        plan = call.plan
        self._subscribers[call.subscriber.id] = _after_call(effect)
        progress = self._progress[plan.id]
        progress.answered += outcome.answered_ms is not None or outcome.delivered_ms is not None
        progress.completed += after.status is SubscriberStatus.COMPLETED
        progress.cost += bill.cost
        if bill.cost:
            kind = "sms" if call.parts else "call"
            self._entries.append(Entry(plan.user_id, kind, -bill.cost, f"{kind}:{call.callid}", outcome.ended_ms))
        if call.hold:
            self._reserved[plan.user_id] -= call.hold

    def _record_refusal(self, effect: effects.RefuseSubscriber, now_ms: int) -> None:
        status = int(SubscriberStatus.NOT_AUTHORIZED)
        self._refusals.append((status, effect.reason, 0, now_ms, effect.subscriber.id))

    def _move_campaign(self, effect: effects.MoveCampaign, now_ms: int) -> None:
        self._at_work().execute(
            update(_campaigns)
            .where(_campaigns.c.id == effect.campaign_id)
            .values(status=effect.status, status_reason=effect.reason, updated_date=now_ms)
        )

    def _add_to_dnc(self, effect: effects.AddToDnc, now_ms: int) -> None:
        connection = self._at_work()
        dialect: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
        added = dialect.insert(_dnc).values(
            dnc_id=effect.dnc_id,
            phone_number=effect.number,
            number=effect.number,
            created_date=now_ms,
            updated_date=now_ms,
        )
        connection.execute(added.on_conflict_do_nothing(index_elements=["dnc_id", "number"]))


_FINAL: Final = ("hold", "status", "status_reason", "ended_ms", "hangup_cause_q850")
"""The last columns of a call request's row: what the end of the call decides."""


def _dialled(call: Call) -> tuple[Any, ...]:
    plan = call.plan
    return (
        call.id,
        plan.id,
        call.subscriber.id,
        call.subscriber.contact_id,
        plan.user_id,
        plan.gateway_id,
        call.attempt,
        call.callid,
        call.subscriber.number,
        call.callerid,
        call.started_ms,
        call.ring_limit_ms,
        call.talk_limit_ms,
        call.rate.per_minute,
        call.amd,
        None,
        *(call.hold, int(CallRequestStatus.CALLING), "", None, None),
    )


def _final(effect: effects.FinishCall) -> tuple[Any, ...]:
    call, outcome = effect.call, effect.outcome
    if call.is_aborted:
        status, reason = CallRequestStatus.ABORT, "aborted"
    elif outcome.answered_ms is None or outcome.is_refused_machine:
        status, reason = CallRequestStatus.FAILURE, failure_reason(outcome)
    else:
        status, reason = CallRequestStatus.SUCCESS, ""
    return (0, int(status), reason, outcome.ended_ms, int(outcome.cause))


def _cdr(cdr_id: int, effect: effects.FinishCall) -> tuple[Any, ...]:
    call, outcome, bill = effect.call, effect.outcome, effect.bill
    return (
        cdr_id,
        call.plan.user_id,
        call.callid,
        call.callerid,
        call.subscriber.number,
        call.started_ms,
        bill.duration,
        bill.billsec,
        bill.cost,
        bill.billed_duration,
        int(outcome.cause),
        int(LegType.A_LEG),
        int(outcome.amd_status),
        call.id,
        call.plan.id,
        call.subscriber.id,
        call.subscriber.contact_id,
    )


def _in_process(call: Call) -> tuple[Any, ...]:
    callee = call.subscriber
    counts = (callee.attempts, callee.failures, callee.completions)
    status = int(SubscriberStatus.IN_PROCESS)
    return (status, "", *counts, call.started_ms, callee.due_ms, call.started_ms, callee.id)


def _after_call(effect: effects.FinishCall) -> tuple[Any, ...]:
    call, after = effect.call, effect.verdict
    counts = (call.attempt, after.failures, after.completions)
    moments = (call.started_ms, after.due_ms, effect.outcome.ended_ms)
    return (int(after.status), after.reason, *counts, *moments, call.subscriber.id)


def _counted(campaign_id: int, progress: _Progress) -> tuple[Any, ...]:
    grown = (progress.calls, progress.answered, progress.completed, progress.cost)
    return (*grown, progress.next_dial_us, campaign_id)


def _in_zone(zone: str) -> ColumnElement[bool]:
    return _subscribers.c.zone == zone


def _claimable(campaign_id: int) -> Select[Any]:
    """PENDING subscribers, and whether they stand on the campaign's do-not-call list at this moment."""
    of_campaign = select(_campaigns.c.dnc_id).where(_campaigns.c.id == campaign_id).scalar_subquery()
    is_on_dnc = exists().where(_dnc.c.dnc_id == of_campaign, _dnc.c.number == _subscribers.c.number)
    return select(
        _subscribers.c.id,
        _subscribers.c.number,
        _subscribers.c.zone,
        _subscribers.c.contact_id,
        _subscribers.c.count_attempt,
        _subscribers.c.failure_count,
        _subscribers.c.completion_count,
        _subscribers.c.due_ms,
        is_on_dnc,
        _subscribers.c.full_name,
        _subscribers.c.additional_vars,
    ).where(
        _subscribers.c.campaign_id == campaign_id,
        _subscribers.c.status == SubscriberStatus.PENDING,
    )


def _callee(row: Row[Any]) -> Callee:
    (
        subscriber_id,
        number,
        zone,
        contact_id,
        attempts,
        failures,
        completions,
        due_ms,
        is_on_dnc,
        full_name,
        variables,
    ) = tuple(row)
    return Callee(
        id=subscriber_id,
        number=number,
        zone=zone,
        contact_id=contact_id,
        attempts=attempts,
        failures=failures,
        completions=completions,
        due_ms=due_ms,
        is_on_dnc=bool(is_on_dnc),
        full_name=full_name,
        additional_vars=variables,
    )
