"""Tests of statements that are sent together: their order, their counts, and what an error leaves of them."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

import pytest
from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, bindparam, delete, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InternalError, NotSupportedError

from dialer.store.backends.backend import backend_of
from dialer.store.database.bulk import Bulk, PreparedQuery, bulk_insert
from dialer.store.database.database import Database, StorageUnavailableError

NOTE: Final = Table("note", MetaData(), Column("id", BigInteger), Column("body", String, unique=True))
ADD: Final = bulk_insert(NOTE, "id", "body")
RENAME: Final = Bulk(
    update(NOTE).where(NOTE.c.body == bindparam("old", type_=String())).values(body=bindparam("new", type_=String())),
    ("new", "old"),
)
CLEAR: Final = Bulk(delete(NOTE), ())
NOTES: Final = PreparedQuery(select(NOTE.c.id, NOTE.c.body, NOTE.c.id > 1).order_by(NOTE.c.body))
BODIES: Final = select(NOTE.c.body).order_by(NOTE.c.body)
TWICE: Final = "INSERT INTO note (body) VALUES ('ann'), ('ann')"
SELECTS_MIN: Final = 10
"""Number of times after which psycopg has prepared a query by itself, unless it may not."""
PREPARED: Final = "SELECT count(*) FROM pg_prepared_statements"
ODD: Final = "50 % of \\ \"quoted\" {braces}, 'ü' and %s"


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with closing(Database(url, statement_timeout_ms=300)) as one:
        one.write_now(
            lambda connection: connection.exec_driver_sql("CREATE TEMP TABLE note (id BIGINT, body VARCHAR UNIQUE)")
        )
        yield one


def bodies(connection: Connection) -> list[str | None]:
    return list(connection.scalars(BODIES))


def test_statements_run_in_their_order_before_the_next_query(database: Database) -> None:
    counts: list[int] = []

    def work(connection: Connection) -> tuple[object, object]:
        ADD.put(connection, [(1, "ann"), (2, "bob")], counts.append)
        RENAME.put(connection, [("eve", "ann"), ("eve", "ann")], counts.append)
        seen = NOTES.rows(connection, {})
        RENAME.put(connection, [("ann", "eve")], counts.append)
        return seen, bodies(connection)

    assert database.write_now(work) == ([(2, "bob", True), (1, "eve", False)], ["ann", "bob"])
    assert counts == [2, 1, 1]


def test_what_nobody_asks_about_is_counted_and_committed(database: Database) -> None:
    def work(connection: Connection) -> int:
        before = backend_of(connection).rows_written(connection)
        ADD.put(connection, [(1, ODD), (None, None)])
        return backend_of(connection).rows_written(connection) - before

    assert database.write_now(work) == 2
    database.write_now(lambda connection: RENAME.put(connection, [("bob", ODD)]))
    assert database.write_now(bodies) == ["bob", None]
    database.write_now(lambda connection: CLEAR.put(connection, [()]))
    assert database.write_now(bodies) == []


def test_an_error_undoes_what_was_sent_with_it_and_the_transaction_goes_on(database: Database) -> None:
    def broken(connection: Connection) -> None:
        with backend_of(connection).recoverable(connection):
            ADD.put(connection, [(2, "bob")])
            ADD.put(connection, [(3, "ann")])
            RENAME.put(connection, [("eve", "ann")])

    def work(connection: Connection) -> list[str | None]:
        ADD.put(connection, [(1, "ann")])
        with pytest.raises(IntegrityError):
            broken(connection)
        ADD.put(connection, [(4, "cora")])
        return bodies(connection)

    assert database.write_now(work) == ["ann", "cora"]
    assert database.write_now(bodies) == ["ann", "cora"]


def test_a_text_that_cannot_be_stored_is_refused_before_anything_is_sent(database: Database) -> None:
    def work(connection: Connection) -> list[str | None]:
        with pytest.raises(DataError), backend_of(connection).recoverable(connection):
            ADD.put(connection, [(1, "a\0b")])
        return bodies(connection)

    assert database.write_now(work) == []


def test_statements_wait_no_longer_than_a_failed_transaction(database: Database) -> None:
    def fail(connection: Connection) -> None:
        ADD.put(connection, [(1, "ann")])
        raise LookupError

    with pytest.raises(LookupError):
        database.write_now(fail)
    database.write_now(lambda connection: ADD.put(connection, [(2, "bob")]))
    assert database.write_now(bodies) == ["bob"]


@pytest.mark.parametrize("patience_ms", [pytest.param(1, id="the lock"), pytest.param(9_000, id="any statement")])
def test_a_start_that_waits_in_vain_for_other_writers_is_not_the_fault_of_the_next_unit(
    database: Database, beside: Database, patience_ms: int
) -> None:
    def wait_in_vain(_other: Connection) -> None:
        with pytest.raises(StorageUnavailableError):
            database.write_now(bodies, patience_ms)

    for _ in range(SELECTS_MIN):
        database.write_now(bodies)
    database.write_now(lambda connection: ADD.put(connection, [(1, "ann")]))
    beside.write_now(wait_in_vain)
    database.write_now(lambda connection: ADD.put(connection, [(2, "bob")]))
    assert database.write_now(bodies) == ["ann", "bob"]


def test_units_that_fail_leave_no_statements_behind(database: Database) -> None:
    def fail(connection: Connection) -> None:
        ADD.put(connection, [(1, "ann")])
        bodies(connection)
        raise LookupError

    def prepared(connection: Connection) -> int:
        return int(connection.exec_driver_sql(PREPARED).scalar_one())

    counts = []
    for _ in range(3):
        with pytest.raises(LookupError):
            database.write_now(fail)
        counts.append(database.write_now(prepared))
    assert counts == [1, 1, 1]


def test_a_session_that_has_lost_its_statements_fails_once_as_the_database_does(database: Database) -> None:
    database.write_now(lambda connection: ADD.put(connection, [(1, "ann")]))
    database.write_now(lambda connection: connection.exec_driver_sql("DEALLOCATE ALL"))
    with pytest.raises(StorageUnavailableError):
        database.write_now(lambda connection: ADD.put(connection, [(2, "bob")]))
    database.write_now(lambda connection: ADD.put(connection, [(3, "cora")]))
    assert database.write_now(bodies) == ["ann", "cora"]


def test_what_waits_in_front_of_a_savepoint_outlives_an_error_behind_it(database: Database) -> None:
    def fail(connection: Connection) -> None:
        with backend_of(connection).recoverable(connection):
            ADD.put(connection, [(2, "bob")])
            raise LookupError

    def work(connection: Connection) -> None:
        ADD.put(connection, [(1, "ann")])
        with pytest.raises(LookupError):
            fail(connection)

    database.write_now(work)
    assert database.write_now(bodies) == ["ann"]


def test_an_error_in_front_of_a_savepoint_is_told_as_it_is(database: Database) -> None:
    def work(connection: Connection) -> None:
        backend_of(connection).postpone(connection, TWICE, [()], None)
        with backend_of(connection).recoverable(connection):
            ADD.put(connection, [(1, "bob")])

    with pytest.raises(IntegrityError, match="duplicate key"):
        database.write_now(work)
    assert database.write_now(bodies) == []


def test_a_savepoint_in_a_failed_transaction_is_told_as_that(database: Database) -> None:
    def work(connection: Connection) -> None:
        with pytest.raises(DBAPIError):
            connection.exec_driver_sql(TWICE)
        with backend_of(connection).recoverable(connection):
            ADD.put(connection, [(1, "bob")])

    with pytest.raises(InternalError, match="current transaction is aborted"):
        database.write_now(work)


def test_a_text_in_a_statement_may_look_like_the_place_of_a_value(database: Database) -> None:
    def work(connection: Connection) -> object:
        return backend_of(connection).query(connection, "SELECT '%%s', '5 %%', CAST(%s AS TEXT)", ["%s"])

    assert database.write_now(work) == [("%s", "5 %", "%s")]


@pytest.mark.parametrize("value", [1.5, b"bytes"])
def test_a_value_of_another_type_is_refused(database: Database, value: object) -> None:
    with pytest.raises(NotSupportedError, match="a statement that waits takes no"):
        database.write_now(lambda connection: ADD.put(connection, [(1, value)]))


def test_a_lost_connection_is_told_as_such_and_the_next_unit_has_another(database: Database) -> None:
    def lose(connection: Connection) -> None:
        ADD.put(connection, [(1, "ann")])
        backend_of(connection).postpone(connection, "SELECT pg_terminate_backend(pg_backend_pid())", [()], None)

    with pytest.raises(StorageUnavailableError):
        database.write_now(lose)
    assert database.write_now(lambda connection: connection.exec_driver_sql("SELECT 1").scalar_one()) == 1


def test_many_rows_are_copied_behind_those_that_wait(database: Database) -> None:
    counts: list[int] = []

    def work(connection: Connection) -> int:
        ADD.put(connection, [(1, "0")])
        RENAME.put(connection, [("first", "0")])
        ADD.put(connection, [(number, str(number)) for number in range(100)], counts.append)
        return len(bodies(connection))

    assert database.write_now(work) == 101
    assert counts == [100]
