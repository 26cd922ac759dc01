"""Tests that predictive dialling which keeps what it knows answers as the strategy that looks at everything."""

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.domain.pacing.averages import Averages
from dialer.domain.pacing.foresight import AHEAD_MAX_MS, Foresight
from dialer.domain.pacing.inputs import ASKED_EVERY_MS, Pace, PacingInputs
from dialer.domain.pacing.measure import Measurements
from dialer.domain.pacing.predictive import Predictive
from tests.domain.pacing.situations import NOW_MS, situations
from tests.domain.pacing.test_predictive import EXPERIENCED

STEPS_MAX: Final = 12
whats = st.sampled_from(["wait", "wait", "answer", "fail", "transfer", "handle", "abandon", "take", "release", "dial"])
milliseconds = st.integers(0, 120_000)


class Desk:
    """Agents whose state a test sets."""

    def __init__(self, situation: PacingInputs) -> None:
        self.agents = situation.agents
        self.idle = situation.idle
        self.waiting = situation.waiting
        self.bridged_ms = list(situation.bridged_ms)
        self.wrapping_ms = list(situation.wrapping_ms)
        self.talks = 0


class Course:
    """A campaign that goes on for some steps, and is asked at each of them in both ways."""

    def __init__(self, situation: PacingInputs) -> None:
        self.situation = replace(situation, now_ms=NOW_MS)
        self.desk: Final = Desk(situation)
        self.measured: Final = Measurements(situation.figures)
        self.foresight: Final = Foresight(self.measured)

    def step(self, what: str, ms: int) -> None:
        now_ms, measured, desk = self.situation.now_ms, self.measured, self.desk
        match what:
            case "wait":
                self.situation = replace(self.situation, now_ms=now_ms + ASKED_EVERY_MS * (1 + ms % 3))
            case "answer":
                measured.answered(now_ms - ms, now_ms, is_live=True)
            case "fail":
                measured.failed()
            case "transfer":
                measured.transferred(now_ms - ms, now_ms)
            case "handle":
                measured.handled(now_ms - ms, now_ms)
            case "abandon":
                measured.abandoned(now_ms)
            case "take":
                desk.bridged_ms.append(now_ms)
                desk.talks += 1
            case "release" if desk.bridged_ms:
                del desk.bridged_ms[ms % len(desk.bridged_ms)]
                desk.talks += 1
            case "dial":
                self.situation = replace(self.situation, dialling_ms=(*self.situation.dialling_ms, now_ms))
            case _:
                """Nobody talks who could be released."""

    def kept(self) -> Pace:
        situation = self.situation
        calls = len(situation.dialling_ms), len(situation.greeted_ms)
        limit = situation.abandon_rate_max
        return self.foresight.pace(self.desk, *calls, limit, situation.now_ms, situation.first_answers)

    def made_anew(self, **changes: Any) -> Pace:  # noqa: ANN401 - any field of the inputs
        busy = {"bridged_ms": tuple(self.desk.bridged_ms), "wrapping_ms": tuple(self.desk.wrapping_ms)}
        return Predictive().pace(replace(self.situation, **busy, **changes))


@given(situations(), st.lists(st.tuples(whats, milliseconds), max_size=STEPS_MAX))
def test_it_answers_as_the_strategy_after_any_changes(situation: PacingInputs, steps: list[tuple[str, int]]) -> None:
    course = Course(situation)
    for what, ms in [("wait", 0), *steps]:
        course.step(what, ms)
        ours, theirs = course.kept(), course.made_anew()
        assert (ours.calls, ours.is_steady) == (theirs.calls, theirs.is_steady)


@given(situations(share=st.integers(1, 100)), st.lists(st.integers(1, 20), min_size=1, max_size=STEPS_MAX))
def test_before_the_second_at_which_it_asks_again_time_alone_allows_no_call(
    situation: PacingInputs, waits: list[int]
) -> None:
    """A question that comes early changes nothing."""
    course = Course(situation)
    for wait in waits:
        pace, now_ms = course.kept(), course.situation.now_ms
        if pace.again_ms is None:
            return
        assert ASKED_EVERY_MS <= pace.again_ms - now_ms <= ASKED_EVERY_MS + AHEAD_MAX_MS
        if pace.calls:
            assert pace.again_ms == now_ms + ASKED_EVERY_MS
        for at_ms in range(now_ms, pace.again_ms, ASKED_EVERY_MS):
            assert course.made_anew(now_ms=at_ms).calls == pace.calls
        next_ms = pace.again_ms if wait > STEPS_MAX else now_ms + ASKED_EVERY_MS * wait
        course.situation = replace(course.situation, now_ms=next_ms)


@given(situations(), st.lists(st.tuples(whats, milliseconds), max_size=4 * STEPS_MAX))
def test_averages_that_are_kept_equal_those_made_anew(situation: PacingInputs, steps: list[tuple[str, int]]) -> None:
    course = Course(situation)
    for what, ms in steps:
        course.step(what, ms)
    anew = Averages(course.measured.figures)
    for name in Averages.__slots__:
        assert getattr(course.measured, name) == getattr(anew, name)


def test_what_it_sees_of_a_moment_ahead_is_not_taken_for_now() -> None:
    """Calls take a minute, and a callee 12 s to an agent. So one is dialled when the first talk has lasted for 48 s."""
    situation = PacingInputs(NOW_MS, agents=2, bridged_ms=(NOW_MS - 40_000, NOW_MS - 30_000), figures=EXPERIENCED)
    course = Course(situation)
    said: list[tuple[int, int]] = []
    while not said or not said[-1][1]:
        now_ms, pace = course.situation.now_ms, course.kept()
        said.append((now_ms - NOW_MS, pace.calls))
        course.situation = replace(course.situation, now_ms=pace.again_ms or now_ms)
    assert said == [(0, 0), (1_000, 0), (3_000, 0), (7_000, 0), (8_000, 1)]
