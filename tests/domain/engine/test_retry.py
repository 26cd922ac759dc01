"""Tests of the subscriber's status after each kind of attempt."""

from typing import Any, Final

import msgspec
import pytest

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.plans import Call, CallOutcome, CampaignPlan, Subscriber, Transfer
from dialer.domain.engine.retry import disposition, failure_reason
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import (
    AmdBehavior,
    AmdStatus,
    Cause,
    MessageStatus,
    SectionType,
    SubscriberStatus,
    TransferStatus,
)
from dialer.domain.words.reasons import NoReason, SubscriberReason, TransferReason
from tests.gateways import FIRST

END_MS: Final = 1_000_000
PLAIN: Final = CallFlow(Survey((Section(1, SectionType.PLAY_MESSAGE, "Hello", Prompt()),)))
TO_COMPLETE: Final = CallFlow(Survey((Section(1, SectionType.PLAY_MESSAGE, "Hello", Prompt(), completed=True),)))
BUSY: Final = CallOutcome(END_MS, Cause.USER_BUSY)
ANSWERED: Final = CallOutcome(END_MS, Cause.NORMAL_CLEARING, answered_ms=END_MS - 9_000)
COMPLETED: Final = msgspec.structs.replace(ANSWERED, is_completed=True)
MACHINE: Final = msgspec.structs.replace(ANSWERED, amd_status=AmdStatus.MACHINE)
REFUSED: Final = msgspec.structs.replace(MACHINE, is_refused_machine=True)
HEARD: Final = msgspec.structs.replace(MACHINE, is_message_left=True)


def after(
    outcome: CallOutcome,
    *,
    failures: int = 0,
    completions: int = 0,
    abandoned: int = 0,
    attempt: int = 1,
    is_aborted: bool = False,
    transfers: tuple[Transfer, ...] = (),
    **plan: Any,  # noqa: ANN401 - any field of a plan
) -> Disposition:
    """Return the disposition of a call to a subscriber with earlier failures and completion retries."""
    settings: dict[str, Any] = {"maxretry": 2, "completion_maxretry": 1, "flow": TO_COMPLETE} | plan
    return disposition(
        Call(
            id=1,
            callid="",
            plan=CampaignPlan(1, 1, FIRST, starting_ms=0, expires_ms=END_MS, **settings),
            subscriber=Subscriber(
                1, "+1", "", attempts=attempt, failures=failures, completions=completions, abandoned=abandoned
            ),
            attempt=attempt,
            started_ms=0,
            ring_limit_ms=45_000,
            talk_limit_ms=60_000,
            hold=0,
            rate=Rate(0),
            amd=plan.get("amd", 0),
            is_aborted=is_aborted,
            transfers=transfers,
        ),
        outcome,
    )


def test_answered_and_done_is_sent() -> None:
    assert after(ANSWERED, flow=PLAIN) == Disposition(SubscriberStatus.SENT, "", 0, 0)


def test_a_completed_section_that_was_reached_is_final() -> None:
    assert after(COMPLETED) == Disposition(SubscriberStatus.COMPLETED, "", 0, 0)


@pytest.mark.parametrize(
    ("cause", "asked_s", "due_s"),
    [
        (Cause.USER_BUSY, 600, 600),
        (Cause.NO_USER_RESPONDING, 600, 600),
        (Cause.USER_BUSY, 1, 5),
        (Cause.USER_BUSY, 10**9, 86_400),
        # The gateway of a carrier that fails rests, which holds for all people.
        (Cause.TEMPORARY_FAILURE, 600, 5),
    ],
)
def test_a_person_is_not_called_before_the_other_side_wants_it_up_to_a_day(
    cause: Cause, asked_s: int, due_s: int
) -> None:
    outcome = CallOutcome(END_MS, cause, retry_after_ms=asked_s * 1_000)
    assert after(outcome, intervalretry_ms=5_000).due_ms == END_MS + due_s * 1_000
    assert after(outcome, maxretry=0).due_ms == 0


@pytest.mark.parametrize(
    ("status", "reason"),
    [(MessageStatus.SENT, SubscriberReason.NO_RECEIPT), (MessageStatus.DELIVERED, "")],
)
def test_a_message_without_a_receipt_is_sent_with_a_reason(
    status: MessageStatus, reason: SubscriberReason | NoReason
) -> None:
    outcome = CallOutcome(END_MS, Cause.NORMAL_CLEARING, message_status=status)
    assert after(outcome) == Disposition(SubscriberStatus.SENT, reason, 0, 0)


