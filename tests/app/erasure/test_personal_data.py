"""Where a number stands in the tables: everywhere, whatever the tables are; and what of the service uses it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Executable,
    LargeBinary,
    RowMapping,
    String,
    Table,
    delete,
    select,
    update,
)

from dialer.app.erasure import personal_data
from dialer.app.erasure.erasure import Erased, erase_number
from dialer.app.work.errors import RefusedError
from dialer.domain.numbers.spellings import ERASED
from dialer.store.backends import database_files
from dialer.store.database.database import Database
from dialer.store.tables import SMS, CallInProgress, Contact, Gateway, IdempotentResponse, Payment, Row
from tests.new_database import new_database
from tests.store.leftovers import holding

NUMBER: Final = "+12025550187"
WRITTEN: Final = "(202) 555-0187"
IN_CONFIGURATION: Final = [
    column
    for table in Row.metadata.sorted_tables
    for column in personal_data.text_columns(table)
    if table in personal_data.CONFIGURATION
]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database with all tables, empty."""
    one = Database(new_database(tmp_path), synchronous="OFF")
    yield one
    one.close()


def run(database: Database, statement: Executable) -> None:
    database.write_now(lambda c: c.execute(statement))


def value(column: Column[Any], text: str) -> object:
    """Something for a column: the text wherever texts are, and 1 for everything else."""
    if column.name.endswith("medium"):
        return SMS
    if column.name == "trial_of_id":
        return None
    if f"{column.table.name}.{column.name}" in personal_data.MACHINE_MADE:
        return b"m" if isinstance(column.type, LargeBinary) else "m"
    if isinstance(column.type, LargeBinary):
        return text.encode()
    if isinstance(column.type, String):
        return "x" if column.table in personal_data.CONFIGURATION else text
    return False if isinstance(column.type, Boolean) else 1


def fill(database: Database, text: str) -> None:
    """Put a row into every table, with the text in every column that is not the service's own.

    No call is in progress, because the numbers of these cannot be erased.
    """

    def insert(connection: Connection) -> None:
        for table in Row.metadata.sorted_tables:
            connection.execute(table.insert().values({column.name: value(column, text) for column in table.c}))
        connection.execute(delete(CallInProgress))

    database.write_now(insert)


def read_rows(connection: Connection, table: Table) -> list[RowMapping]:
    return list(connection.execute(select(table).order_by(*table.primary_key)).mappings())


def rows(database: Database, table: Table) -> list[RowMapping]:
    return database.read_now(lambda c: read_rows(c, table))


def dump(database: Database) -> dict[str, list[RowMapping]]:
    return database.read_now(lambda c: {table.name: read_rows(c, table) for table in Row.metadata.sorted_tables})


@pytest.mark.parametrize("text", [NUMBER, WRITTEN, f"please call {WRITTEN} at noon", '{"spouse":12025550187}'])
def test_no_table_and_no_file_holds_it_any_more(database: Database, tmp_path: Path, text: str) -> None:
    """Also in tables that are new tomorrow.

    Rows stay, but for the contact, who calls back, drafts, notes, telephones of users, and texts that wait.
    """
    fill(database, text)
    assert holding(tmp_path, NUMBER) != []
    erase_number(database, NUMBER, lambda _: None, 0)
    database_files.compact(tmp_path / "dialer.db")
    assert holding(tmp_path, NUMBER) == []
    # Triggers write down the moves of subscribers, until a step counts them, and each word of a name.
    tables = [table for table in Row.metadata.sorted_tables if table.name not in {"subscriber_move", "contact_word"}]
    left = {table.name: len(rows(database, table)) for table in tables}
    gone = {"call_in_progress", "waiting_text"} | (
        {"contact", "call_back", "call_draft", "number_note", "own_telephone"} if text in {NUMBER, WRITTEN} else set()
    )
    rows_left = {table.name: int(table.name not in gone) for table in tables}
    assert left == {**rows_left, "audit_log": 2}  # The audit log has an entry of the erasure.


