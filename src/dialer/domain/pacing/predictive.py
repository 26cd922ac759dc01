"""Predictive dialling: ahead of the agents who are about to be free, within a budget of abandoned calls.

There are two limits, one below the other.

The *room* is a guarantee. In each of its periods, such as 30 days, the campaign may abandon the share
`abandon_rate_max` of the calls that were dialled in it and answered; where it may begin with an allowance, of the first
hundred from the start. The unused part of that budget is the credit. While calls of an earlier period may be in
progress, the smaller credit counts. No more calls are in progress than idle agents plus the credit. If all of them were
answered this instant, and no busy agent became free, the share would still hold.
The guarantee needs no measurement and no luck. It only assumes that idle agents take calls within `ABANDONED_AFTER_MS`.
Large teams whose callees seldom answer pay the price: they must earn the many calls they need, answer by answer.

The *aim* spends the credit where it helps most. It compares the expected callees with the expected agents, at the time
at which a call dialled now would reach its transfer. It then places as many calls as possible while a small enough
share of these callees finds no agent. The better the campaign has kept its budget, the larger that share may be.

One call for each idle agent is placed in any case, at no cost. Without it, a campaign whose slow agents have used up
the credit could never earn new credit by further answers.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from dialer.domain.pacing.averages import Averages
from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS, FIRST_ANSWERS, Pace, PacingFigures, PacingInputs

PRESUMED_ANSWERS: Final = 10
"""Number of calls assumed answered before the first one is measured: without data, every callee is expected to answer.
"""
RESERVE_MIN: Final = 2.0
SHARE_MAX: Final = 0.15
"""Upper bound of the share of a moment's callees who are expected to find no agent, however large the credit.

The credit must not be spent in one burst, and in whole campaigns a larger share kept no agent busier.
"""
ROUNDING: Final = 1e-9
"""Tolerance for binary fractions just below a whole number: 0.29 x 100 is 28.999999999999996."""


class Outlook(NamedTuple):
    """The forecast for the time at which a call dialled now reaches its transfer."""

    answer_rate: float
    """The probability that a call is answered by a person."""
    callees: float
    """The expected number of callees from the calls in progress."""
    agents: float
    """The expected number of agents who are free for them."""
    variance: float
    """The variance of callees less agents."""


Ahead: TypeAlias = tuple[float, float, float, float]
"""An `Outlook`, or a plain tuple of its values, which is made faster."""


class Predictive:
    """A strategy that keeps agents as busy as possible, and never exceeds the budget of abandoned calls."""

    name = "predictive"

    def pace(self, situation: PacingInputs) -> Pace:
        """Return the most calls that keep the guarantee and leave few enough expected callees without an agent."""
        least = max(0, situation.idle - situation.pending)
        most = room(situation)
        if most <= least:
            return Pace(calls=least, is_steady=True)
        return Pace(calls=_aim(situation, least, most))


def credit(situation: PacingInputs) -> float:
    """Return the number of calls that this campaign, and those that share its agents, may still abandon."""
    own = credit_of(situation.abandon_rate_max, situation.figures, situation.first_answers)
    return min(own, situation.shared_credit)


def credit_of(abandon_rate_max: float, figures: PacingFigures, first_answers: int = FIRST_ANSWERS) -> float:
    """Return the number of calls that one campaign by itself may still abandon; negative after too many.

    It is the smallest one of its periods. Before its first dial, or if that came before periods were counted, it is
    that of all calls.
    """
    periods = figures.periods
    if len(periods) > 1:
        return min(abandon_rate_max * max(one.answered, first_answers) - one.abandoned for one in periods)
    counted = periods[0] if periods else figures
    return abandon_rate_max * max(counted.answered, first_answers) - counted.abandoned


def room(situation: PacingInputs) -> int:
    """Return the number of calls to place that the guarantee allows; negative if too many are in progress.

    Even if every call in progress is answered at once, the abandoned share then stays within its limit.
    """
    spare = max(0, math.floor(credit(situation) + ROUNDING))
    return situation.idle + spare - situation.pending


def averages_of(situation: PacingInputs) -> Averages:
    """Return the averages of a campaign's figures."""
    return situation.averages or Averages(situation.figures)


