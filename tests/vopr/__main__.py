"""Looks for every planted bug from seed 0 on: `python -m tests.vopr`. Exit code 1 if one is not found soon enough."""

import sys
from contextlib import closing

import anyio
import pytest

from dialer.vopr.building import Folder
from dialer.vopr.run import run_seed
from tests.vopr.planted import PLANTED, Planted

SEEDS_MAX = 200


async def first_seed(bug: Planted, folder: Folder) -> int | None:
    """The first seed that finds it."""
    for seed in range(SEEDS_MAX):
        with pytest.MonkeyPatch.context() as patch:
            bug.plant(patch)
            outcome = await run_seed(seed, folder)
        if not outcome.ok:
            print(f"{bug.name}: found by seed {seed}: {outcome.broken[:100]}", flush=True)  # noqa: T201 - a program
            return seed
    print(f"{bug.name}: NOT FOUND by {SEEDS_MAX} seeds", flush=True)  # noqa: T201 - a program
    return None


async def search() -> int:
    """Look for all of them; how many were not found."""
    with closing(Folder()) as folder:
        return [await first_seed(bug, folder) for bug in PLANTED].count(None)


if __name__ == "__main__":
    sys.exit(anyio.run(search) > 0)
