"""Tests that simulated fleets break no rule, and that the simulator finds what is wrong with them."""

from collections.abc import Iterator

import pytest

from dialer.store.fleet.changes import announce
from tests.vopr.building import Folder
from tests.vopr.fleet import run_fleet
from tests.vopr.fleet_planted import FLEET_PLANTED
from tests.vopr.planted import Planted
from tests.vopr.search import first_seed

SEEDS = (5, 13)
"""A worker that held nothing of an SMS gateway broke seed 13 when a survey sent a message."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Return a folder for the databases of these tests."""
    one = Folder(announce)
    yield one
    one.close()


@pytest.mark.parametrize("seed", SEEDS)
async def test_no_rule_is_broken(folder: Folder, seed: int) -> None:
    outcome = await run_fleet(seed, folder)
    assert outcome.broken == ""
    assert min(outcome.calls, outcome.faults) > 0


async def test_a_seed_gives_the_same_trace_again(folder: Folder) -> None:
    assert await run_fleet(SEEDS[-1], folder) == await run_fleet(SEEDS[-1], folder)


@pytest.mark.parametrize("bug", FLEET_PLANTED, ids=lambda bug: bug.name.replace(" ", "-"))
async def test_a_planted_bug_is_found(folder: Folder, bug: Planted) -> None:
    """Try the recorded seed first. A change of the generators may have moved the find to another seed."""
    assert await first_seed(bug, folder, try_first=bug.seed) is not None
