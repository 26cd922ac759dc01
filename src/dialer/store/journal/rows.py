"""One row each: what the journal writes of calls and their legs, as tuples in the order of its statements."""

from typing import Any, Final

from dialer.domain import effects
from dialer.domain.enums import AmdStatus, CallRequestStatus, Cause, LegType
from dialer.domain.inbound import FREE
from dialer.domain.plans import Call, SectionResult
from dialer.domain.retry import failure_reason
from dialer.store.queries.rates import rate_values

_ABORT: Final = int(CallRequestStatus.ABORT)
_FAILURE: Final = int(CallRequestStatus.FAILURE)
_SUCCESS: Final = int(CallRequestStatus.SUCCESS)
_CALLING: Final = int(CallRequestStatus.CALLING)
_A_LEG: Final = int(LegType.A_LEG)


def dialled(call: Call) -> tuple[Any, ...]:
    """A call request as it is placed, or as it came in."""
    return (*_placed(call), call.hold, _CALLING, "", None, None)


def over(effect: effects.FinishCall | effects.FinishInbound) -> tuple[Any, ...]:
    """A call request that was placed and is over before anything was written of it."""
    return _placed(effect.call) + final(effect)


def _placed(call: Call) -> tuple[Any, ...]:
    """What of a call request's row is known from the beginning."""
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
    )


def final(effect: effects.FinishCall | effects.FinishInbound) -> tuple[Any, ...]:
    """What the end of a call decides, in the last columns: hold, status and its reason, the moment, and the cause."""
    call, outcome = effect.call, effect.outcome
    if call.is_aborted:
        status, reason = _ABORT, "aborted"
    elif outcome.answered_ms is None or outcome.is_refused_machine:
        status, reason = _FAILURE, failure_reason(outcome)
    else:
        status, reason = _SUCCESS, ""
    return (0, status, reason, outcome.ended_ms, int(outcome.cause))


def cdr(effect: effects.FinishCall | effects.FinishInbound) -> tuple[Any, ...]:
    """The CDR of an A-leg, after its id."""
    call, outcome, bill = effect.call, effect.outcome, effect.bill
    return (
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
    )


def leg_cdr(effect: effects.FinishLeg) -> tuple[Any, ...]:
    """The CDR of a B-leg: the callee of the A-leg is who calls, and who is brought to them is called."""
    call, transfer, outcome, bill = effect.call, effect.transfer, effect.outcome, effect.bill
    return (
        call.plan.user_id,
        transfer.callid,
        call.subscriber.number,
        transfer.number,
        transfer.started_ms,
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
    )


def refused_cdr(effect: effects.RefuseInbound, now_ms: int) -> tuple[Any, ...]:
    """The CDR of a call that came in for a number that nobody answers."""
    caller = effect.subscriber
    return (
        effect.user_id,
        effect.callid,
        caller.number,
        effect.did_number,
        now_ms,
        *(0, 0, 0, 0),
        *rate_values(FREE),
        int(Cause.UNALLOCATED_NUMBER),
        _A_LEG,
        int(AmdStatus.PERSON),
        None,
        None,
        caller.id,
        caller.contact_id,
    )


def result(call: Call, answer: SectionResult) -> tuple[Any, ...]:
    """What was answered to a section."""
    whose = (call.plan.user_id, call.callid, call.plan.id, call.id)
    kept = (answer.section_id, int(answer.section_type), answer.question, answer.response, answer.at_ms)
    if answer.recording_ms is None:
        return (*whose, *kept, "", None)
    return (*whose, *kept, answer.response, -(-answer.recording_ms // 1_000))


def called_number(call: Call) -> str:
    """The number that was called: the callee's, or, in a call that came in, our own."""
    return call.did_number or call.subscriber.number
