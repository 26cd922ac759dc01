"""Tests of the calls a minute: kept minutes are those of the rows, however the clock moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from dialer.console.charts import calls_per_minute
from dialer.console.charts.calls_per_minute import MINUTES, SETTLED_AFTER, Minutes
from dialer.store.queries.statistics import MINUTE_MS, WhoseCalls

FIRST = 29_900_000


class Rows:
    """Calls by minute in place of the query, which counts the minutes that it is asked for."""

    def __init__(self, calls: dict[int, int]) -> None:
        self.calls = calls
        self.asked: list[int] = []

    def query(self, _connection: object, _scope: WhoseCalls, since_ms: int) -> dict[int, int]:
        self.asked.append(since_ms // MINUTE_MS)
        return {minute: count for minute, count in self.calls.items() if minute * MINUTE_MS >= since_ms}


@given(
    calls=st.dictionaries(st.integers(0, 300), st.integers(1, 9)),
    moments=st.lists(st.integers(MINUTES, 300), min_size=1, max_size=8),
)
def test_the_counts_are_those_of_the_rows(calls: dict[int, int], moments: list[int]) -> None:
    rows = Rows({FIRST + minute: count for minute, count in calls.items()})
    kept = Minutes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls_per_minute, "dialled_by_minute", rows.query)
        for moment in moments:
            found = kept.read(connection(), WhoseCalls(), (FIRST + moment) * MINUTE_MS + 30_000)
            assert found == [calls.get(minute, 0) for minute in range(moment - MINUTES, moment)]


def test_settled_minutes_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows({})
    monkeypatch.setattr(calls_per_minute, "dialled_by_minute", rows.query)
    kept = Minutes()
    for moment in (100, 100, 103):
        kept.read(connection(), WhoseCalls(), moment * MINUTE_MS)
    assert rows.asked == [100 - MINUTES, 100 - SETTLED_AFTER + 1, 100 - SETTLED_AFTER + 1]


def connection() -> Connection:
    """Return a connection that nothing uses."""
    return object.__new__(Connection)
