"""Tests of predictive dialling in whole campaigns, over many seeds: its target and its utilisation."""

from statistics import fmean
from typing import Final

import pytest

from dialer.domain.pacing.strategies import STRATEGIES
from tests.domain.pacing.bench import Bench, Population, Result
from tests.domain.pacing.distribution import POPULATIONS
from tests.sizes import PACING_CAMPAIGNS

LONG_SEEDS: Final = 5

populations = pytest.mark.parametrize("population", POPULATIONS.values(), ids=POPULATIONS)


def campaigns(strategy: str, population: Population, seeds: int, answers: int) -> list[Result]:
    return [Bench(STRATEGIES[strategy], population, seed).run(answers) for seed in range(seeds)]


def is_within_target(result: Result) -> bool:
    """Return whether at most 3 % were abandoned, at every moment from the first hundred answers on."""
    return result.worst_share <= 0.03 and 100 * result.abandoned <= 3 * result.answered


@populations
def test_short_campaigns_keep_the_target_and_agents_busier_than_progressive(population: Population) -> None:
    """The campaigns are short, because their beginning has the smallest budget and the fewest measurements."""
    predictive = campaigns("predictive", population, PACING_CAMPAIGNS, 200)
    progressive = campaigns("progressive", population, PACING_CAMPAIGNS, 200)
    assert all(is_within_target(result) for result in predictive)
    busier = [ours.utilisation > theirs.utilisation for ours, theirs in zip(predictive, progressive, strict=True)]
    assert sum(busier) >= 0.95 * PACING_CAMPAIGNS
    assert fmean(result.utilisation for result in predictive) > fmean(result.utilisation for result in progressive)


@populations
def test_long_campaigns_keep_the_target_and_are_busier_on_every_seed(population: Population) -> None:
    predictive = campaigns("predictive", population, LONG_SEEDS, 1_000)
    progressive = campaigns("progressive", population, LONG_SEEDS, 1_000)
    assert all(is_within_target(result) for result in predictive)
    assert all(ours.utilisation > theirs.utilisation for ours, theirs in zip(predictive, progressive, strict=True))


@pytest.mark.parametrize(
    "population",
    [
        Population(1, 0.3),
        Population(20, 1.0),
        Population(20, 0.45, patience=(2.1, 2.1)),
        Population(20, 0.45, greeting=(3, 8), wrap_up=15),
        Population(20, 0.45, talk=(60, 60)),
        Population(20, 0.45, talk=(5, 20)),
        Population(10, 0.45, talk=(200, 900)),
    ],
)
def test_other_callees_and_agents_keep_the_target_too(population: Population) -> None:
    assert all(is_within_target(result) for result in campaigns("predictive", population, 3, 400))


@pytest.mark.parametrize("seed", range(3))
def test_callees_who_suddenly_all_answer_break_nothing(seed: int) -> None:
    """One in five answers, until all do. The measurements become wrong, and the guarantee holds."""
    bench = Bench(STRATEGIES["predictive"], Population(30, 0.2), seed)
    bench.run(500)
    under_way = len(bench.dialling)
    for call, fate in bench.fates.items():
        if call in bench.dialling and not fate.is_answered:
            bench.fates[call] = fate._replace(is_answered=True)
    bench.population = bench.population._replace(answer_rate=1.0)
    assert under_way > bench.idle
    assert is_within_target(bench.run(1_000))


def test_agents_who_are_too_slow_are_given_calls_all_the_same() -> None:
    """The agents take 3 s, so every call is abandoned. The campaign goes on with one call for an idle agent."""
    population = Population(20, 0.45, takes=3)
    predictive = Bench(STRATEGIES["predictive"], population, seed=1).run(400)
    progressive = Bench(STRATEGIES["progressive"], population, seed=1).run(400)
    assert predictive.abandoned > 0.9 * predictive.answered
    assert predictive.utilisation == pytest.approx(progressive.utilisation, abs=0.01)
