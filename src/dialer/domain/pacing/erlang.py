"""The predictor of Issabel's call centre: the agents who are free by the time a callee answers, after Erlang.

The formula is that of IssabelFoundation/callcenter, `Predictor.class.php` and `CampaignProcess.class.php`. Differences:
the success rate is that of the last calls, not of the last half hour, and a call's length includes the wrap-up time.
"""

import math
from typing import Final

import msgspec

from dialer.domain.pacing.inputs import Pace, PacingFigures, PacingInputs

SAMPLES_MIN: Final = 10
"""With fewer measured calls nothing is predicted: only idle agents count, with one call for each."""
SUCCESS_RATE_MIN: Final = 0.20
"""Lower bound of the success rate that the formula uses."""


class Erlang(msgspec.Struct, frozen=True):
    """A strategy with a call for each agent who is free or soon will be, and more calls where few callees answer."""

    qos: float = 0.97
    """The probability with which a call in progress must have ended for its agent to count as free."""
    overcommit: bool = True
    """True to place more calls than agents, to make up for callees who do not answer."""

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return "erlang"

    def pace(self, situation: PacingInputs) -> Pace:
        """Return one call for each wanted agent, less the calls on their way to an agent."""
        wanted = max(0, situation.idle + self._freed(situation) - situation.waiting)
        if self.overcommit:
            wanted = _overcommitted(wanted, situation.figures)
        return Pace(calls=max(0, wanted - len(situation.dialling_ms) - len(situation.greeted_ms)))

    def _freed(self, situation: PacingInputs) -> int:
        """Return the number of agents whose calls have probably ended when a callee dialled now answers."""
        figures = situation.figures
        if len(figures.handling_ms) < SAMPLES_MIN or not figures.ring_ms:
            return 0
        answer_ms = sum(figures.ring_ms) / len(figures.ring_ms)
        handling_ms = sum(figures.handling_ms) / len(figures.handling_ms)
        return sum(
            1
            for taken_ms in situation.bridged_ms
            if ended_by(situation.now_ms - taken_ms + answer_ms, handling_ms) >= self.qos
        )


def ended_by(elapsed_ms: float, mean_ms: float) -> float:
    """Return the probability that a call has ended after `elapsed_ms`.

    The model is the Erlang distribution of shape 1, which is the exponential one.
    """
    return -math.expm1(-max(0.0, elapsed_ms) / max(1.0, mean_ms))


def _overcommitted(wanted: int, figures: PacingFigures) -> int:
    """Return the number of calls to place so that `wanted` are likely to be answered; halves are rounded up."""
    calls = len(figures.outcomes)
    answered = sum(figures.outcomes)
    if calls < SAMPLES_MIN or not answered:
        return wanted
    return math.floor(wanted / max(answered / calls, SUCCESS_RATE_MIN) + 0.5)
