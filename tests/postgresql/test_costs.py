"""Tests of what a call costs PostgreSQL: statements, rows and bytes of its log are counted, and not the time."""

from contextlib import closing
from typing import Final

from benchmarks.steps import Cost, at_full_speed, on_real_clock
from dialer.store.database.database import Database
from tests.databases.choice import server_url

REAL_CLOCK_MAX: Final = {
    "steps": 0.2,
    "round trips": 1.2,
    "statements": 2.7,
    "executions": 2.7,
    "rows": 11.0,
    "WAL bytes": 7_000,
}
"""The cost of a call at 50 calls a second on the real clock. The server logs whole pages after a checkpoint."""
FULL_SPEED_MAX: Final = {"round trips": 0.02, "statements": 0.02, "executions": 0.02, "rows": 4.5, "WAL bytes": 5_000}
"""The cost of a call of `clock/advance`."""


def above(cost: Cost, most: dict[str, float]) -> dict[str, float]:
    """Return the figures of a call that are too large."""
    figures = cost.of_a_call()
    return {name: figures[name] for name in most if figures[name] > most[name]}


def test_a_call_on_the_real_clock_stays_within_its_cost() -> None:
    with closing(Database(server_url())) as database:
        assert above(on_real_clock(database, None, calls_a_second=50, seconds=25), REAL_CLOCK_MAX) == {}


def test_a_call_at_full_speed_stays_within_its_cost() -> None:
    with closing(Database(server_url())) as database:
        assert above(at_full_speed(database, None, subscribers=4_000), FULL_SPEED_MAX) == {}