def test_a_message_that_fails_is_sent_again_but_not_for_a_campaign_that_was_aborted() -> None:
    failed = CallOutcome(END_MS, Cause.TEMPORARY_FAILURE, message_status=MessageStatus.FAILED)
    assert after(failed).status is SubscriberStatus.PENDING
    assert after(failed, is_aborted=True) == Disposition(SubscriberStatus.ABORT, SubscriberReason.ABORTED, 0, 0)


def test_completed_counts_even_in_a_call_that_was_aborted() -> None:
    assert after(COMPLETED, is_aborted=True) == Disposition(SubscriberStatus.COMPLETED, "", 0, 0)


def test_answered_but_never_completed_is_called_again_after_the_completion_interval() -> None:
    assert after(ANSWERED, completion_intervalretry_ms=7_000) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.NOT_COMPLETED, 0, 1, END_MS + 7_000
    )


def unserved(reason: TransferReason | NoReason) -> tuple[Transfer, ...]:
    """Return the transfers of a call whose only one ended for a reason, or has reached somebody."""
    return (Transfer(1, 1, "", END_MS - 5_000, Rate(0), status=TransferStatus.OVER, reason=reason),)


@pytest.mark.parametrize("reason", [TransferReason.HUNG_UP, TransferReason.MAX_WAIT, TransferReason.BUSY])
def test_a_callee_whose_transfer_nobody_took_is_called_again_and_the_reason_says_so(reason: TransferReason) -> None:
    missed = unserved(reason)
    assert after(ANSWERED, transfers=missed, completion_intervalretry_ms=7_000) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.NOT_SERVED, 0, 1, END_MS + 7_000
    )
    assert after(ANSWERED, transfers=missed, completions=1) == Disposition(
        SubscriberStatus.SENT, SubscriberReason.NOT_SERVED, 0, 1
    )


def test_a_callee_who_was_served_at_last_and_left_before_the_end_was_served() -> None:
    assert after(ANSWERED, transfers=unserved(TransferReason.BUSY) + unserved("")).reason == "not_completed"


def in_vain(*, answered_ms: int | None = None) -> tuple[Transfer, ...]:
    """Return the transfers of a call that waited too long for an agent, who may have taken it later."""
    (transfer,) = unserved("" if answered_ms else TransferReason.HUNG_UP)
    return (msgspec.structs.replace(transfer, is_abandoned=True, answered_ms=answered_ms),)


@pytest.mark.parametrize("flow", [PLAIN, TO_COMPLETE])
def test_a_callee_whom_no_agent_took_in_time_is_not_reached_and_tried_again_by_a_rule_of_their_own(
    flow: CallFlow,
) -> None:
    again: dict[str, Any] = {"flow": flow, "abandoned_maxretry": 2, "abandoned_intervalretry_ms": 7_000}
    assert after(ANSWERED, transfers=in_vain(), **again, abandoned=1, failures=1) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.ABANDONED, 1, 0, END_MS + 7_000, abandoned=2
    )
    last = Disposition(SubscriberStatus.FAIL, SubscriberReason.ABANDONED, 0, 0, abandoned=2)
    assert after(ANSWERED, transfers=in_vain(), **again, abandoned=2) == last
    without = after(ANSWERED, transfers=in_vain(), flow=flow, completion_maxretry=0)
    assert without == Disposition(SubscriberStatus.FAIL, SubscriberReason.ABANDONED, 0, 0)
    taken = after(ANSWERED, transfers=in_vain(answered_ms=END_MS - 1_000), **again, completion_maxretry=0)
    assert taken == Disposition(SubscriberStatus.SENT, "", 0, 0)


def test_a_callee_whom_an_agent_was_kept_for_and_who_was_busy_keeps_their_agent() -> None:
    assert after(BUSY, abandoned=1).abandoned == 1


def test_completion_is_asked_for_so_often_and_then_it_is_sent() -> None:
    assert after(ANSWERED, completions=1) == Disposition(SubscriberStatus.SENT, "", 0, 1)


def test_a_survey_without_a_section_to_complete_is_not_called_for_again() -> None:
    assert after(ANSWERED, flow=PLAIN, completion_maxretry=9).status is SubscriberStatus.SENT


