"""Predictive dialling: ahead of the agents who are about to be free, inside a budget of abandoned calls.

Two limits, one under the other.

The *room* is a guarantee. The campaign may abandon the share `abandon_rate_max` of its answered calls, and of its first
hundred from the start. What of that is left is the credit, and no more calls are under way than idle agents plus the
credit: if all of them were answered this instant, and no busy agent came free, the share would still hold. It needs no
measurement and no luck, only that agents who are idle do take calls within `ABANDONED_AFTER_MS`. Its price is paid by
large teams whose callees seldom answer: the many calls they need must be earned first, answer by answer.

The *aim* spends the credit where it helps most. It counts the callees to expect against the agents to expect, at the
moment at which a call dialled now would come to its transfer, and places the most calls that leave a small enough
share of these callees without an agent. The better the campaign has kept its budget, the larger that share may be.

One call for each idle agent is placed in any case: it costs nothing, and without it a campaign whose agents are too
slow, so that the credit is gone, would never answer its way back.
"""

import math
from bisect import bisect_right
from typing import Final, NamedTuple

from dialer.domain.pacing.situation import ABANDONED_AFTER_MS, Pace, PacingFigures, Situation

FIRST_ANSWERS: Final = 100
"""The budget is that of so many answers from the start: the share means nothing before."""
PRESUMED_ANSWERS: Final = 10
"""Calls taken as answered before the first one is measured: who knows little expects everybody to answer."""
RESERVE_MIN: Final = 2.0
SHARE_MAX: Final = 0.15
"""However large the credit, no more than this share of the callees of a moment is expected to find no agent: it is not
to be spent in one burst, and in whole campaigns a larger share has kept nobody busier."""
_ROUNDING: Final = 1e-9
"""What binary fractions may fall short of a whole number: 0.29 x 100 is 28.999999999999996."""


class Outlook(NamedTuple):
    """What to expect when a call dialled now comes to its transfer."""

    answer_rate: float
    """The chance that a call is answered by a person."""
    callees: float
    """How many callees the calls under way are expected to bring."""
    agents: float
    """How many agents are expected to be free for them."""
    variance: float
    """Of callees less agents."""


class Predictive:
    """As many calls as keep the agents busiest within the budget of abandoned calls, which is never exceeded."""

    name = "predictive"

    def pace(self, situation: Situation) -> Pace:
        """The most calls of which few enough are expected to find no agent, and the guarantee allows."""
        least = max(0, situation.idle - situation.pending)
        most = room(situation)
        if most <= least:
            return Pace(calls=least)
        return Pace(calls=_aim(situation, least, most))


def credit(situation: Situation) -> float:
    """How many calls may still be abandoned, by this campaign and by those that share its agents."""
    return min(credit_of(situation.abandon_rate_max, situation.figures), situation.shared_credit)


def credit_of(abandon_rate_max: float, figures: PacingFigures) -> float:
    """The same of one campaign by itself; below zero if it were too many already."""
    return abandon_rate_max * max(figures.answered, FIRST_ANSWERS) - figures.abandoned


def room(situation: Situation) -> int:
    """How many calls may be placed though each one under way be answered at once; below zero if there are too many."""
    spare = max(0, math.floor(credit(situation) + _ROUNDING))
    return situation.idle + spare - situation.pending


def outlook(situation: Situation) -> Outlook:
    """What the figures say about the calls under way and the agents who are busy."""
    figures = situation.figures
    answer_rate = (sum(figures.outcomes) + PRESUMED_ANSWERS) / (len(figures.outcomes) + PRESUMED_ANSWERS)
    horizon_ms = _mean(figures.ring_ms) + _mean(figures.greeting_ms) + ABANDONED_AFTER_MS
    handling_ms = sorted(figures.handling_ms)
    chances = [_free_within(handling_ms, situation.now_ms - taken_ms, horizon_ms) for taken_ms in situation.bridged_ms]
    wrapped_up = sum(1 for free_ms in situation.wrapping_ms if free_ms <= situation.now_ms + horizon_ms)
    dialling = len(situation.dialling_ms)
    return Outlook(
        answer_rate=answer_rate,
        callees=situation.waiting + len(situation.greeted_ms) + dialling * answer_rate,
        agents=situation.idle + wrapped_up + sum(chances),
        variance=dialling * answer_rate * (1 - answer_rate) + sum(chance * (1 - chance) for chance in chances),
    )


def overflow(mean: float, variance: float) -> float:
    """How many callees too many to expect, when the surplus of callees over agents has this mean and variance.

    The surplus is a sum of many independent chances, so it is taken as normal: the expected positive part of a normal
    variable is m F(m/s) + s f(m/s), with the distribution function F and the density f of the standard normal one
    (the loss function of inventory theory). Agents and calls are whole, and against the exact sum this errs upwards
    where they are few: to the safe side.
    """
    if variance <= 0:
        return max(0.0, mean)
    deviation = math.sqrt(variance)
    score = mean / deviation
    density = math.exp(-score * score / 2) / math.sqrt(2 * math.pi)
    return mean * math.erfc(-score / math.sqrt(2)) / 2 + deviation * density


def _aim(situation: Situation, least: int, most: int) -> int:
    """The most calls, between two bounds, whose overflow stays within the share that the credit allows."""
    ahead = outlook(situation)
    rate = ahead.answer_rate
    share = min(SHARE_MAX, situation.abandon_rate_max * credit(situation) / _reserve(situation, rate))

    def excess(calls: int) -> float:
        callees = ahead.callees + calls * rate
        variance = ahead.variance + calls * rate * (1 - rate)
        return overflow(callees - ahead.agents, variance) - share * callees

    # The overflow of each further call is larger than that of the one before: once over the share, always over it.
    return least + bisect_right(range(least + 1, most + 1), 0.0, key=excess)


def _reserve(situation: Situation, answer_rate: float) -> float:
    """How much credit is better kept than spent: the calls that must be under way to keep everybody busy.

    By Little's law: agents / handling time answers are needed in a millisecond, and each takes 1 / rate calls, which
    last a ring time each. As long as less credit is left than that, the guarantee holds calls back.
    """
    figures = situation.figures
    if not figures.handling_ms:
        return RESERVE_MIN
    answers_per_ms = situation.agents / max(_mean(figures.handling_ms), 1.0)
    return max(RESERVE_MIN, answers_per_ms * _mean(figures.ring_ms) / answer_rate)


def _free_within(handling_ms: list[int], busy_ms: int, horizon_ms: float) -> float:
    """The chance that an agent who has been busy for so long is free within the horizon.

    By the distribution of the handling times measured, given that this one is longer than it has been already; and
    as if one more had been measured that outlasts the horizon, so that nothing is certain, least of all at the start.
    """
    shorter = bisect_right(handling_ms, busy_ms)
    in_time = bisect_right(handling_ms, busy_ms + horizon_ms) - shorter
    return in_time / (len(handling_ms) - shorter + 1)


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
