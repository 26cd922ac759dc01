"""Tests of the read of the contacts that rules count: it goes by the numbers, whatever else an account has called."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.domain.calls.contact_rules import FrequencyRule, RuledCampaign
from dialer.domain.words.contact_words import CALL, TEXT, ContactKind, PeriodUnit
from dialer.store.queries.contact_rules import contacts_with
from tests.databases.choice import is_postgresql
from tests.runtime.house import House

ADA = "+12025550100"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


def everything() -> RuledCampaign:
    """Return a campaign whose rule asks for contacts of all kinds."""
    media = frozenset({CALL, TEXT})
    rule = FrequencyRule(
        id=1, name="", limit=1, period=7, unit=PeriodUnit.DAYS, counts=ContactKind.CONVERSATIONS, media=media
    )
    return RuledCampaign(1, 1, "", (rule,), "UTC")


def plans(house: House, numbers: list[str]) -> list[str]:
    """Return the steps of the plan of SQLite for the read of contacts with numbers."""
    asked: list[tuple[str, Any]] = []

    def read(connection: Connection) -> list[str]:
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        contacts_with(connection, everything(), numbers, house.now_ms())
        ((text, values),) = asked
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)]

    return house.database.read_now(read)


@pytest.mark.skipif(is_postgresql(), reason="a planner with statistics needs no hint")
@pytest.mark.parametrize("numbers", [[ADA], [f"+1202555{line:04}" for line in range(100)]])
def test_contacts_are_found_by_their_numbers(house: House, numbers: list[str]) -> None:
    found = plans(house, numbers)
    assert [step for step in found if step.startswith("SCAN")] == []
    by = [step for step in found if "(phone_number=?" in step or "(callerid=?" in step]
    assert [step.split("INDEX ")[1] for step in by] == [
        "ix_cdr_phone_number (phone_number=?)",
        "ix_callrequest_phone_number (phone_number=?)",
        "ix_cdr_callers (callerid=?)",
        "ix_sms_message_phone_number (phone_number=?)",
    ], found