@pytest.mark.parametrize("failures", [0, 1])
def test_a_failure_is_called_again_after_the_interval_while_retries_last(failures: int) -> None:
    assert after(BUSY, failures=failures, intervalretry_ms=5_000) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.BUSY, failures + 1, 0, END_MS + 5_000
    )


def test_the_failure_after_the_last_retry_is_final() -> None:
    assert after(BUSY, failures=2) == Disposition(SubscriberStatus.FAIL, SubscriberReason.BUSY, 3, 0)


def test_without_retries_the_first_failure_is_final() -> None:
    assert after(BUSY, maxretry=0) == Disposition(SubscriberStatus.FAIL, SubscriberReason.BUSY, 1, 0)


def test_failures_and_completions_are_counted_apart() -> None:
    """A busy line after a completion retry still has all retries."""
    assert after(BUSY, completions=1, maxretry=1, intervalretry_ms=0) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.BUSY, 1, 1, END_MS
    )


def test_a_machine_that_was_refused_counts_as_not_answered() -> None:
    assert after(REFUSED, intervalretry_ms=1_000) == Disposition(
        SubscriberStatus.PENDING, SubscriberReason.MACHINE, 1, 0, END_MS + 1_000
    )


@pytest.mark.parametrize("outcome", [MACHINE, HEARD])
@pytest.mark.parametrize("flow", [PLAIN, TO_COMPLETE])
def test_a_machine_is_tried_again_like_no_answer_and_then_given_up(outcome: CallOutcome, flow: CallFlow) -> None:
    settings: dict[str, Any] = {"flow": flow, "amd": int(AmdBehavior.ALWAYS)}
    again = Disposition(SubscriberStatus.PENDING, SubscriberReason.MACHINE, 1, 0, END_MS + 1_000)
    assert after(outcome, intervalretry_ms=1_000, **settings) == again
    given_up = Disposition(SubscriberStatus.FAIL, SubscriberReason.MACHINE, 3, 0)
    assert after(outcome, failures=2, **settings) == given_up


@pytest.mark.parametrize("flow", [PLAIN, TO_COMPLETE])
def test_a_message_on_a_machine_is_enough_if_the_campaign_says_so(flow: CallFlow) -> None:
    reached = Disposition(SubscriberStatus.SENT, SubscriberReason.MESSAGE_LEFT, 0, 0)
    assert after(HEARD, amd=int(AmdBehavior.ALWAYS), machine_is_reached=True, flow=flow) == reached
    assert after(HEARD, amd=int(AmdBehavior.VOICEMAIL_ONLY), flow=flow) == reached


def test_a_machine_that_has_not_heard_the_message_to_its_end_is_tried_again() -> None:
    assert after(MACHINE, machine_is_reached=True).reason is SubscriberReason.MACHINE
    assert after(REFUSED, machine_is_reached=True).status is SubscriberStatus.PENDING


def test_an_aborted_call_leaves_its_subscriber_aborted() -> None:
    assert after(BUSY, is_aborted=True) == Disposition(SubscriberStatus.ABORT, SubscriberReason.ABORTED, 0, 0)
    assert after(ANSWERED, is_aborted=True) == Disposition(SubscriberStatus.ABORT, SubscriberReason.ABORTED, 0, 0)


@pytest.mark.parametrize(
    ("cause", "reason", "is_called_again"),
    [
        (Cause.UNALLOCATED_NUMBER, "invalid_number", False),
        (Cause.MISDIALLED_TRUNK_PREFIX, "invalid_number", False),
        (Cause.NUMBER_CHANGED, "number_changed", False),
        (Cause.INVALID_NUMBER_FORMAT, "invalid_number", False),
        (Cause.USER_BUSY, "busy", True),
        (Cause.NO_USER_RESPONDING, "no_answer", True),
        (Cause.NO_ANSWER, "no_answer", True),
        (Cause.SUBSCRIBER_ABSENT, "no_answer", True),
        (Cause.CALL_REJECTED, "rejected", True),
        (Cause.REJECTED_BY_FEATURE, "rejected", True),
        (Cause.INCOMING_CALLS_BARRED, "rejected", True),
        (Cause.NO_CIRCUIT, "carrier_failure", True),
        (Cause.NETWORK_OUT_OF_ORDER, "carrier_failure", True),
        (Cause.TEMPORARY_FAILURE, "carrier_failure", True),
        (Cause.SWITCH_CONGESTION, "carrier_failure", True),
    ],
)
def test_a_number_that_is_wrong_is_never_called_again_all_others_are(
    cause: Cause,
    reason: str,
    is_called_again: bool,  # noqa: FBT001 - a column of the table
) -> None:
    outcome = CallOutcome(END_MS, cause)
    assert failure_reason(outcome) == reason
    assert (after(outcome).status is SubscriberStatus.PENDING) is is_called_again


