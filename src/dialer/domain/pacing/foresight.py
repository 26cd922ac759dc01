"""Predictive dialling for a campaign that has its agents for itself, as it is asked at every event of theirs.

It gives the answers of `predictive.Predictive`. But it looks at the room first, and keeps what it knows of the busy
agents until something of them changes.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import floor
from typing import Final, Protocol

from dialer.domain.pacing.inputs import ASKED_EVERY_MS, FIRST_ANSWERS, Pace
from dialer.domain.pacing.measure import Measurements
from dialer.domain.pacing.predictive import (
    PRESUMED_ANSWERS,
    ROUNDING,
    Ahead,
    credit_of,
    expected_free,
    horizon_of,
    most_within,
    share_of,
)

CERTAIN: Final = 1e-6
"""The distance from a limit, in callees, beyond which roundings cannot matter."""
MANY: Final = 32
"""Number of busy agents from which on bounds are tried before all of them are looked at."""
CHANCE_VARIANCE_MAX: Final = 0.25
"""The largest variance of whether one agent is free."""
AHEAD_MAX_MS: Final = 8_000
"""The time, after the next second, that is looked at ahead at most."""
_NOTHING: Final = Pace(calls=0, is_steady=True)


class Agents(Protocol):
    """The agents of a campaign, with the meaning of the fields of `PacingInputs`."""

    @property
    def agents(self) -> int:
        """Agents on duty."""

    @property
    def idle(self) -> int:
        """Agents who could take a call now."""

    @property
    def waiting(self) -> int:
        """Callers whom no agent has taken yet."""

    @property
    def bridged_ms(self) -> Sequence[int]:
        """The start time of each talk."""

    @property
    def wrapping_ms(self) -> Sequence[int]:
        """The time at which each agent in wrap-up time becomes idle."""

    @property
    def talks(self) -> int:
        """A number that changes whenever `bridged_ms` does."""


class Foresight:
    """The predictive strategy for one campaign, with its measurements."""

    __slots__ = ("_expected", "_measured", "_quiet", "_quiet_ms", "_seen")

    def __init__(self, measured: Measurements) -> None:
        self._measured: Final = measured
        self._seen: tuple[object, ...] = ()
        """The facts that `_expected` depends on."""
        self._expected = (0.0, 0.0)
        """The number of busy agents who are expected to be free, and its variance."""
        self._quiet: tuple[object, ...] = ()
        """The facts that have been the same since `_quiet_ms`: only time has gone on."""
        self._quiet_ms = 0

    def pace(
        self,
        agents: Agents,
        dialling: int,
        greeted: int,
        abandon_rate_max: float,
        now_ms: int,
        first_answers: int = FIRST_ANSWERS,
    ) -> Pace:
        """Return the pace of a campaign with these calls that are dialled, and answered without a transfer so far."""
        measured, idle, came = self._measured, agents.idle, agents.waiting + greeted
        figures, pending = measured.figures, came + dialling
        least = idle - pending if idle > pending else 0
        # The room, as in `predictive`, but without calls of functions: most questions end here.
        periods = figures.periods
        if len(periods) > 1:
            credit = credit_of(abandon_rate_max, figures, first_answers)
        else:
            counted = periods[0] if periods else figures
            credit = abandon_rate_max * max(counted.answered, first_answers) - counted.abandoned
        most = idle + max(0, floor(credit + ROUNDING)) - pending
        if most <= least:
            return Pace(calls=least, is_steady=True) if least else _NOTHING
        rate = (measured.answers + PRESUMED_ANSWERS) / (len(figures.outcomes) + PRESUMED_ANSWERS)
        averages = measured if figures.handling_ms else None
        share = share_of(abandon_rate_max, credit, agents.agents, averages, rate)
        ahead = (rate, came + dialling * rate, idle, dialling * rate * (1 - rate))
        room = range(least, most + 1)
        calls = self._most(agents, ahead, share, room, now_ms)
        if not agents.bridged_ms and not agents.wrapping_ms:
            return Pace(calls=calls)
        again_ms = now_ms + ASKED_EVERY_MS
        return Pace(calls=calls, again_ms=again_ms if calls else self._again_ms(agents, ahead, share, room, now_ms))

    def _again_ms(self, agents: Agents, ahead: Ahead, share: float, room: range, now_ms: int) -> int:
        """Return a later second before which time alone allows no call.

        Most often an event comes before the next second, so one is enough. The longer nothing has happened, the more
        seconds are looked at now, which spares the questions in between.
        """
        quiet = (agents, agents.talks, self._measured.handled_count, ahead, share, room)
        if quiet != self._quiet:
            self._quiet, self._quiet_ms = quiet, now_ms
        last_ms = now_ms + min(now_ms - self._quiet_ms, AHEAD_MAX_MS) + ASKED_EVERY_MS
        for at_ms in range(now_ms + ASKED_EVERY_MS, last_ms, ASKED_EVERY_MS):
            if self._most(agents, ahead, share, room, at_ms):
                return at_ms
        return last_ms

    def _most(self, agents: Agents, ahead: Ahead, share: float, room: range, now_ms: int) -> int:
        """Return the most calls in the room, for an outlook that lacks the busy agents so far."""
        measured, bridged_ms = self._measured, agents.bridged_ms
        rate, callees, idle, variance = ahead
        horizon_ms = horizon_of(measured)
        free = idle + bisect_right(agents.wrapping_ms, now_ms + horizon_ms)
        seen = (agents, agents.talks, measured.handled_count, horizon_ms, now_ms)
        if seen != self._seen:
            if len(bridged_ms) >= MANY:
                worst = (rate, callees, free, variance + CHANCE_VARIANCE_MAX * len(bridged_ms))
                if most_within(worst, share, room, -CERTAIN) == room[-1]:
                    return room[-1]
            self._expected = expected_free(bridged_ms, measured.sorted_handling_ms, now_ms, horizon_ms)
            self._seen = seen
        expected, spread = self._expected
        return most_within((rate, callees, free + expected, variance + spread), share, room)
