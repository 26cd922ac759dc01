"""Tests of the cost of the overview, which people look at all day."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.store.queries.live_overview import unpaid_transfers
from dialer.store.queries.statistics import MINUTE_MS, WhoseCalls, dialled_by_minute
from dialer.store.tables import CallRequest
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


async def test_calls_are_counted_by_the_minute_of_their_dial_on_both_databases(tmp_path: Path) -> None:
    house = House(tmp_path)
    begun_ms = house.now_ms()
    numbers = [f"+120255501{place:02d}" for place in range(30)]
    survey = house.survey({"type": 1, "script": "hello"})
    campaign = await house.started(survey, house.phonebook(*numbers), frequency=4)
    await house.advance(150)
    asked = WhoseCalls(campaign_id=campaign)
    found = house.database.read_now(lambda connection: dialled_by_minute(connection, asked, begun_ms))
    begun = [one["started_ms"] for one in house.rows(CallRequest)]
    house.database.close()
    assert found == Counter(at_ms // MINUTE_MS for at_ms in begun)
    assert len(found) > 1
