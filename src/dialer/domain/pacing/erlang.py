"""The predictor of Issabel's call centre: how many agents are free by the time a callee answers, by Erlang.

The formula is that of IssabelFoundation/callcenter, `Predictor.class.php` and `CampaignProcess.class.php`; differences:
its success rate of the last half hour is that of the last calls here, and a call's length includes the wrap-up time.
"""

import math
from typing import Final

import msgspec

from dialer.domain.pacing.situation import Pace, PacingFigures, Situation

SAMPLES_MIN: Final = 10
"""With fewer calls measured, nothing is predicted: only idle agents count, and one call for each."""
SUCCESS_RATE_MIN: Final = 0.20
"""What the success rate is taken as if it is lower."""


class Erlang(msgspec.Struct, frozen=True):
    """A call for each agent who is free, or almost certainly will be; more of them where callees seldom answer."""

    qos: float = 0.97
    """How likely it must be that a call under way has ended for its agent to count as free."""
    overcommit: bool = True
    """Whether to place more calls than agents to make up for those who do not answer."""

    @property
    def name(self) -> str:
        """The name."""
        return "erlang"

    def pace(self, situation: Situation) -> Pace:
        """As many calls as the agents wanted are short of, less those that nobody has answered yet."""
        wanted = max(0, situation.idle + self._freed(situation) - situation.waiting)
        if self.overcommit:
            wanted = _overcommitted(wanted, situation.figures)
        return Pace(calls=max(0, wanted - len(situation.dialling_ms) - len(situation.greeted_ms)))

    def _freed(self, situation: Situation) -> int:
        """How many agents are likely enough to have ended their calls when somebody dialled now answers."""
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
    """The chance that a call has ended after so long: the Erlang distribution of shape 1, which is the exponential."""
    return -math.expm1(-max(0.0, elapsed_ms) / max(1.0, mean_ms))


def _overcommitted(wanted: int, figures: PacingFigures) -> int:
    """So many calls that as many as wanted are likely to be answered; halves are rounded up."""
    calls = len(figures.outcomes)
    answered = sum(figures.outcomes)
    if calls < SAMPLES_MIN or not answered:
        return wanted
    return math.floor(wanted / max(answered / calls, SUCCESS_RATE_MIN) + 0.5)
