"""The state of a subscriber after an attempt."""

from collections.abc import Iterable, Mapping
from typing import Final

from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.plans import MESSAGES_OUT, Call, CallOutcome, Transfer
from dialer.domain.words.enums import AmdBehavior, AmdStatus, Cause, MessageStatus, SubscriberStatus
from dialer.domain.words.reasons import NoReason, SubscriberReason

NEVER_RETRIED: Final = frozenset(
    {
        Cause.UNALLOCATED_NUMBER,
        Cause.MISDIALLED_TRUNK_PREFIX,
        Cause.NUMBER_CHANGED,
        Cause.INVALID_NUMBER_FORMAT,
    }
)
"""Causes that indicate an invalid number: calling it again changes nothing."""

CUT_OFF_MAX: Final = 1
"""Attempts of a subscriber that we cut off ourselves and that do not count towards `maxretry`."""
AGAIN_MS: Final = 1_000
"""Wait after an attempt that was never made, so that a line that refuses everything is not asked without a pause."""
RETRY_AFTER_MS_MAX: Final = 86_400_000
"""The longest time for which the other side may put off the next call to a person: a day."""
# Every finished call uses these, and a look-up in an enumeration takes as long as a function call.
_PENDING: Final = SubscriberStatus.PENDING
_FAIL: Final = SubscriberStatus.FAIL
_SENT: Final = SubscriberStatus.SENT
_COMPLETED: Final = SubscriberStatus.COMPLETED
_NO_ROUTE: Final = MessageStatus.NO_ROUTE
_DELIVERED: Final = MessageStatus.DELIVERED
_MACHINE: Final = AmdStatus.MACHINE
_MESSAGE_REASONS: Final = {
    MessageStatus.FAILED: SubscriberReason.NOT_DELIVERED,
    MessageStatus.NO_ROUTE: SubscriberReason.NO_ROUTE,
}
CAUSE_REASONS: Final[Mapping[int, SubscriberReason]] = {
    Cause.USER_BUSY: SubscriberReason.BUSY,
    Cause.NO_USER_RESPONDING: SubscriberReason.NO_ANSWER,
    Cause.NO_ANSWER: SubscriberReason.NO_ANSWER,
    Cause.SUBSCRIBER_ABSENT: SubscriberReason.NO_ANSWER,
    Cause.CALL_REJECTED: SubscriberReason.REJECTED,
    Cause.REJECTED_BY_FEATURE: SubscriberReason.REJECTED,
    Cause.INCOMING_CALLS_BARRED: SubscriberReason.REJECTED,
    Cause.UNALLOCATED_NUMBER: SubscriberReason.INVALID_NUMBER,
    Cause.MISDIALLED_TRUNK_PREFIX: SubscriberReason.INVALID_NUMBER,
    Cause.NUMBER_CHANGED: SubscriberReason.NUMBER_CHANGED,
    Cause.INVALID_NUMBER_FORMAT: SubscriberReason.INVALID_NUMBER,
}
"""The reasons of calls that nobody answered, by Q.850 cause. All other causes are failures of the carrier."""


def disposition(call: Call, outcome: CallOutcome) -> Disposition:
    """Return the subscriber's next state.

    After a call that a person answered the subscriber is SENT, or COMPLETED if a section marked `completed` was
    reached. If the survey has such a section and it was not reached, the next call follows after
    `completion_intervalretry`, at most `completion_maxretry` times. The reason tells these two apart: the callee left,
    or nobody took a transferred call.

    After a call that was busy, failed or not answered, the next one follows after `intervalretry`, at most `maxretry`
    times. After that the subscriber is FAIL. So it is after a call that an answering machine answered, unless a message
    on a machine is enough for the campaign, and was heard to its end: then the subscriber is SENT.

    After a call that waited for an agent in vain, the next one follows after `abandoned_intervalretry`, at most
    `abandoned_maxretry` times. After that the subscriber is FAIL, too.

    The other side may ask for a longer pause, up to a day. If it is the carrier that fails, its gateway rests instead.

    A call that the carrier could not place does not count, up to `carrier_maxretry` of them: nobody was rung. The next
    one follows after `intervalretry`, as after one that counts. The first call that we cut off ourselves does not count
    either, as that says nothing of the callee.

    If an agent has promised a call-back in the call, the next one follows then, and the attempt counts as neither
    failed nor incomplete.
    """
    subscriber = call.subscriber
    if outcome.message_status is not None:
        return _after_message(call, outcome, outcome.message_status)
    if call.call_back is not None and not (call.is_aborted or subscriber.has_completed):
        return Disposition(_PENDING, "", subscriber.failures, subscriber.completions, call.call_back.at_ms)
    if outcome.is_completed or subscriber.has_completed:
        return _final(call, _COMPLETED, "")
    if call.is_aborted:
        return _final(call, SubscriberStatus.ABORT, SubscriberReason.ABORTED)
    return _after_call(call, outcome)


