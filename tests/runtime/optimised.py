"""A planted bug in a program of its own: `python -O -m tests.runtime.optimised FOLDER` spends held money again."""

import sys
from pathlib import Path

import anyio
import pytest

from dialer.store.tables import Campaign
from tests.runtime.broken import both_start, held_money_is_spent_again, street
from tests.runtime.house import CENTS


async def run(folder: Path) -> str:
    """Plant the bug, run the service, and return a line about the outcome."""
    house = street(folder)
    house.pay(-100_000 * CENTS + 61 * CENTS)
    with pytest.MonkeyPatch.context() as patch:
        held_money_is_spent_again(patch)
        await both_start(house)
        await house.advance(3_600)
    ends = [(row["status"], row["status_reason"]) for row in house.rows(Campaign)]
    house.database.close()
    broken = {str(rule): count for rule, count in house.worker.figures().broken.items()}
    return f"assertions: {__debug__}, {ends}, {broken}, {house.worker.problem()}"


if __name__ == "__main__":
    print(anyio.run(run, Path(sys.argv[1])))  # noqa: T201 - a program
