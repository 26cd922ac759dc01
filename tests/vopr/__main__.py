"""Looks for every planted bug from seed 0 on: `python -m tests.vopr`. Exit code 1 if one is not found soon enough."""

import sys
from contextlib import closing

import anyio

from dialer.vopr.building import Folder
from tests.vopr.planted import PLANTED, Planted
from tests.vopr.search import SEEDS_MAX, first_seed


async def tell(bug: Planted, folder: Folder) -> bool:
    """Say which seed finds it; whether any does."""
    outcome = await first_seed(bug, folder)
    found = f"NOT FOUND by {SEEDS_MAX} seeds" if outcome is None else f"seed {outcome.seed}: {outcome.broken[:100]}"
    print(f"{bug.name}: {found}", flush=True)  # noqa: T201 - a program
    return outcome is not None


async def search() -> bool:
    """Look for all of them; whether all were found."""
    with closing(Folder()) as folder:
        return all([await tell(bug, folder) for bug in PLANTED])


if __name__ == "__main__":
    sys.exit(not anyio.run(search))
