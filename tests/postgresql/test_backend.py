"""Tests of what a unit of work on PostgreSQL may rely on: locks, lost connections, and what others have written."""

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    LargeBinary,
    String,
    Table,
    TypeDecorator,
    event,
    insert,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError

from dialer.store.backends.backend import backend_for
from dialer.store.backends.postgresql_rows import COPY_MIN, driver_of
from dialer.store.backends.postgresql_turns import STEP_IDLE_TIMEOUT_MS
from dialer.store.backends.process_lock import ServedError
from dialer.store.database.bulk import Among, bulk_insert
from dialer.store.database.database import Database, OutcomeUnknownError, StorageUnavailableError
from dialer.store.database.touched import EVERYTHING, NOTHING, touch
from dialer.store.tables import SMS, CpsReturned, Row, User


def add(connection: Connection, name: str = "ann") -> None:
    stamps = {"created_date": 0, "updated_date": 0}
    connection.execute(insert(User).values(username=name, password_hash="-", **stamps))
    touch(connection, NOTHING)


def names(connection: Connection) -> list[str]:
    return list(connection.scalars(select(User.username).order_by(User.id)))


def end_sessions(url: str) -> None:
    """End all other sessions of the database, as a restart of the server does."""
    found = make_url(url)
    with closing(psycopg.connect(host=str(found.query["host"]), user=found.username, dbname=found.database)) as one:
        one.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_connections_that_were_lost_while_idle_are_replaced_at_once(database: Database, url: str) -> None:
    database.write_now(add)
    assert database.read_now(names) == ["ann"]
    end_sessions(url)
    database.write_now(lambda unit: add(unit, "ben"))
    assert database.read_now(names) == ["ann", "ben"]


def test_a_unit_whose_connection_is_lost_leaves_nothing(database: Database, url: str) -> None:
    def lost(unit: Connection) -> None:
        add(unit)
        end_sessions(url)
        names(unit)

    with pytest.raises(StorageUnavailableError) as error:
        database.write_now(lost)
    assert not isinstance(error.value, OutcomeUnknownError)
    assert database.read_now(names) == []


def test_a_connection_that_is_lost_during_the_commit_leaves_the_outcome_unknown(database: Database, url: str) -> None:
    event.listen(database._writer, "commit", lambda _: end_sessions(url), once=True)  # noqa: SLF001 - just before it
    with pytest.raises(OutcomeUnknownError):
        database.write_now(add)
    database.write_now(lambda unit: add(unit, "ben"))


def test_a_writer_waits_for_another_only_as_long_as_its_patience(database: Database, beside: Database) -> None:
    def meanwhile(unit: Connection) -> None:
        add(unit)
        with pytest.raises(StorageUnavailableError, match="lock timeout"):
            beside.write_now(add)
        assert beside.read_now(names) == []

    database.write_now(meanwhile)
    assert beside.read_now(names) == ["ann"]


def test_a_writer_that_waited_sees_what_the_other_has_committed(url: str) -> None:
    """A snapshot that is older than the lock would still show a campaign that was paused meanwhile as started."""
    with closing(Database(url, synchronous="OFF")) as first, closing(Database(url, synchronous="OFF")) as second:
        has_begun, seen = threading.Event(), list[list[str]]()

        def late() -> None:
            has_begun.set()
            seen.append(second.write_now(names))

        def early(unit: Connection) -> threading.Thread:
            thread = threading.Thread(target=late)
            thread.start()
            has_begun.wait()
            add(unit)
            return thread

        first.write_now(early).join()
    assert seen == [["ann"]]


def test_only_the_commits_of_others_count_as_unknown_changes(database: Database, beside: Database) -> None:
    database.write_now(database.take_touched)
    database.write_now(add)
    assert database.write_now(database.take_touched) == NOTHING
    beside.write_now(lambda unit: add(unit, "ben"))
    assert database.write_now(database.take_touched) == EVERYTHING
    assert database.write_now(database.take_touched) == NOTHING


def test_a_failed_transaction_is_not_committed_in_silence(database: Database) -> None:
    """PostgreSQL answers its COMMIT with a ROLLBACK, and no error."""

    def careless(unit: Connection) -> None:
        add(unit)
        with pytest.raises(IntegrityError):
            unit.execute(update(User).values(username=None))

    with pytest.raises(psycopg.InternalError):
        database.write_now(careless)
    assert database.read_now(names) == []


def test_the_sum_of_large_integers_is_an_integer(database: Database) -> None:
    assert repr(database.read_now(lambda unit: unit.scalar(text("SELECT sum(CAST(2 AS bigint))")))) == "2"


def test_one_process_serves_a_database(url: str) -> None:
    backend, found = backend_for(url), make_url(url)
    with backend.serving_alone(found), pytest.raises(ServedError, match="another process serves postgresql"):
        backend.serving_alone(found).__enter__()
    with backend.serving_alone(found):
        pass


