"""Tests that the ids of an account's events grow in the order of commits, so that whoever follows them misses none."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from typing import Final

import anyio
import psycopg
from sqlalchemy import Connection, insert, make_url

from dialer.store.backends.backend import backend_of
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, touch
from dialer.store.fleet.changes import announce
from dialer.store.rows.account_events import EventsWanted, event_row, read_events, write_events
from dialer.store.tables import User

PATIENCE_S: Final = 10.0
WRITES: Final = 60


def account(connection: Connection, name: str) -> int:
    stamps = {"created_date": 0, "updated_date": 0}
    added = insert(User).values(username=name, password_hash="-", keeps_events=True, **stamps)
    touch(connection, NOTHING)
    return int(connection.scalars(added.returning(User.id)).one())


def write(connection: Connection, user_id: int, kind: str, then: Callable[[], None] = lambda: None) -> None:
    """Write an event, and do something before the commit."""
    write_events(connection, [event_row(user_id, kind, 0, "campaigns/1", 1)])
    touch(connection, NOTHING)
    then()


def step(database: Database, work: Callable[[Connection], None]) -> None:
    """Write as a worker does that shares the service with others."""
    anyio.run(partial(database.write, work, is_step=True))


def types_of(database: Database, user_id: int) -> list[str]:
    read = partial(read_events, user_id=user_id, wanted=EventsWanted(limit=1_000))
    return [row.type for row in database.read_now(read)]


def wait_for_waiter(url: str) -> None:
    """Wait until somebody waits for the lock of the writers."""
    found = make_url(url)
    until_s = time.monotonic() + PATIENCE_S
    with closing(psycopg.connect(host=str(found.query["host"]), user=found.username, dbname=found.database)) as one:
        one.autocommit = True
        while one.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchone() is None:
            assert time.monotonic() < until_s, "nobody waits"


def test_the_event_of_another_worker_waits_for_the_step_of_the_accounts_own(url: str) -> None:
    """An answer to a text concerns accounts of several workers, and one of them writes all its events."""
    with ExitStack() as stack:
        own, other, reader = (stack.enter_context(closing(Database(url, announce=announce))) for _ in range(3))
        user_id = reader.write_now(partial(account, name="ann"))
        seen: list[list[str]] = []

        def late(connection: Connection) -> None:
            backend_of(connection).exclude_steps(connection)
            write(connection, user_id, "message.received")

        thread = threading.Thread(target=step, args=(other, late))

        def meanwhile() -> None:
            thread.start()
            wait_for_waiter(url)
            seen.append(types_of(reader, user_id))

        step(own, partial(write, user_id=user_id, kind="call.started", then=meanwhile))
        thread.join()
        assert seen == [[]]
        assert types_of(reader, user_id) == ["call.started", "message.received"]


def test_a_reader_who_follows_ids_misses_no_event_while_a_worker_and_users_write(url: str) -> None:
    """Two workers write for an account each, at the same time, and users of both write between them."""
    with ExitStack() as stack:
        databases = [stack.enter_context(closing(Database(url, announce=announce))) for _ in range(6)]
        users = [databases[0].write_now(partial(account, name=name)) for name in ("ann", "bob")]

        def work(database: Database, user_id: int) -> None:
            for _ in range(WRITES):
                step(database, partial(write, user_id=user_id, kind="call.ended"))

        def use(database: Database) -> None:
            for place in range(WRITES):
                database.write_now(partial(write, user_id=users[place % 2], kind="campaign.paused"))

        writers = [threading.Thread(target=work, args=one) for one in zip(databases, users, strict=False)]
        writers += [threading.Thread(target=use, args=(database,)) for database in databases[2:4]]
        read: dict[int, list[int]] = {user_id: [] for user_id in users}
        for thread in writers:
            thread.start()
        while True:
            is_last = not any(thread.is_alive() for thread in writers)
            for user_id, ids in read.items():
                wanted = EventsWanted(after_id=ids[-1] if ids else 0)
                ids += [row.id for row in databases[4].read_now(partial(read_events, user_id=user_id, wanted=wanted))]
            if is_last:
                break
        assert [len(ids) for ids in read.values()] == [2 * WRITES, 2 * WRITES]
