"""Tests of accounts that send everything at once: no seed breaks a rule, and the rules find bugs that are planted."""

import pytest

from tests.sizes import CROWD_BUGS, CROWD_SEEDS
from tests.vopr.crowd import seen
from tests.vopr.crowd_rules import CROWD_PLANTED, broken_rules, seen_alone
from tests.vopr.search import first_crowd_seed


@pytest.mark.parametrize("seed", range(CROWD_SEEDS))
def test_another_account_delays_nobody(seed: int) -> None:
    """A seed does the same each time, and its crowd is refused as well as served."""
    alone, beside = seen_alone(seed), seen(seed, has_crowd=True)
    assert list(broken_rules(alone, beside)) == []
    assert seen(seed, has_crowd=False) == alone
    assert {"apply 200", "apply 429", "test 429", "compare 202"} <= beside.crowd.keys()


def test_forecasts_of_the_crowd_are_answered() -> None:
    """One of them takes so long that the days of some seeds end before it does."""
    assert "forecast 200" in seen(0, has_crowd=True).crowd


@pytest.mark.parametrize("name", tuple(CROWD_PLANTED)[:CROWD_BUGS])
def test_a_planted_bug_is_found(name: str) -> None:
    assert first_crowd_seed(name) is not None