@pytest.mark.parametrize("spell", [lambda url: url, lambda url: url.replace("+psycopg", "+asyncpg")])
def test_the_url_names_the_database_whichever_driver_it_names(url: str, spell: Callable[[str], str]) -> None:
    with closing(Database(spell(url))) as one:
        assert one.read_now(names) == []


def test_a_statement_that_takes_too_long_is_ended(url: str) -> None:
    # A limit of 1 ms may pass between two statements. PostgreSQL then says that the user asked for the end.
    with closing(Database(url, statement_timeout_ms=100)) as hasty:
        for run in (hasty.read_now, hasty.write_now):
            with pytest.raises(StorageUnavailableError, match="statement timeout"):
                run(lambda unit: unit.exec_driver_sql("SELECT pg_sleep(60)"))


@pytest.mark.parametrize("code", ["53100", "53200", "53300", "25006", "57P03", "58030", "XX001"])
def test_a_server_that_is_full_read_only_or_damaged_counts_as_unavailable(database: Database, code: str) -> None:
    def fail(unit: Connection) -> None:
        add(unit)
        unit.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")

    with pytest.raises(StorageUnavailableError) as error:
        database.write_now(fail)
    assert not isinstance(error.value, OutcomeUnknownError)
    database.write_now(lambda unit: add(unit, "ben"))
    assert database.read_now(names) == ["ben"]


def test_values_are_looked_up_with_a_plan_for_the_table_as_it_is(database: Database) -> None:
    """A plan that is kept from an empty table reads a full one from one end to the other."""
    usernames = Among(User.username)

    def look(unit: Connection) -> str:
        usernames.run(unit, ["ann"], {})
        return str(unit.exec_driver_sql("SHOW plan_cache_mode").scalar_one())

    assert database.write_now(look) == "force_custom_plan"
    assert database.write_now(lambda unit: unit.exec_driver_sql("SHOW plan_cache_mode").scalar_one()) == "auto"


def test_rows_that_are_copied_break_the_same_rules(database: Database) -> None:
    """COPY is beside SQLAlchemy, which turns the driver's errors into its own."""
    returned = bulk_insert(CpsReturned.__table__, "id", "medium", "gateway_id", "cps", "until_ms")
    with pytest.raises(IntegrityError):
        database.write_now(lambda unit: returned.run(unit, [(1, "voice", 1, 1, 1)] * COPY_MIN))
    rows = [(number, "voice", 1, 1, 1) for number in range(1, COPY_MIN + 1)]
    assert database.write_now(lambda unit: returned.run(unit, rows)) == COPY_MIN
    assert database.read_now(lambda unit: [tuple(row) for row in unit.execute(CpsReturned.__table__.select())]) == rows


@pytest.mark.parametrize("table", Row.metadata.sorted_tables, ids=str)
def test_a_few_rows_of_any_table_are_inserted_at_once_as_they_are(database: Database, table: Table) -> None:
    """Names of columns may be words of SQL, such as `order`, and columns may be of any type."""
    rows = [tuple(made_up(column, number) for column in table.c) for number in range(1, COPY_MIN)]

    def insert_and_read(unit: Connection) -> list[tuple[object, ...]]:
        unit.exec_driver_sql("SET LOCAL session_replication_role = replica")  # Without foreign keys and triggers.
        bulk_insert(table, *table.c.keys()).run(unit, rows)
        names = ", ".join(f'"{name}"' for name in table.columns.keys())  # noqa: SIM118 - a collection of SQLAlchemy
        found = unit.exec_driver_sql(f'SELECT {names} FROM "{table.name}"')  # noqa: S608 - our own names
        return sorted(tuple(row) for row in found)

    assert database.write_now(insert_and_read) == rows


def made_up(column: Column[Any], number: int) -> object:
    """Return a value that a column takes, another one for each number."""
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    if column.name == "sms_medium":
        return SMS
    if isinstance(kind, LargeBinary):
        return bytes([number])
    if isinstance(kind, Boolean):
        return number % 2 == 0
    return f"{number}" if isinstance(kind, String) else number


async def test_a_step_that_is_silent_in_the_middle_of_a_statement_ends_before_users_lose_patience(url: str) -> None:
    """The server's limit for idle transactions does not end it: its statement goes on, and waits for rows."""

    def silent(unit: Connection) -> None:
        with driver_of(unit).cursor().copy("COPY cps_returned (id) FROM STDIN"):
            user.write_now(add)

    def announce(_unit: Connection, _touched: object) -> None:
        """Tell nobody: that there are other processes makes it a step beside others."""

    patience_ms = STEP_IDLE_TIMEOUT_MS + 100
    with (
        closing(Database(url, synchronous="OFF", announce=announce)) as worker,
        closing(Database(url, synchronous="OFF", busy_timeout_ms=patience_ms)) as user,
    ):
        with pytest.raises(StorageUnavailableError):
            await worker.write(silent, is_step=True)
        assert user.read_now(names) == ["ann"]