def _after_call(call: Call, outcome: CallOutcome) -> Disposition:
    """Return the state after a call that has not completed its survey."""
    if outcome.is_message_left and is_enough(call):
        return _final(call, _SENT, SubscriberReason.MESSAGE_LEFT)
    if outcome.answered_ms is None or outcome.amd_status is _MACHINE:
        return _after_failure(call, outcome)
    is_in_vain = call.transfers and waited_in_vain(call.transfers)
    return _after_abandoned(call, outcome) if is_in_vain else _after_incomplete(call, outcome)


def waited_in_vain(transfers: Iterable[Transfer]) -> bool:
    """Return whether a call counts as abandoned, and nobody took it later."""
    taken = [transfer.answered_ms is not None for transfer in transfers]
    return not any(taken) and any(transfer.is_abandoned for transfer in transfers)


def _after_abandoned(call: Call, outcome: CallOutcome) -> Disposition:
    """Return the state after a call that no agent took in time. An agent is kept for each further one."""
    plan, subscriber = call.plan, call.subscriber
    if not plan.abandoned_maxretry and plan.flow.has_completion and subscriber.completions < plan.completion_maxretry:
        return _after_incomplete(call, outcome)
    if subscriber.abandoned >= plan.abandoned_maxretry:
        return _final(call, _FAIL, SubscriberReason.ABANDONED)
    return Disposition(
        status=_PENDING,
        reason=SubscriberReason.ABANDONED,
        failures=subscriber.failures,
        completions=subscriber.completions,
        due_ms=outcome.ended_ms + plan.abandoned_intervalretry_ms,
        abandoned=subscriber.abandoned + 1,
    )


def is_enough(call: Call) -> bool:
    """Return whether a message on a machine is enough: the survey is for machines, or the campaign says so."""
    return call.plan.machine_is_reached or call.amd == AmdBehavior.VOICEMAIL_ONLY


def _after_incomplete(call: Call, outcome: CallOutcome) -> Disposition:
    """Return the state after an answered call that has not completed its survey."""
    plan, subscriber = call.plan, call.subscriber
    if not plan.flow.has_completion:
        return _final(call, _SENT, "")
    is_unserved = bool(call.transfers) and all(transfer.reason for transfer in call.transfers)
    if subscriber.completions >= plan.completion_maxretry:
        return _final(call, _SENT, SubscriberReason.NOT_SERVED if is_unserved else "")
    return Disposition(
        status=_PENDING,
        reason=SubscriberReason.NOT_SERVED if is_unserved else SubscriberReason.NOT_COMPLETED,
        failures=subscriber.failures,
        completions=subscriber.completions + 1,
        due_ms=outcome.ended_ms + plan.completion_intervalretry_ms,
        abandoned=subscriber.abandoned,
    )


def never_made(call: Call, now_ms: int) -> Disposition:
    """Return the subscriber's state after an attempt that was undone before its call was placed.

    The subscriber is pending, and due one second after `now_ms`. The attempt does not count as a failure. A completed
    subscriber stays completed, and one whose call was aborted is aborted.

    The caller must reduce the subscriber's count of attempts beforehand.
    """
    if call.subscriber.has_completed:
        return _final(call, _COMPLETED, "")
    if call.is_aborted:
        return _final(call, SubscriberStatus.ABORT, SubscriberReason.ABORTED)
    subscriber = call.subscriber
    counts = subscriber.failures, subscriber.completions
    return Disposition(_PENDING, "", *counts, now_ms + AGAIN_MS, subscriber.abandoned)