def outlook(situation: PacingInputs) -> Outlook:
    """Return the forecast for the calls in progress and the busy agents."""
    averages = averages_of(situation)
    answer_rate = (averages.answers + PRESUMED_ANSWERS) / (len(situation.figures.outcomes) + PRESUMED_ANSWERS)
    horizon_ms = horizon_of(averages)
    freed, spread = expected_free(situation.bridged_ms, averages.sorted_handling_ms, situation.now_ms, horizon_ms)
    wrapped_up = bisect_right(situation.wrapping_ms, situation.now_ms + horizon_ms)
    dialling = len(situation.dialling_ms)
    return Outlook(
        answer_rate=answer_rate,
        callees=situation.waiting + len(situation.greeted_ms) + dialling * answer_rate,
        agents=situation.idle + wrapped_up + freed,
        variance=dialling * answer_rate * (1 - answer_rate) + spread,
    )


def horizon_of(averages: Averages) -> int:
    """Return the time after which a call dialled now must have found an agent, in whole milliseconds."""
    return int(averages.ring_ms + averages.greeting_ms + ROUNDING) + ABANDONED_AFTER_MS


def overflow(mean: float, variance: float) -> float:
    """Return the expected number of callees without an agent, for a surplus of callees with this mean and variance.

    The surplus of callees over agents is a sum of many independent chances, so it is treated as normal. The expected
    positive part of a normal variable is m F(m/s) + s f(m/s). Here F is the distribution function and f the density of
    the standard normal distribution (the loss function of inventory theory). Agents and calls are whole numbers.
    Compared with the exact sum, the result is too high where they are few, which is the safe side.
    """
    if variance <= 0:
        return max(0.0, mean)
    deviation = math.sqrt(variance)
    score = mean / deviation
    density = math.exp(-score * score / 2) / math.sqrt(2 * math.pi)
    return mean * math.erfc(-score / math.sqrt(2)) / 2 + deviation * density


def _aim(situation: PacingInputs, least: int, most: int) -> int:
    """Return the most calls, between two bounds, whose overflow stays within the share that the credit allows."""
    ahead = outlook(situation)
    averages = averages_of(situation) if situation.figures.handling_ms else None
    left = credit(situation)
    share = share_of(situation.abandon_rate_max, left, situation.agents, averages, ahead.answer_rate)
    return most_within(ahead, share, range(least, most + 1))


def most_within(ahead: Ahead, share: float, room: range, excess_max: float = 0.0) -> int:
    """Return the most calls in the room whose overflow exceeds a share of the expected callees by no more than that."""
    rate, callees_before, agents, variance_before = ahead

    def excess(calls: int) -> float:
        callees = callees_before + calls * rate
        variance = variance_before + calls * rate * (1 - rate)
        return overflow(callees - agents, variance) - share * callees

    # Each further call adds more overflow than the one before, so bisection works: once over the share, always over.
    return room[bisect_right(room, excess_max, 1, key=excess) - 1]


def share_of(
    abandon_rate_max: float, credit_left: float, agents: int, averages: Averages | None, answer_rate: float
) -> float:
    """Return the share of a moment's callees who may find no agent.

    Some credit is better kept than spent: the calls in progress that are needed to keep all agents busy. By Little's
    law, a millisecond needs agents / handling time answers. Each answer takes 1 / rate calls, and each call lasts for
    one ring time. While less credit than that is left, the guarantee holds calls back. `averages` are None before the
    first call is handled.
    """
    reserve = RESERVE_MIN
    if averages is not None:
        answers_per_ms = agents / max(averages.handling_ms, 1.0)
        reserve = max(RESERVE_MIN, answers_per_ms * averages.ring_ms / answer_rate)
    return min(SHARE_MAX, abandon_rate_max * credit_left / reserve)


def expected_free(
    bridged_ms: Sequence[int], handling_ms: list[int], now_ms: int, horizon_ms: int
) -> tuple[float, float]:
    """Return the expected number of agents who talk now and are free within the horizon, and its variance.

    The probability of each is from the measured distribution of handling times, given that this one is already longer
    than the talk so far. One more time is assumed that outlasts the horizon, so that no result is certain, least of all
    at the start. It is 0 for the newest talks, which are too short for any measured time to end, and for those that are
    longer already than any.
    """
    measured = len(handling_ms)
    expected = variance = 0.0
    if not measured:
        return expected, variance
    first = bisect_right(bridged_ms, now_ms - handling_ms[-1])
    last = bisect_right(bridged_ms, now_ms + horizon_ms - handling_ms[0], first)
    for taken_ms in bridged_ms[first:last]:
        busy_ms = now_ms - taken_ms
        shorter = bisect_right(handling_ms, busy_ms)
        in_time = bisect_right(handling_ms, busy_ms + horizon_ms, shorter) - shorter
        chance = in_time / (measured - shorter + 1)
        expected += chance
        variance += chance * (1 - chance)
    return expected, variance
