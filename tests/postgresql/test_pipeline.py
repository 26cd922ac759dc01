"""Tests of statements that are sent together: their order, their counts, and what an error leaves of them."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

import pytest
from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, bindparam, delete, select, update
from sqlalchemy.exc import DataError, IntegrityError

from dialer.store.backends.backend import backend_of
from dialer.store.database.bulk import Bulk, PreparedQuery, bulk_insert
from dialer.store.database.database import Database, StorageUnavailableError
from tests.databases.choice import server_url

NOTE: Final = Table("note", MetaData(), Column("id", BigInteger), Column("body", String, unique=True))
ADD: Final = bulk_insert(NOTE, "id", "body")
RENAME: Final = Bulk(
    update(NOTE).where(NOTE.c.body == bindparam("old", type_=String())).values(body=bindparam("new", type_=String())),
    ("new", "old"),
)
CLEAR: Final = Bulk(delete(NOTE), ())
NOTES: Final = PreparedQuery(select(NOTE.c.id, NOTE.c.body, NOTE.c.id > 1).order_by(NOTE.c.body))
BODIES: Final = select(NOTE.c.body).order_by(NOTE.c.body)
ODD: Final = "50 % of \\ \"quoted\" {braces}, 'ü' and %s"


@pytest.fixture
def database() -> Iterator[Database]:
    with closing(Database(server_url())) as one:
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


def test_a_lost_connection_is_told_as_such_and_the_next_unit_has_another(database: Database) -> None:
    def lose(connection: Connection) -> None:
        ADD.put(connection, [(1, "ann")])
        backend_of(connection).postpone(connection, "SELECT pg_terminate_backend(pg_backend_pid())", [()], None)

    with pytest.raises(StorageUnavailableError):
        database.write_now(lose)
    assert database.write_now(lambda connection: connection.exec_driver_sql("SELECT 1").scalar_one()) == 1


def test_many_rows_are_copied_behind_those_that_wait(database: Database) -> None:
    def work(connection: Connection) -> int:
        ADD.put(connection, [(1, "0")])
        RENAME.put(connection, [("first", "0")])
        ADD.put(connection, [(number, str(number)) for number in range(100)])
        return len(bodies(connection))

    assert database.write_now(work) == 101
