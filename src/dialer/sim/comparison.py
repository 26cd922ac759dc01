"""Comparison of every pacing strategy on one scenario."""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final

import msgspec

from dialer.domain.pacing.strategies import STRATEGIES, for_dial_method
from dialer.domain.words.enums import DialMethod
from dialer.sim.call_centre import call_centre_of
from dialer.sim.scenario import Scenario, ScenarioError
from dialer.sim.simulation import CAMPAIGN_ID, Simulation
from dialer.sim.simulation_store import Closing
from dialer.sim.student import quantile_within

_HOUR_MS: Final = 3_600_000
_LEVEL: Final = 0.95


class Estimate(msgspec.Struct, frozen=True):
    """Mean over seeds, and half the width of its 95 % confidence interval. The margin is None for a single seed."""

    mean: float
    margin: float | None


class Compared(msgspec.Struct, frozen=True):
    """The figures of one strategy in a comparison."""

    strategy: str
    utilisation: Estimate
    """Share of agents' time, from 0 to 1."""
    abandon_rate: Estimate
    """Share of the calls that persons answered, from 0 to 1."""
    abandon_rate_worst: float
    """Highest abandon rate of all seeds."""
    mean_wait: Estimate
    """Seconds."""
    hours: Estimate
    """Hours from the start to the end of the campaign."""


def compare(scenario: Scenario, seeds: Sequence[int]) -> Iterator[Compared]:
    """Run the scenario under each strategy and seed. Strategies run lazily, one for each item of the iterator.

    Raises:
        ScenarioError: the scenario has no queues, no agents, or no transfer to a queue.
    """
    if not (scenario.queues and scenario.agents):
        raise ScenarioError("queues: A comparison of strategies needs queues and agents.")
    if not scenario.survey.has_transfer_to_queue:
        raise ScenarioError("survey: A comparison of strategies needs a transfer to a queue.")
    return (_compared(name, [_run(_under(scenario, name, seed)) for seed in seeds]) for name in STRATEGIES)


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of values with its 95 % confidence interval by Student's t distribution."""
    if len(values) == 1:
        return Estimate(values[0], None)
    return Estimate(fmean(values), quantile_within(_LEVEL, len(values) - 1) * stdev(values) / sqrt(len(values)))


def render_comparison(rows: Iterable[Compared]) -> Iterator[str]:
    """Yield the lines of a table, one for each strategy as it is known. The titles come before the first."""
    for index, row in enumerate(rows):
        if index == 0:
            yield (
                f"{'strategy':<16}{'utilisation':>16}{'abandoned':>18}{'worst':>10}{'mean wait':>16}"
                f"{'finished after':>18}"
            )
        worst = f"{100 * row.abandon_rate_worst:.2f} %"
        yield (
            f"{row.strategy:<16}{_percent(row.utilisation, 1):>16}{_percent(row.abandon_rate, 2):>18}"
            f"{worst:>10}{_plain(row.mean_wait, 's'):>16}{_plain(row.hours, 'h'):>18}"
        )


class _Outcome(msgspec.Struct, frozen=True):
    utilisation: float
    abandon_rate: float
    mean_wait: float
    hours: float


def _under(scenario: Scenario, name: str, seed: int) -> Scenario:
    is_fixed = name == for_dial_method(DialMethod.FIXED_RATE).name
    campaign = msgspec.structs.replace(
        scenario.campaign,
        dial_method=DialMethod.FIXED_RATE if is_fixed else DialMethod.PREDICTIVE,
        strategy="" if is_fixed else name,
    )
    return msgspec.structs.replace(scenario, campaign=campaign, seed=seed)


def _run(scenario: Scenario) -> _Outcome:
    simulation = Simulation(scenario)
    simulation.run()
    figures = call_centre_of(simulation)
    closing: Closing = simulation.store.closings[CAMPAIGN_ID]
    hours = (closing.at_ms - simulation.start_ms) / _HOUR_MS
    if figures is None:
        return _Outcome(0.0, 0.0, 0.0, hours)
    return _Outcome(figures.utilisation, figures.abandon_rate, figures.mean_wait, hours)


def _compared(name: str, outcomes: Sequence[_Outcome]) -> Compared:
    return Compared(
        strategy=name,
        utilisation=estimate([outcome.utilisation for outcome in outcomes]),
        abandon_rate=estimate([outcome.abandon_rate for outcome in outcomes]),
        abandon_rate_worst=max(outcome.abandon_rate for outcome in outcomes),
        mean_wait=estimate([outcome.mean_wait for outcome in outcomes]),
        hours=estimate([outcome.hours for outcome in outcomes]),
    )


def _percent(value: Estimate, places: int) -> str:
    margin = "" if value.margin is None else f" ± {100 * value.margin:.{places}f}"
    return f"{100 * value.mean:.{places}f}{margin} %"


def _plain(value: Estimate, unit: str) -> str:
    margin = "" if value.margin is None else f" ± {value.margin:.1f}"
    return f"{value.mean:.1f}{margin} {unit}"