@pytest.mark.parametrize(("attempts", "failures", "again"), [(1, 0, True), (2, 1, True), (2, 0, False), (3, 1, False)])
def test_the_first_call_that_we_cut_off_does_not_count(attempts: int, failures: int, again: bool) -> None:  # noqa: FBT001 - a parameter
    """Neither as a failure, nor again and again: the retries are used up here."""
    plan = CampaignPlan(1, 1, FIRST, starting_ms=0, expires_ms=END_MS, maxretry=failures, flow=PLAIN)
    subscriber = Subscriber(1, "+1", "", attempts=attempts, failures=failures, completions=0)
    call = Call(
        id=1,
        callid="",
        plan=plan,
        subscriber=subscriber,
        attempt=attempts,
        started_ms=0,
        ring_limit_ms=45_000,
        talk_limit_ms=60_000,
        hold=0,
        rate=Rate(0),
    )
    found = disposition(call, CallOutcome(END_MS, Cause.TEMPORARY_FAILURE, is_cut_off=True))
    assert (found.status is SubscriberStatus.PENDING, found.failures) == (again, failures + (not again))
    assert found.reason == SubscriberReason.CARRIER_FAILURE


@pytest.mark.parametrize("cause", sorted(CARRIER_FAILURES))
@pytest.mark.parametrize(
    ("attempt", "failures", "maxretry", "expected"),
    [
        # attempt, failures and retries: the state, and the failures that count
        (1, 0, 0, (SubscriberStatus.PENDING, 0)),
        (2, 0, 0, (SubscriberStatus.PENDING, 0)),
        (3, 0, 0, (SubscriberStatus.FAIL, 1)),
        (3, 1, 1, (SubscriberStatus.PENDING, 1)),
        (3, 0, 1, (SubscriberStatus.PENDING, 1)),
        (4, 1, 1, (SubscriberStatus.FAIL, 2)),
    ],
)
def test_calls_that_the_carrier_could_not_place_do_not_count_up_to_a_limit(
    cause: Cause, attempt: int, failures: int, maxretry: int, expected: tuple[SubscriberStatus, int]
) -> None:
    outcome = CallOutcome(END_MS, cause, signalled_ms=END_MS)
    settings: dict[str, Any] = {"maxretry": maxretry, "carrier_maxretry": 2, "intervalretry_ms": 5_000}
    found = after(outcome, attempt=attempt, failures=failures, **settings)
    due_ms = END_MS + 5_000 if expected[0] is SubscriberStatus.PENDING else 0
    assert found == Disposition(expected[0], SubscriberReason.CARRIER_FAILURE, expected[1], 0, due_ms)


@pytest.mark.parametrize(
    "outcome",
    [
        CallOutcome(END_MS, Cause.NETWORK_OUT_OF_ORDER, message_status=MessageStatus.FAILED),
        CallOutcome(END_MS, Cause.NETWORK_OUT_OF_ORDER, answered_ms=END_MS - 1, amd_status=AmdStatus.MACHINE),
        CallOutcome(END_MS, Cause.NO_ANSWER),
        CallOutcome(END_MS, Cause.UNALLOCATED_NUMBER, signalled_ms=END_MS),
        # A telephone rang before, nobody knows of a call that was given up, and a later one that was cut off.
        CallOutcome(END_MS, Cause.TIMER_EXPIRY, signalled_ms=END_MS - 1),
        CallOutcome(END_MS, Cause.TEMPORARY_FAILURE),
    ],
)
def test_what_has_reached_a_telephone_or_tells_of_its_number_counts_as_before(outcome: CallOutcome) -> None:
    found = after(outcome, maxretry=0, carrier_maxretry=9)
    assert (found.status, found.failures) == (SubscriberStatus.FAIL, 1)
