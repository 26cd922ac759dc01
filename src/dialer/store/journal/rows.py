"""Rows that the journal writes: calls, their legs, subscribers and campaigns.

The fields of a row are the parameters of its statement, in order: a row is the tuple that `executemany` takes.
"""

from typing import Any, Final, NamedTuple

from dialer.domain.calls import call_effects, campaign_effects
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.calls.plans import Call, id_or_0
from dialer.domain.engine.inbound import FREE
from dialer.domain.engine.retry import failure_reason
from dialer.domain.survey.heard import written
from dialer.domain.words.enums import AmdStatus, CallRequestStatus, LegType, SubscriberStatus
from dialer.store.journal.agent_calls import NOT_FOR_AGENTS, for_agents
from dialer.store.journal.request_rows import RequestEnd
from dialer.store.queries.rates import rate_values
from dialer.store.rows.invariants import Placed

_ABORT: Final = int(CallRequestStatus.ABORT)
_FAILURE: Final = int(CallRequestStatus.FAILURE)
_SUCCESS: Final = int(CallRequestStatus.SUCCESS)
_CALLING: Final = int(CallRequestStatus.CALLING)
_PENDING: Final = int(SubscriberStatus.PENDING)
_IN_PROCESS: Final = int(SubscriberStatus.IN_PROCESS)
_A_LEG: Final = int(LegType.A_LEG)
_INBOUND: Final = -1
"""The `attempt` of a refused inbound call, whose missed attempt is not known."""
_NOT_OF_A_LEG: Final = (None, 0, 0, 0)
"""The last columns but one of a CDR that is not of an A-leg."""
_row: Final = tuple.__new__
"""Makes a row of a tuple of its values. Calling the class costs as much as making the tuple."""


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
    sound: str | None
    is_test: int
    consent_id: int | None


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
    summary: str


class SubscriberRow(NamedTuple):
    """The next state of a subscriber, and the expected state of the row, `was_status` and `had_attempts`."""

    new_status: int
    new_reason: str
    attempts: int
    failures: int
    completions: int
    abandoned: int
    dialled_ms: int | None
    due_ms: int
    changed_ms: int
    subscriber_id: int
    was_status: int
    had_attempts: int


_EXPECTED: Final = SubscriberRow._fields.index("was_status")
"""The place of the first field of a `SubscriberRow` that says what is expected."""


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


def dialled(call: Call) -> tuple[Any, ...]:
    """Return the fields of a `RequestRow` for a call in progress."""
    return (*_beginning(call), call.hold, _CALLING, "", None, None, "")


def over(effect: call_effects.FinishCall | call_effects.FinishInbound) -> tuple[Any, ...]:
    """Return the fields of a `RequestRow` for a call that ended before its row was written."""
    return _beginning(effect.call) + _end(effect)


def end(effect: call_effects.FinishCall | call_effects.FinishInbound) -> RequestEnd:
    """Return the end of a call whose row was written while it was in progress."""
    return RequestEnd(*_end(effect), effect.call.id)


def _beginning(call: Call) -> tuple[Any, ...]:
    """Return the fields of a `RequestRow` up to `consent_id`."""
    plan, person = call.plan, call.subscriber
    return (
        call.id,
        plan.id,
        person.id or None,
        person.contact_id,
        plan.user_id,
        plan.gateway_id.id,
        call.attempt,
        call.callid,
        call.did_number or person.number,
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
        call.consent_id,
    )


def _end(effect: call_effects.FinishCall | call_effects.FinishInbound) -> tuple[int, int, str, int, int, str]:
    """Return the fields of a `RequestRow` from `hold` on."""
    outcome = effect.outcome
    if effect.call.is_aborted:
        status, reason = _ABORT, "aborted"
    elif outcome.answered_ms is None or outcome.is_refused_machine:
        status, reason = _FAILURE, failure_reason(outcome)
    else:
        status, reason = _SUCCESS, ""
    return (0, status, reason, outcome.ended_ms, int(outcome.cause), written(outcome.heard) if outcome.heard else "")


def cdr(cdr_id: int, effect: call_effects.FinishCall | call_effects.FinishInbound) -> CdrRow:
    """Return the CDR of an A-leg."""
    call, outcome, bill = effect.call, effect.outcome, effect.bill
    plan, person, signalled_ms = call.plan, call.subscriber, outcome.signalled_ms
    return _row(
        CdrRow,
        (
            cdr_id,
            plan.user_id,
            call.callid,
            call.callerid,
            call.did_number or person.number,
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
            plan.id,
            person.id,
            person.contact_id,
            plan.gateway_id.id,
            call.attempt,
            person.zone,
            person.phonebook_id or 0,
            0,
            None if signalled_ms is None else signalled_ms - call.started_ms,
            *(for_agents(call, outcome) if plan.flow.queue_ids else NOT_FOR_AGENTS),
            1 if outcome.is_completed else 0,
            None if outcome.sound is None else outcome.sound.text,
            0 if plan.trial_of_id is None else 1,
            call.consent_id,
        ),
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
        None if outcome.sound is None else outcome.sound.text,
        0 if call.plan.trial_of_id is None else 1,
        None,
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
        None,
        0,
        None,
    )


def result(call: Call, answer: SectionResult) -> ResultRow:
    """Return the row of an answer to a section."""
    plan, response = call.plan, answer.response
    seconds = None if answer.recording_ms is None else answer.recording_s
    return _row(
        ResultRow,
        (
            plan.user_id,
            call.callid,
            plan.id,
            call.id,
            answer.section_id,
            int(answer.section_type),
            answer.question,
            response,
            answer.at_ms,
            "" if seconds is None else response,
            seconds,
            answer.summary,
        ),
    )


def called(call: Call, known: SubscriberRow | None) -> SubscriberRow:
    """Return the state of a subscriber who is being called. `known` is their earlier change that is not written yet."""
    callee = call.subscriber
    return _row(
        SubscriberRow,
        (
            _IN_PROCESS,
            "",
            *(callee.attempts, callee.failures, callee.completions, callee.abandoned),
            call.started_ms,
            callee.due_ms,
            call.started_ms,
            callee.id,
            *((_PENDING, call.attempt - 1) if known is None else known[_EXPECTED:]),
        ),
    )


def after_call(
    effect: call_effects.FinishCall | call_effects.TakeBackCall, ended_ms: int, known: SubscriberRow | None
) -> SubscriberRow:
    """Return the state of a subscriber after an attempt. `known` is their earlier change that is not written yet."""
    call, after = effect.call, effect.disposition
    return _row(
        SubscriberRow,
        (
            int(after.status),
            after.reason,
            call.attempt,
            after.failures,
            after.completions,
            after.abandoned,
            call.started_ms,
            after.due_ms,
            ended_ms,
            call.subscriber.id,
            *((_IN_PROCESS, call.attempt) if known is None else known[_EXPECTED:]),
        ),
    )


def call_back(effect: campaign_effects.ExpectCallBack) -> tuple[int, int, int]:
    """Return the values of an expected call-back's row."""
    return effect.call.id, effect.call.plan.user_id, effect.at_ms


def placed(row: SubscriberRow, call: Call) -> Placed:
    """Return a subscriber whose row must have been as the engine assumed before an attempt changed it."""
    return Placed(row.subscriber_id, row.new_status, row.attempts, row.was_status, row.had_attempts, call)


def refused(row: RefusalRow) -> Placed:
    """Return a subscriber who must have waited for a call before the refusal."""
    return Placed(row.subscriber_id, row.new_status, None, int(SubscriberStatus.PENDING), None, None)
