"""The simulator against theory: the waiting probability and the mean wait of the M/M/c queue.

The expected values are independent of our code. Calls arrive at an agent queue as a Poisson process, the durations of
talks are exponential, and callers wait without limit. For this queue, A. K. Erlang's delay formula (1917) gives the
share of callers who find all agents busy, and their waits.

**Arrivals.** A campaign dials at a fixed rate, which gives a regular grid of dials and no Poisson process. But each
callee lets it ring for a random time, uniform over 900 s. Points that are displaced independently of each other
tend to a Poisson process as the displacements grow, whatever the points were (R. L. Dobrushin, On Poisson laws for
distributions of particles in space, 1956; D. J. Daley and D. Vere-Jones, An Introduction to the Theory of Point
Processes, 2nd edition, volume II, section 11.4). The error is bounded: a window of w seconds holds each of the
dials before it with a chance of w / 900 or less, independently, so by L. Le Cam's inequality (1960, with the factor
min(1, 1 / mean)) the total variation distance of their number from a Poisson one is w / 900 at most. A talk takes 2 s
on average, so that the windows that matter to the queue are short.

**Estimates.** Waits of successive callers depend on each other: an interval from their own variance would be far too
narrow. So the period in which arrivals are stationary (from 900 s after the first dial until the last one) is divided
into 40 batches, each many times as long as the queue remembers anything; their means are close to independent, and the
interval is that of Student's t distribution with 39 degrees of freedom (batch means: R. W. Conway, Some Tactical
Problems in Digital Simulation, 1963).
"""

from functools import cache
from math import sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

import pytest

from dialer.domain.queueing.erlang_c import mean_wait_ms, waiting_share
from dialer.sim.simulation import Simulation
from tests.sim.scenes import scenario_of
from tests.sizes import ERLANG_LOADS

TALK_S: Final = 2
RING_S: Final = 900
BATCHES: Final = 40
STUDENT: Final = 3.558
"""The 99.95 % point of Student's t distribution with 39 degrees of freedom, for two-sided intervals of 99.9 %."""


class Load(NamedTuple):
    """A queue: its agents, the share of their time that is asked for, and the number of simulated calls."""

    agents: int
    utilisation: float
    calls: int
    margin_max: float
    """The largest allowed half width of the interval of the waiting probability. Under a heavier load, successive waits
    depend more on each other, so an equal number of calls gives a wider interval."""

    @property
    def erlangs(self) -> float:
        """Return the arrivals in the mean time of a talk."""
        return self.agents * self.utilisation

    @property
    def frequency(self) -> int:
        """Return the dials a minute, each of which is answered."""
        return round(60 * self.erlangs / TALK_S)


LIGHT: Final = Load(1, 0.5, 12_000, 0.03)
LOADS: Final = (LIGHT, Load(5, 0.8, 16_000, 0.08), Load(10, 0.6, 24_000, 0.03), Load(3, 0.6, 24_000, 0.03))
loads = pytest.mark.parametrize(
    "load", LOADS[:ERLANG_LOADS], ids=lambda load: f"{load.agents} agents at {load.utilisation:.0%}"
)


class Interval(NamedTuple):
    """A 99.9 % confidence interval."""

    mean: float
    margin: float

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the interval."""
        return abs(value - self.mean) <= self.margin


@cache
def waits_of(load: Load) -> tuple[tuple[float, ...], ...]:
    """Return the waits of all callers in seconds, in order of arrival, by batch."""
    simulation = Simulation(
        scenario_of(
            seed=1917,
            account={},
            gateway={
                "parameters": {
                    "answer": 1,
                    **dict.fromkeys(("busy", "rejected", "invalid", "machine", "post_dial_delay"), 0),
                    "ring": [0, RING_S],
                    "patience": 86_400,
                }
            },
            campaign={"frequency": load.frequency, "calltimeout": 3_600, "callmaxduration": 86_400},
            survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]},
            queues=[{"id": 1, "max_wait_time": 0}],
            agents=[{"id": 1, "count": load.agents, "parameters": {"answer": 0, "talk": {"mean": TALK_S}}}],
            population={"size": load.calls, "patterns": ["+331990xxxxx"]},
        )
    )
    simulation.run()
    begin_ms = simulation.start_ms + RING_S * 1_000
    end_ms = simulation.start_ms + load.calls * 60_000 // load.frequency
    batches: list[list[float]] = [[] for _ in range(BATCHES)]
    for _, one in sorted(simulation.store.transfers.values(), key=lambda found: found[1].joined_ms):
        assert one.answered_ms is not None, "nobody gives up, and nobody is turned away"
        if begin_ms <= one.joined_ms < end_ms:
            batch = (one.joined_ms - begin_ms) * BATCHES // (end_ms - begin_ms)
            batches[batch].append((one.answered_ms - one.joined_ms) / 1_000)
    return tuple(map(tuple, batches))


def interval(means: list[float]) -> Interval:
    """Return the confidence interval from the means of the batches."""
    return Interval(fmean(means), STUDENT * stdev(means) / sqrt(len(means)))


def waiting_probability(load: Load) -> Interval:
    """Return the interval of the share of callers for whom no agent was idle."""
    return interval([fmean(wait > 0 for wait in batch) for batch in waits_of(load)])


@loads
def test_as_many_callers_wait_as_erlang_says(load: Load) -> None:
    """The check can fail: the probabilities of other queues, one of them close, are outside the interval."""
    found = waiting_probability(load)
    assert found.margin < load.margin_max
    assert found.holds(waiting_share(load.agents, load.erlangs)), found
    assert not found.holds(waiting_share(load.agents + 1, load.erlangs))
    assert load.erlangs >= load.agents - 1 or not found.holds(waiting_share(load.agents - 1, load.erlangs))
    assert not found.holds(waiting_share(load.agents, 1.1 * load.erlangs))
    assert_load(load)


def test_callers_wait_as_long_as_erlang_says() -> None:
    found = interval([fmean(batch) for batch in waits_of(LIGHT)])
    expected = (mean_wait_ms(LIGHT.agents, LIGHT.erlangs, TALK_S * 1_000) or 0) / 1_000
    assert found.margin < 0.25 * expected
    assert found.holds(expected), found


def assert_load(load: Load) -> None:
    """Check that each batch has the expected number of callers: arrivals are stationary and complete."""
    counts = [len(batch) for batch in waits_of(load)]
    stationary_s = load.calls * 60 / load.frequency - RING_S
    found = interval([float(count) for count in counts])
    assert found.holds(load.frequency / 60 * stationary_s / BATCHES), found
