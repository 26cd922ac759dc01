"""Tests of all strategies: their names, and properties of each."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.pacing.inputs import PacingInputs
from dialer.domain.pacing.strategies import STRATEGIES, for_dial_method
from dialer.domain.words.enums import DialMethod
from tests.domain.pacing.bench import Bench, Population, Result
from tests.domain.pacing.situations import situations


def test_every_strategy_is_found_under_its_name() -> None:
    assert list(STRATEGIES) == [
        "fixed",
        "progressive",
        "predictive",
        "adapt_hard_limit",
        "adapt_average",
        "adapt_tapered",
        "erlang",
    ]
    assert [strategy.name for strategy in STRATEGIES.values()] == list(STRATEGIES)


@pytest.mark.parametrize(
    ("dial_method", "name"),
    [(DialMethod.FIXED_RATE, "fixed"), (DialMethod.PROGRESSIVE, "progressive"), (DialMethod.PREDICTIVE, "predictive")],
)
def test_every_dial_method_is_one_of_them(dial_method: DialMethod, name: str) -> None:
    assert for_dial_method(dial_method) is STRATEGIES[name]


@given(st.sampled_from(list(STRATEGIES)), situations())
def test_a_strategy_is_a_function_of_the_situation_and_changes_nothing(name: str, situation: PacingInputs) -> None:
    before = deepcopy(situation)
    first = STRATEGIES[name].pace(situation)
    assert situation == before
    assert STRATEGIES[name].pace(before) == first


@given(st.sampled_from(list(STRATEGIES)), situations())
def test_no_strategy_takes_calls_back_or_asks_to_be_asked_at_once(name: str, situation: PacingInputs) -> None:
    pace = STRATEGIES[name].pace(situation)
    assert pace.calls >= 0
    assert pace.again_ms is None or pace.again_ms > situation.now_ms


@given(st.sampled_from(list(STRATEGIES)), situations())
def test_a_strategy_keeps_only_a_few_numbers(name: str, situation: PacingInputs) -> None:
    memory = STRATEGIES[name].pace(situation).memory or {}
    assert len(memory) <= 50
    assert all(isinstance(value, int | float) for value in memory.values())


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "fixed"])
def test_one_agent_and_callees_who_always_answer(name: str) -> None:
    """The bench by hand: 10 s of ringing, 0.5 s until the agent takes the call, 60 s of talk, then the next dial.

    So answers come at 10.0, 80.5 and 151.0 s, and by the third the agent has talked for two minutes. A strategy that
    dials before the agent is free is faster.
    """
    population = Population(1, 1.0, rings=(10, 10), talk=(60, 60))
    result = Bench(STRATEGIES[name], population, seed=1).run(3)
    if name in {"progressive", "predictive"}:
        assert result == Result(3, 0, 0.0, 120 / 151, 500, 151_000)
    else:
        assert result.finish_ms <= 151_000


def test_a_bench_of_slow_agents_abandons_every_call() -> None:
    """Each call is abandoned two seconds after its transfer, and taken a second later."""
    population = Population(1, 1.0, rings=(10, 10), talk=(60, 60), takes=3, patience=(9, 9))
    assert Bench(STRATEGIES["progressive"], population, seed=1).run(3) == Result(3, 2, 0.0, 120 / 156, 3_000, 156_000)
