"""Looks for a planted bug, seed by seed."""

from typing import Final

import pytest

from dialer.vopr.building import Folder
from dialer.vopr.run import Outcome, run_seed
from tests.vopr.planted import Planted

SEEDS_MAX: Final = 200
"""Within so many seeds every planted bug must be found."""


async def first_seed(bug: Planted, folder: Folder, *, try_first: int = 0) -> Outcome | None:
    """What the first seed says that finds it; None if none does."""
    for seed in (try_first, *range(SEEDS_MAX)):
        with pytest.MonkeyPatch.context() as patch:
            bug.plant(patch)
            outcome = await run_seed(seed, folder)
        if not outcome.ok:
            return outcome
    return None
