"""Tests of the cost of an open desk, counted and not timed. A hundred of them are drawn anew every second."""

from pathlib import Path
from typing import Final

import pytest

from benchmarks.desk_centre import furnish
from benchmarks.desks import counted

AGENTS: Final = 20
HISTORIES: Final = (20, 200)
"""Earlier calls of each agent."""
DESK_MAX: Final = {"statements of a desk": 7, "Python calls of a desk": 2_750}
"""The cost of a desk without a call that is drawn anew, with its request."""


@pytest.mark.parametrize("history", HISTORIES)
def test_a_desk_that_is_drawn_anew_stays_within_its_cost_however_many_calls_there_were(
    tmp_path: Path, history: int
) -> None:
    cost = counted(furnish(tmp_path, AGENTS, history))
    assert {name: cost[name] for name in DESK_MAX if cost[name] > DESK_MAX[name]} == {}
