"""Tests of upgrades from the baseline by made-up later migrations, on either kind of database."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from dialer.store.database import migrate
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallRequest, Cdr, Subscriber, SubscriberMove
from tests.runtime.house import House
from tests.store.later import NEWEST, NUMBERS, all_rows, filled, use_later_migrations


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    one = await filled(tmp_path, monkeypatch)
    use_later_migrations(monkeypatch, tmp_path)
    yield one
    one.database.close()


def upgraded(house: House) -> None:
    house.database.close()
    migrate.upgrade(house.url)
    house.restart()


def known(rows: dict[str, list[dict[str, Any]]], before: dict[str, list[dict[str, Any]]]) -> Any:  # noqa: ANN401 - rows
    """Return the rows without columns that came later."""
    return {
        name: [{column: row[column] for column in was} for row, was in zip(rows[name], before[name], strict=True)]
        for name in before
        if name != "alembic_version"
    }


async def test_an_upgrade_keeps_all_rows_and_fills_new_columns(house: House) -> None:
    before = all_rows(house.database)
    assert len(before["cdr"]) > 0
    upgraded(house)
    after = all_rows(house.database)
    assert set(after) - set(before) == {"gadget"}
    assert known(after, before) == known(before, before)
    assert [row["note"] for row in after["subscriber"]] == [f"was {number}" for number in NUMBERS[:-1]]
    assert [row["later"] for row in after["campaign"]] == [7]
    assert after["alembic_version"] == [{"version_num": NEWEST}]


async def test_a_copied_table_gives_no_id_again_and_keeps_its_triggers(house: House) -> None:
    """SQLite copies the table of subscribers, and drops the triggers and the last id with the old one."""
    upgraded(house)
    person = {name: value for name, value in house.rows(Subscriber)[0].items() if name != "id"}
    moves = len(house.rows(SubscriberMove))
    added = house.add(Subscriber, **person | {"number": "+12025550200"})
    assert added == len(NUMBERS) + 1
    assert len(house.rows(SubscriberMove)) == moves + 1


@pytest.mark.sqlite_only("reads the schema of SQLite")
async def test_a_copied_table_keeps_its_indexes_and_triggers(house: House) -> None:
    """SQLAlchemy cannot read indexes of expressions, so the copy of the table of contacts would have none."""
    query = text("SELECT name, sql FROM sqlite_master WHERE tbl_name = 'contact' AND type IN ('index', 'trigger')")

    def read() -> set[tuple[Any, ...]]:
        return house.database.read_now(lambda unit: {tuple(row) for row in unit.execute(query)})

    before = read()
    upgraded(house)
    assert read() == before
    assert {"ix_contact_last_digits", "contact_renamed"} <= {name for name, _ in before}


async def test_calls_go_on_after_an_upgrade(house: House) -> None:
    calls, ended = len(house.rows(CallRequest)), len(house.rows(Cdr))
    upgraded(house)
    await house.advance(3_600)
    assert len(house.rows(CallRequest)) > calls
    assert len(house.rows(Cdr)) == len(house.rows(CallRequest)) > ended
    assert house.database.read_now(audit).differences == []