def failure_reason(outcome: CallOutcome) -> SubscriberReason:
    """Return the reason why an attempt counts as failed."""
    if outcome.answered_ms is not None and outcome.amd_status is _MACHINE:
        return SubscriberReason.MACHINE
    if outcome.message_status is not None:
        return _MESSAGE_REASONS.get(outcome.message_status, SubscriberReason.CARRIER_FAILURE)
    return CAUSE_REASONS.get(outcome.cause, SubscriberReason.CARRIER_FAILURE)


def _after_message(call: Call, outcome: CallOutcome, status: MessageStatus) -> Disposition:
    """Return the state after a message: a sent one is done, and a failed one is tried again like a failed call."""
    if status in MESSAGES_OUT:
        return _final(call, _SENT, "" if status is _DELIVERED else SubscriberReason.NO_RECEIPT)
    if call.is_aborted:
        return _final(call, SubscriberStatus.ABORT, SubscriberReason.ABORTED)
    return _after_failure(call, outcome)


def _after_failure(call: Call, outcome: CallOutcome) -> Disposition:
    plan, subscriber = call.plan, call.subscriber
    is_spared = outcome.is_cut_off and is_first_cut_off(call)
    if plan.carrier_maxretry and not is_spared:
        is_spared = is_carriers_own(call, outcome)
    failures = subscriber.failures + (not is_spared)
    is_hopeless = outcome.cause in NEVER_RETRIED or outcome.message_status is _NO_ROUTE
    again = is_spared or (failures <= plan.maxretry and not is_hopeless)
    pause_ms = _pause_ms(call, outcome) if outcome.retry_after_ms else plan.intervalretry_ms
    return Disposition(
        status=_PENDING if again else _FAIL,
        reason=failure_reason(outcome),
        failures=failures,
        completions=subscriber.completions,
        due_ms=outcome.ended_ms + pause_ms if again else 0,
        abandoned=subscriber.abandoned,
    )


def _pause_ms(call: Call, outcome: CallOutcome) -> int:
    """Return the pause after a call that the other side has put off, on behalf of the callee or of the carrier."""
    asked_ms = 0 if outcome.cause in CARRIER_FAILURES else min(outcome.retry_after_ms, RETRY_AFTER_MS_MAX)
    return max(call.plan.intervalretry_ms, asked_ms)


def cause_after_answer(cause: Cause) -> Cause:
    """Return the cause of an answered call, with NORMAL_CLEARING in place of causes for unanswered calls.

    Some carriers end answered calls with such causes, as when the callee of a transfer behind them is busy.
    """
    return Cause.NORMAL_CLEARING if cause in CAUSE_REASONS else cause


def is_first_cut_off(call: Call) -> bool:
    """Return whether no earlier attempt of the subscriber was spared: each is counted."""
    return 0 < call.attempt <= _counted(call) + CUT_OFF_MAX


def is_carriers_own(call: Call, outcome: CallOutcome) -> bool:
    """Return whether the carrier could not place the call, and the campaign has attempts left that do not count.

    A call counts whose telephone may have rung: one with a signal before its end, and one that was cut off or given up,
    of which nobody knows. So does a text message, as its fate tells of its number.
    """
    if outcome.cause not in CARRIER_FAILURES or outcome.answered_ms is not None or outcome.message_status is not None:
        return False
    if outcome.is_cut_off or outcome.signalled_ms != outcome.ended_ms:
        return False
    return 0 < call.attempt - _counted(call) <= call.plan.carrier_maxretry


def _counted(call: Call) -> int:
    """Return how many earlier attempts of the subscriber count towards a limit of the campaign."""
    return call.subscriber.failures + call.subscriber.completions + call.subscriber.abandoned


def _final(call: Call, status: SubscriberStatus, reason: SubscriberReason | NoReason) -> Disposition:
    subscriber = call.subscriber
    return Disposition(status, reason, subscriber.failures, subscriber.completions, abandoned=subscriber.abandoned)
