"""A trial call to a simulated callee, who behaves as in a campaign. It takes no time, and nobody hears anything."""

import json
from typing import Final

import msgspec

from dialer.domain.words.enums import Cause
from dialer.sim.callee import Callee, callee_behind
from dialer.sim.callee_profile import parse_behaviour
from dialer.sim.chance import Chance

RING_MS: Final = 30_000
TALK_MS: Final = 10_000


class SimulatedOutcome(msgspec.Struct, frozen=True):
    """The outcome of a simulated trial call. Times are milliseconds since the call was placed."""

    rang_ms: int | None
    answered_ms: int | None
    ended_ms: int
    cause: Cause
    because: str
    messages: list[str]
    """The events, each after its time in seconds."""


def simulate_trial_call(parameters: str, number: str, gateway_id: int, turn: int) -> SimulatedOutcome:
    """Return the outcome of a call over a gateway with these parameters. Equal turns have equal outcomes.

    Raises:
        BehaviourError: the parameters describe no behaviour.
    """
    chance = Chance(0, 0, gateway_id, turn, "trial")
    callee = callee_behind(parse_behaviour(json.loads(parameters or "{}")), number, 1, chance)
    fate = callee.fate
    is_missed = fate.cause is Cause.NO_ANSWER or fate.after_ms >= RING_MS
    if not is_missed and fate.cause is None:
        return _answered(callee)
    cause = Cause.NO_ANSWER if is_missed else fate.cause or Cause.NO_ANSWER
    ended_ms = RING_MS if is_missed else fate.after_ms
    rang_ms = fate.signal_ms if fate.signal_ms < ended_ms else None
    rang = [] if rang_ms is None else [_line(rang_ms, "ringing")]
    because = "nobody answered" if is_missed else cause.meaning
    return SimulatedOutcome(rang_ms, None, ended_ms, cause, because, [*rang, _line(ended_ms, f"over: {because}")])


def _answered(callee: Callee) -> SimulatedOutcome:
    fate, habit_ms = callee.fate, callee.hangs_up_after_ms
    talk_ms = TALK_MS if habit_ms is None else min(habit_ms, TALK_MS)
    ended_ms = fate.after_ms + talk_ms
    who = "an answering machine answered" if callee.is_machine else "a person answered"
    because = "we hung up" if talk_ms == TALK_MS else "the callee hung up"
    messages = [_line(fate.signal_ms, "ringing"), _line(fate.after_ms, who), _line(ended_ms, f"over: {because}")]
    return SimulatedOutcome(fate.signal_ms, fate.after_ms, ended_ms, Cause.NORMAL_CLEARING, because, messages)


def _line(at_ms: int, text: str) -> str:
    return f"{at_ms / 1_000:9.3f}  {text}"
