"""Tests of the plan by which a desk is read. All desks are read again with each change, so none may visit them all."""

from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.app.call_centre.desk import read_desk
from dialer.store.tables import User
from tests.databases.choice import is_postgresql
from tests.runtime.house import House


@pytest.mark.skipif(is_postgresql(), reason="the plan is one of SQLite")
def test_a_desk_visits_only_agents_who_consult_somebody(house: House) -> None:
    login_id = house.rows(User)[0]["id"]
    agents = [house.agent(name=name, login_id=login_id) for name in ("Ann", "Bob")]
    asked: list[tuple[str, Any]] = []

    def plan(connection: Connection) -> list[str]:
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        desk = read_desk(connection, login_id, house.now_ms())
        assert desk is not None
        assert desk.agent_id == agents[0]
        statement, values = asked[0]
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]

    steps = house.database.read_now(plan)
    assert [step for step in steps if "agent_1" in step] == [
        "SEARCH agent_1 USING INDEX ix_agent_consulting (user_id=? AND consultation_to=?) LEFT-JOIN"
    ]
