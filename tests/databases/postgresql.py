"""Databases of PostgreSQL: made once from a template, and emptied between tests by deleting rows."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from sqlalchemy import Connection, insert, make_url, select

from dialer.store.backends import postgresql as backend
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.databases.cluster import USER, Cluster

_TABLES: Final = Row.metadata.sorted_tables
_CLEAR: Final = """
DO $$
DECLARE
    one record;
    is_full boolean;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname NOT IN ('alembic_version', 'user_changes', 'served')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', one.relname) INTO is_full;
        IF is_full THEN
            EXECUTE format('DELETE FROM %I', one.relname);
        END IF;
    END LOOP;
    FOR one IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL AND sequencename <> 'write_turn'
    LOOP
        PERFORM setval(one.sequencename::regclass, 1, false);
    END LOOP;
    UPDATE user_changes SET count = count + 1;
    SET LOCAL session_replication_role = origin;
END $$
"""
"""Deletes all rows and lets ids begin at 1. Remembered counts become invalid."""


AT_ONCE_MAX: Final = 3
"""The most databases that one test uses at the same time. A test that asks for more gets its first one again."""


class Saved(NamedTuple):
    """The rows of all tables, and the last id of each table."""

    rows: list[tuple[Any, list[dict[str, Any]]]]
    last_ids: dict[str, int]


class Databases:
    """The databases of one process of the tests."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self._made: list[str] = []
        self._own = 0
        self.given = 0
        """Number of databases that the running test uses."""

    def url(self) -> str:
        """Return the URL of an empty database that the running test does not use yet."""
        place = self.given % AT_ONCE_MAX
        if place == len(self._made):
            self._made.append(self._create(f"{self._name}_{place}"))
        self.given += 1
        clear(self._made[place])
        return self._made[place]

    def own_url(self) -> str:
        """Return the URL of a new database."""
        self._own += 1
        return self._create(f"{self._name}_own_{self._own}")

    def save(self, database: Database) -> Saved:
        """Return all rows of a database."""
        return database.read_now(_read)

    def restore(self, database: Database, saved: Saved) -> None:
        """Replace all rows of a database by saved ones."""
        clear(database.url.render_as_string())

        def write(connection: Connection) -> None:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table, rows in saved.rows:
                connection.execute(insert(table), rows)
            backend.keep_last_ids(connection, saved.last_ids)
            connection.exec_driver_sql("SET LOCAL session_replication_role = origin")

        database.write_now(write)

    def _create(self, name: str) -> str:
        with administered(self._cluster) as connection:
            connection.execute("SELECT pg_advisory_lock(1)")  # A template is copied by one process at a time.
            connection.execute(f"CREATE DATABASE {name} TEMPLATE dialer")
            connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        return self._cluster.url(name)


@contextmanager
def administered(cluster: Cluster) -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection that can create databases."""
    with closing(psycopg.connect(host=str(cluster.folder), user=USER, dbname="postgres", autocommit=True)) as one:
        yield one


def make_template(cluster: Cluster) -> None:
    """Create the database of which all others are copies."""
    with administered(cluster) as connection:
        connection.execute("CREATE DATABASE dialer")
    migrate.upgrade(cluster.url("dialer"))


def clear(url: str) -> None:
    """Delete all rows of a database."""
    found = make_url(url)
    with closing(
        psycopg.connect(host=str(found.query["host"]), user=USER, dbname=found.database, autocommit=True)
    ) as one:
        one.execute("SET synchronous_commit = off")
        one.execute(_CLEAR)


def _read(connection: Connection) -> Saved:
    found = [(table, [dict(row) for row in connection.execute(select(table)).mappings()]) for table in _TABLES]
    return Saved([(table, rows) for table, rows in found if rows], backend.last_ids(connection))
