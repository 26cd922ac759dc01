"""Tests of the cost of the overview, which people look at all day."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.store.queries.live_overview import unpaid_transfers
from tests.databases.choice import is_postgresql
from tests.runtime.house import House


@pytest.mark.skipif(is_postgresql(), reason="the plan is one of SQLite")
def test_unpaid_transfers_are_found_without_a_look_at_other_calls(tmp_path: Path) -> None:
    house = House(tmp_path)
    asked: list[tuple[str, Any]] = []

    def plan(connection: Connection) -> list[str]:
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        assert unpaid_transfers(connection, [1, 2], 10**12) == {}
        statement, values = asked[0]
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]

    steps = house.database.read_now(plan)
    house.database.close()
    assert steps[0] == "SEARCH transfer USING INDEX ix_transfer_unpaid (joined_ms>?)"
    assert [step for step in steps if step.startswith("SCAN callrequest")] == []
