"""Tests of simulated calls that nobody answers: their ends, and what is known of them if they are hung up before."""

import json
from typing import Any, Final

import pytest

from dialer.carriers.engine_port import Milestone
from dialer.domain.billing.charge import Rate
from dialer.domain.calls.call_events import CallEnded
from dialer.domain.calls.plans import Call, CallOutcome, Subscriber
from dialer.domain.words.enums import Cause
from dialer.sim.carrier import SimulatedCarrier
from tests.domain.workers import START_MS, plan
from tests.gateways import FIRST

NUMBER: Final = "+12025550123"
RING_LIMIT_MS: Final = 45_000
ENDS: Final[dict[str, tuple[dict[str, Any], int, Cause, int | None]]] = {
    "busy": ({"outcome": "busy"}, 2_000, Cause.USER_BUSY, 2_000),
    "rejected": ({"outcome": "rejected"}, 7_000, Cause.CALL_REJECTED, 2_000),
    "rung in vain": ({"outcome": "no_answer"}, RING_LIMIT_MS, Cause.NO_ANSWER, 2_000),
    "picked up too late": ({"outcome": "answer", "ring": 43}, RING_LIMIT_MS, Cause.NO_ANSWER, 2_000),
    "given up before a signal": ({"outcome": "busy", "delay": 60}, RING_LIMIT_MS, Cause.NO_ANSWER, None),
}
"""The script of each callee, with the delay of the network; the times of the end and of the first signal, its cause."""


def dialled(script: dict[str, Any], attempt: int = 1) -> tuple[SimulatedCarrier, Milestone | None]:
    """Place a call to a callee with a script, and return the carrier and the first milestone."""
    carrier = SimulatedCarrier(1)
    scripts = {NUMBER: {"ring": 5, **{key: script[key] for key in script.keys() - {"delay"}}}}
    carrier.open_gateway(FIRST, json.dumps({"post_dial_delay": script.get("delay", 2), "numbers": scripts}))
    subscriber = Subscriber(7, NUMBER, "America/New_York")
    call = Call(3, "a-leg", plan(), subscriber, attempt, START_MS, RING_LIMIT_MS, 60_000, 0, Rate(0))
    return carrier, carrier.dial(call)


def ended(at_ms: int, cause: Cause, signalled_ms: int | None, calls_back_ms: int | None = None) -> CallOutcome:
    """Return the outcome of a call that was not answered, by times after its dial."""
    signalled = None if signalled_ms is None else START_MS + signalled_ms
    calls_back = None if calls_back_ms is None else START_MS + calls_back_ms
    return CallOutcome(START_MS + at_ms, cause, calls_back_ms=calls_back, signalled_ms=signalled)


@pytest.mark.parametrize(("script", "at_ms", "cause", "signalled_ms"), ENDS.values(), ids=ENDS)
def test_the_end_of_a_call_is_known_when_it_is_dialled(
    script: dict[str, Any], at_ms: int, cause: Cause, signalled_ms: int | None
) -> None:
    _, milestone = dialled(script)
    assert milestone == Milestone(START_MS + at_ms, CallEnded(3, ended(at_ms, cause, signalled_ms), 1))


@pytest.mark.parametrize(("script", "at_ms", "cause", "signalled_ms"), ENDS.values(), ids=ENDS)
def test_a_call_that_is_hung_up_knows_what_was_heard_until_then(
    script: dict[str, Any], at_ms: int, cause: Cause, signalled_ms: int | None
) -> None:
    for hung_up_ms in (0, 1_999, 2_000, at_ms - 1, at_ms, at_ms + 1):
        carrier, _ = dialled(script)
        heard_ms = signalled_ms if signalled_ms is not None and signalled_ms <= hung_up_ms else None
        cut_off = ended(hung_up_ms, Cause.NORMAL_CLEARING, heard_ms)
        expected = ended(at_ms, cause, signalled_ms) if hung_up_ms > at_ms else cut_off
        assert carrier.hang_up(3, START_MS + hung_up_ms) == (None, expected)


def test_a_callee_who_missed_a_call_may_call_back() -> None:
    _, milestone = dialled({"outcome": "no_answer", "call_back_after": 60})
    outcome = ended(RING_LIMIT_MS, Cause.NO_ANSWER, 2_000, RING_LIMIT_MS + 60_000)
    assert milestone == Milestone(START_MS + RING_LIMIT_MS, CallEnded(3, outcome, 1))


def test_a_caller_is_answered_whatever_they_would_do_if_they_were_called() -> None:
    _, milestone = dialled({"outcome": "busy"}, attempt=-1)
    assert milestone is not None
    assert isinstance(milestone.event, CallEnded)
    assert milestone.event.outcome.answered_ms == START_MS
