"""Results of calls: a person, an answering machine, nobody, a busy line, each an outcome of its own.

A Q.850 cause alone does not say it: a call that a machine answered ends with the same cause as one with a person.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from dialer.domain.engine.retry import CAUSE_REASONS
from dialer.domain.figures.statistics import Figures
from dialer.domain.words.enums import Cause
from dialer.domain.words.reasons import Reason, SubscriberReason


class CallResult(Reason):
    """The results of finished calls. Each call has exactly one."""

    PERSON = "person", "a person answered, as far as detection can tell"
    MACHINE = "machine", "an answering machine answered"
    BUSY = SubscriberReason.BUSY.value, SubscriberReason.BUSY.meaning
    NO_ANSWER = SubscriberReason.NO_ANSWER.value, SubscriberReason.NO_ANSWER.meaning
    REJECTED = SubscriberReason.REJECTED.value, SubscriberReason.REJECTED.meaning
    INVALID_NUMBER = SubscriberReason.INVALID_NUMBER.value, SubscriberReason.INVALID_NUMBER.meaning
    NUMBER_CHANGED = SubscriberReason.NUMBER_CHANGED.value, SubscriberReason.NUMBER_CHANGED.meaning
    CARRIER_FAILURE = SubscriberReason.CARRIER_FAILURE.value, SubscriberReason.CARRIER_FAILURE.meaning
    HUNG_UP = "hung_up", "the service ended the call before anybody answered"


def results_by_cause(figures: Iterable[tuple[int, Figures]]) -> Mapping[CallResult, int]:
    """Return the number of calls with each result, the most frequent first, from the figures of each Q.850 cause."""
    found: Counter[CallResult] = Counter()
    for cause, one in figures:
        found[CallResult.PERSON] += one.live
        found[CallResult.MACHINE] += one.machines
        found[unanswered(cause)] += one.calls - one.answered
    return dict(
        sorted(((result, count) for result, count in found.items() if count), key=lambda one: (-one[1], one[0]))
    )


def result_of(cause: int, *, is_answered: bool, is_machine: bool) -> CallResult:
    """Return the result of one call, by its cause, answer and detection."""
    if is_answered:
        return CallResult.MACHINE if is_machine else CallResult.PERSON
    return unanswered(cause)


def unanswered(cause: int) -> CallResult:
    """Return the result of an unanswered call, by its Q.850 cause."""
    if cause == Cause.NORMAL_CLEARING:
        return CallResult.HUNG_UP
    reason = CAUSE_REASONS.get(cause, SubscriberReason.CARRIER_FAILURE)
    return CallResult(reason.value)
