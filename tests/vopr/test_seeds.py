"""Seeds of the fault simulator: none of them breaks a rule, and each does the same wherever it is run."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vopr.building import Folder
from tests.vopr.run import SeedOutcome, run_seed

ROOT = Path(__file__).parents[2]
SEEDS = 300
SEEDS_PER_TEST = 20
FOUND = {
    454: "a worker that comes late dials a B-leg for a call that is over: that leg has not begun",
    787: "the end of a B-leg was not reported before a crash: its call came to the next transfer all the same",
    3205: "a call whose end nobody reported before a crash was waited for by the next process as if it had just begun",
    4220: "an agent takes a call twice: other campaigns were considered again",
    5781: "a worker that comes late aborts a call that was cut off before: it is charged until then",
    50692: "a campaign that is over went by the do-not-call list that it had when it ended, until a restart",
}
"""Further seeds that have broken a rule, and by what."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Folder]:
    """Where the databases of these tests are."""
    one = Folder()
    yield one
    one.close()


@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_PER_TEST))
async def test_no_rule_is_broken(folder: Folder, first: int) -> None:
    outcomes = [await run_seed(seed, folder) for seed in range(first, first + SEEDS_PER_TEST)]
    assert [one for one in outcomes if not one.ok] == []
    assert sum(one.calls for one in outcomes) > SEEDS_PER_TEST
    assert sum(one.faults for one in outcomes) > SEEDS_PER_TEST


@pytest.mark.parametrize("seed", FOUND, ids=str)
async def test_what_was_found_once_is_not_broken_again(folder: Folder, seed: int) -> None:
    assert (await run_seed(seed, folder)).broken == ""


async def test_a_seed_gives_the_same_trace_again(folder: Folder) -> None:
    async def run() -> list[SeedOutcome]:
        return [await run_seed(seed, folder) for seed in range(4)]

    assert await run() == await run()


@pytest.mark.parametrize("hash_seed", ["1", "2"])
async def test_the_trace_does_not_depend_on_the_process(folder: Folder, hash_seed: str, tmp_path: Path) -> None:
    digests = [(await run_seed(seed, folder)).digest[:16] for seed in (3, 4)]
    assert digests_of_a_process(hash_seed, tmp_path) == digests


def digests_of_a_process(hash_seed: str, folder: Path) -> list[str]:
    """Return the digests that another process prints for the same seeds."""
    program = (sys.executable, "-m", "tests.vopr", "--seeds", "2", "--from", "3")
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    printed = subprocess.run(program, check=True, capture_output=True, text=True, cwd=folder, env=environ).stdout
    return [line.rpartition(", ")[2] for line in printed.splitlines()]