def test_what_was_deleted_before_leaves_no_byte_either(database: Database, tmp_path: Path) -> None:
    """Most builds of SQLite leave deleted rows in the file until something else needs the room."""
    fill(database, NUMBER)
    database.close()
    with closing(sqlite3.connect(tmp_path / "dialer.db", isolation_level=None)) as other:
        other.execute("PRAGMA secure_delete=OFF")
        other.execute("PRAGMA foreign_keys=OFF")
        for (trigger,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f'DROP TRIGGER "{trigger}"')
        for table in Row.metadata.sorted_tables:
            other.execute(f'DELETE FROM "{table.name}"')  # noqa: S608 - our own names
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert holding(tmp_path, NUMBER) == ["dialer.db"]
    assert erase_number(database, NUMBER, lambda _: None, 0) == Erased()
    database_files.compact(tmp_path / "dialer.db")
    assert holding(tmp_path, NUMBER) == []


@pytest.mark.parametrize("column", IN_CONFIGURATION, ids=str)
def test_a_number_that_the_service_itself_uses_is_not_erased(database: Database, column: Column[Any]) -> None:
    """Its owner must say what is to be used in its place."""
    fill(database, NUMBER)
    run(database, update(column.table).values({column.name: f"x {WRITTEN}"}))
    before = dump(database)
    with pytest.raises(RefusedError) as raised:
        erase_number(database, NUMBER, lambda _: None, 0)
    kind = "sms_gateway" if column.table is Gateway.__table__ else column.table.name
    assert str(raised.value) == f"the number is used by {kind} 1: change or delete that first"
    assert dump(database) == before


def test_documents_stay_documents_and_texts_say_what_is_missing(database: Database) -> None:
    fill(database, "nothing")
    document = '{"a": 1.50, "spouse": 12025550187, "+12025550187": ["or (202) 555-0187", {"b": 2025550187}]}'
    note = 'paid by +1 202 555 0187 in "cash"'
    run(database, update(Contact).values(additional_vars=document))
    run(database, update(Payment).values(description=note))
    run(database, update(IdempotentResponse).values(key=NUMBER, content=b"\xff" + NUMBER.encode()))
    assert erase_number(database, NUMBER, lambda _: None, 0) == Erased(others=3)
    ((contact,), (payment,), (answer,)) = (
        rows(database, model.__table__) for model in (Contact, Payment, IdempotentResponse)
    )
    assert contact["additional_vars"] == '{"a":1.5,"spouse":"erased","erased":["or erased",{"b":"erased"}]}'
    assert payment["description"] == 'paid by erased in "cash"'
    assert (answer["key"], answer["content"]) == (f"{ERASED}-1", b'{"detail":"erased"}')


def test_of_an_answer_that_told_of_a_person_nothing_is_kept(database: Database) -> None:
    fill(database, "nothing")
    told = msgspec.json.encode({"contact": WRITTEN, "full_name": "Zelda Erasmus", "additional_vars": {"iban": "DE99"}})
    run(database, update(IdempotentResponse).values(content=told))
    assert erase_number(database, NUMBER, lambda _: None, 0) == Erased(others=1)
    ((answer,),) = (rows(database, IdempotentResponse.__table__),)
    assert answer["content"] == b'{"detail":"erased"}'


def test_more_rows_than_one_unit_of_work_changes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_data, "ROWS_AT_ONCE", 2)
    fill(database, "nothing")
    row = {**rows(database, Payment.__table__)[0], "description": NUMBER}
    for payment_id in range(2, 7):
        run(database, Payment.__table__.insert().values({**row, "id": payment_id}))
    assert erase_number(database, NUMBER, lambda _: None, 0) == Erased(others=5)
    assert {row["description"] for row in rows(database, Payment.__table__)[1:]} == {ERASED}
