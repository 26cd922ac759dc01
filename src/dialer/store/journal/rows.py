"""Rows that the journal writes: calls, their legs, subscribers and campaigns.

The fields of a row are the parameters of its statement, in order: a row is the tuple that `executemany` takes.
"""

from typing import Any, Final, NamedTuple

from dialer.domain.calls import call_effects, campaign_effects
from dialer.domain.calls.plans import Call, SectionResult, id_or_0
from dialer.domain.engine.inbound import FREE
from dialer.domain.engine.retry import failure_reason
from dialer.domain.survey.heard import written
from dialer.domain.words.enums import AmdStatus, CallRequestStatus, LegType, SubscriberStatus
from dialer.store.queries.rates import rate_values
from dialer.store.rows.invariants import Placed

_ABORT: Final = int(CallRequestStatus.ABORT)
_FAILURE: Final = int(CallRequestStatus.FAILURE)
_SUCCESS: Final = int(CallRequestStatus.SUCCESS)
_CALLING: Final = int(CallRequestStatus.CALLING)
_IN_PROCESS: Final = int(SubscriberStatus.IN_PROCESS)
_A_LEG: Final = int(LegType.A_LEG)
_INBOUND: Final = -1
"""The `attempt` of a refused inbound call, whose missed attempt is not known."""
_NOT_OF_A_LEG: Final = (None, 0, 0, 0)
"""The last columns of a CDR that is not of an A-leg."""


class RequestRow(NamedTuple):
    """The columns of a call request; those from `hold` on describe its end."""

    id: int
    campaign_id: int
    subscriber_id: int | None
    contact_id: int | None
    user_id: int
    gateway_id: int
    attempt: int
    callid: str
    phone_number: str
    callerid: str
    started_ms: int
    ring_limit_ms: int
    talk_limit_ms: int
    call_rate: int
    connection_fee: int
    first_increment: int
    next_increment: int
    amd: int
    parameters: str | None
    did_id: int | None
    dialled_number: str
    is_simulated: bool
    hold: int
    status: int
    status_reason: str
    ended_ms: int | None
    hangup_cause_q850: int | None
    heard: str


class RequestEnd(NamedTuple):
    """The end of a call request that has a row already."""

    hold: int
    status: int
    status_reason: str
    ended_ms: int
    hangup_cause_q850: int
    heard: str
    request_id: int


class CdrRow(NamedTuple):
    """The columns of a call detail record, for one leg."""

    id: int
    user_id: int
    callid: str
    callerid: str
    phone_number: str
    starting_date: int
    duration: int
    billsec: int
    call_cost: int
    billed_duration: int
    call_rate: int
    connection_fee: int
    first_increment: int
    next_increment: int
    hangup_cause_q850: int
    leg_type: int
    amd_status: int
    callrequest_id: int | None
    campaign_id: int | None
    subscriber_id: int
    contact_id: int | None
    gateway_id: int
    attempt: int
    zone: str
    phonebook_id: int
    agent_id: int
    post_dial_ms: int | None
    is_for_agents: int
    is_abandoned: int
    is_completed: int


class ResultRow(NamedTuple):
    """An answer to a section."""

    user_id: int
    callid: str
    campaign_id: int
    callrequest_id: int
    section_id: int
    section_type: int
    question: str
    response: str
    created_date: int
    record_file: str
    recording_duration: int | None


class SubscriberRow(NamedTuple):
    """The next state of a subscriber, and the expected state of the row, `was_status` and `had_attempts`."""

    new_status: int
    new_reason: str
    attempts: int
    failures: int
    completions: int
    dialled_ms: int | None
    due_ms: int
    changed_ms: int
    subscriber_id: int
    was_status: int
    had_attempts: int


class RefusalRow(NamedTuple):
    """The final status of a subscriber who is never called, and the reason."""

    new_status: int
    new_reason: str
    due_ms: int
    changed_ms: int
    subscriber_id: int


class CampaignGrowth(NamedTuple):
    """The growth of a campaign's counters, and its next moment to dial if it has dialled."""

    calls: int
    answered: int
    completed: int
    cost: int
    live_answered: int
    abandoned: int
    next_dial_us: int | None
    campaign_id: int


def dialled(call: Call) -> RequestRow:
    """Return the row of a call in progress."""
    return RequestRow._make((*_beginning(call), call.hold, _CALLING, "", None, None, ""))


def over(effect: call_effects.FinishCall | call_effects.FinishInbound) -> RequestRow:
    """Return the row of a call that ended before its row was written."""
    return RequestRow._make(_beginning(effect.call) + _end(effect))


def end(effect: call_effects.FinishCall | call_effects.FinishInbound) -> RequestEnd:
    """Return the end of a call whose row was written while it was in progress."""
    return RequestEnd(*_end(effect), effect.call.id)


def _beginning(call: Call) -> tuple[Any, ...]:
    """Return the fields of a `RequestRow` up to `dialled_number`."""
    plan = call.plan
    return (
        call.id,
        plan.id,
        call.subscriber.id or None,
        call.subscriber.contact_id,
        plan.user_id,
        plan.gateway_id.id,
        call.attempt,
        call.callid,
        called_number(call),
        call.callerid,
        call.started_ms,
        call.ring_limit_ms,
        call.talk_limit_ms,
        *rate_values(call.rate),
        call.amd,
        None,
        call.did_id,
        call.dialled,
        call.is_simulated,
    )


