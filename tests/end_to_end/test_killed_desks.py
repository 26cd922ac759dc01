"""A test that kills the service in the middle of orders from agents' desks."""

from pathlib import Path
from typing import Final

from tests.end_to_end.killed_desks import ORDERS, POINTS, all_deaths
from tests.sizes import IS_WHOLE

IN_TURN: Final = [(order, list(POINTS)[place % len(POINTS)]) for place, order in enumerate(ORDERS)]
"""Each order at one point. `python -m tests.end_to_end.killed_desks` goes through all of them."""
SOME: Final = [("transfer", "the step is not committed"), ("manual dial", "the order is committed")]


def test_an_order_is_done_or_not_wherever_a_process_is_killed(tmp_path: Path) -> None:
    assert all_deaths(tmp_path, IN_TURN if IS_WHOLE else SOME) == []