def _end(effect: call_effects.FinishCall | call_effects.FinishInbound) -> tuple[int, int, str, int, int, str]:
    """Return the fields of a `RequestRow` from `hold` on."""
    call, outcome = effect.call, effect.outcome
    if call.is_aborted:
        status, reason = _ABORT, "aborted"
    elif outcome.answered_ms is None or outcome.is_refused_machine:
        status, reason = _FAILURE, failure_reason(outcome)
    else:
        status, reason = _SUCCESS, ""
    return (0, status, reason, outcome.ended_ms, int(outcome.cause), written(outcome.heard))


def cdr(cdr_id: int, effect: call_effects.FinishCall | call_effects.FinishInbound) -> CdrRow:
    """Return the CDR of an A-leg."""
    call, outcome, bill = effect.call, effect.outcome, effect.bill
    # The denominator of the share of abandoned calls: live calls whose survey leads to queues.
    is_for_agents = call.plan.flow.queue_ids and call.attempt > 0 and outcome.is_live
    return CdrRow(
        cdr_id,
        call.plan.user_id,
        call.callid,
        call.callerid,
        called_number(call),
        call.started_ms,
        bill.duration,
        bill.billsec,
        bill.cost,
        bill.billed_duration,
        *rate_values(call.rate),
        int(outcome.cause),
        _A_LEG,
        int(outcome.amd_status),
        call.id,
        call.plan.id,
        call.subscriber.id,
        call.subscriber.contact_id,
        call.plan.gateway_id.id,
        call.attempt,
        call.subscriber.zone,
        call.subscriber.phonebook_id or 0,
        0,
        None if outcome.signalled_ms is None else outcome.signalled_ms - call.started_ms,
        # Integers, because the driver adapts Booleans one by one.
        1 if is_for_agents else 0,
        1 if is_for_agents and any(transfer.is_abandoned for transfer in call.transfers) else 0,
        1 if outcome.is_completed else 0,
    )


def leg_cdr(cdr_id: int, effect: call_effects.FinishLeg) -> CdrRow:
    """Return the CDR of a B-leg, whose caller is the callee of the A-leg."""
    call, transfer, outcome, bill = effect.call, effect.transfer, effect.outcome, effect.bill
    return CdrRow(
        cdr_id,
        call.plan.user_id,
        transfer.callid,
        call.subscriber.number,
        transfer.number,
        transfer.started_ms or 0,
        bill.duration,
        bill.billsec,
        bill.cost,
        bill.billed_duration,
        *rate_values(transfer.rate),
        int(outcome.cause),
        int(LegType.B_LEG),
        int(AmdStatus.PERSON),
        call.id,
        call.plan.id,
        call.subscriber.id,
        call.subscriber.contact_id,
        id_or_0(transfer.gateway_id),
        call.attempt,
        call.subscriber.zone,
        call.subscriber.phonebook_id or 0,
        transfer.agent_id or 0,
        *_NOT_OF_A_LEG,
    )


def refused_cdr(cdr_id: int, effect: call_effects.RefuseInbound, now_ms: int) -> CdrRow:
    """Return the CDR of an inbound call that was not answered."""
    caller = effect.subscriber
    return CdrRow(
        cdr_id,
        effect.user_id,
        effect.callid,
        caller.number,
        effect.did_number,
        now_ms,
        *(0, 0, 0, 0),
        *rate_values(FREE),
        int(effect.cause),
        _A_LEG,
        int(AmdStatus.PERSON),
        None,
        None,
        caller.id,
        caller.contact_id,
        id_or_0(effect.gateway_id),
        _INBOUND,
        caller.zone,
        caller.phonebook_id or 0,
        0,
        *_NOT_OF_A_LEG,
    )


def result(call: Call, answer: SectionResult) -> ResultRow:
    """Return the row of an answer to a section."""
    seconds = answer.recording_s
    return ResultRow(
        call.plan.user_id,
        call.callid,
        call.plan.id,
        call.id,
        answer.section_id,
        int(answer.section_type),
        answer.question,
        answer.response,
        answer.at_ms,
        "" if seconds is None else answer.response,
        seconds,
    )


def called(call: Call, was_status: int, had_attempts: int) -> SubscriberRow:
    """Return the state of a subscriber who is being called."""
    callee = call.subscriber
    return SubscriberRow(
        _IN_PROCESS,
        "",
        callee.attempts,
        callee.failures,
        callee.completions,
        call.started_ms,
        callee.due_ms,
        call.started_ms,
        callee.id,
        was_status,
        had_attempts,
    )


def after_call(
    effect: call_effects.FinishCall | call_effects.TakeBackCall, ended_ms: int, was_status: int, had_attempts: int
) -> SubscriberRow:
    """Return the state of a subscriber after an attempt."""
    call, after = effect.call, effect.disposition
    return SubscriberRow(
        int(after.status),
        after.reason,
        call.attempt,
        after.failures,
        after.completions,
        call.started_ms,
        after.due_ms,
        ended_ms,
        call.subscriber.id,
        was_status,
        had_attempts,
    )


def call_back(effect: campaign_effects.ExpectCallBack) -> tuple[int, int, int]:
    """Return the values of an expected call-back's row."""
    return effect.call.id, effect.call.plan.user_id, effect.at_ms


def called_number(call: Call) -> str:
    """Return the number that was called: that of the callee, or the DID of an inbound call."""
    return call.did_number or call.subscriber.number


def placed(row: SubscriberRow, call: Call) -> Placed:
    """Return a subscriber whose row must have been as the engine assumed before an attempt changed it."""
    return Placed(row.subscriber_id, row.new_status, row.attempts, row.was_status, row.had_attempts, call)


def refused(row: RefusalRow) -> Placed:
    """Return a subscriber who must have waited for a call before the refusal."""
    return Placed(row.subscriber_id, row.new_status, None, int(SubscriberStatus.PENDING), None, None)
