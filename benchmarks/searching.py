"""Benchmark of searches and orderings: `python -m benchmarks.searching [--quick] [--postgresql] [ROWS ...]`.

It measures the time of one request over HTTP, and compares it with the first page in the order of the ids. A commit
comes before the first request of each kind, so its `count` is counted; the requests that follow find it counted.
A small account comes after the large one, and its searches are measured, too.
"""

import base64
import http.client
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from benchmarks.advance import START_MS, add
from benchmarks.databases import NAMES, cluster, new_databases
from benchmarks.fixture_database import (
    AUTHORIZATION,
    INSERT_CONTACTS,
    PASSWORD,
    PHONEBOOK,
    PORTION,
    USER,
    add_people,
    create_database,
)
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from benchmarks.servers import DIALER, Server, running
from dialer.domain.numbers.search_keys import name_key
from dialer.passwords import hash_password
from dialer.store.backends.backend import backend_of
from dialer.store.database.database import Database
from dialer.store.tables import Phonebook, User

ROWS: Final = 1_000_000
QUICK: Final = 20_000
REPEATS: Final = 9
WANTED_AT: Final = "200,000"
LIMIT_MS: Final = 20
SMALL: Final = "small"
SMALL_SHARE: Final = 50
"""The part of all contacts that the small account has."""
PAGES: Final = 50
"""Pages that are followed by their links before a deep page is measured."""
FIRST_NAMES: Final = ("Ada", "Émile", "Zoë", "Grace", "Alan", "Otto", "Ida", "Lara", "Max", "Noor")
LAST_NAMES: Final = ("Byron", "Zola", "Ångström", "Hopper", "Turing", "Smith", "García", "Müller", "Novák", "Chen")
_SMALL_LOGIN: Final = f"Basic {base64.b64encode(f'{SMALL}:{PASSWORD}'.encode()).decode()}"
LIST: Final = "/rest-api/contact/"
CASES: Final = (
    "",
    "?ordering=full_name",
    "?ordering=-full_name",
    "?ordering=contact",
    "?ordering=-created_date",
    "?search=customer%207",
    "?search=customer",
    "?search=customer&ordering=-created_date",
    "?search=smith&ordering=full_name",
    "?search=c",
    "?search=byron%20999",
    "?search=byron%20ad",
    "?search=99999",
    "?search=0101",
    "?search=zola%20em&ordering=-full_name",
    "?search=%2B1%20(202)%20200-0101",
    "?search=1202&ordering=full_name",
    "?search=nobody&ordering=contact",
    "?created_date_after=2026-01-01T00:00:00Z&ordering=full_name",
)
"""Lists: all, few, half and none of the contacts, in several orders."""


class Timing(NamedTuple):
    """The times of the requests for one list, in milliseconds."""

    path: str
    found: int
    first_ms: float
    median_ms: float


def contact(place: int) -> tuple[Any, ...]:
    """Return the columns of a contact. Every second one is a customer with a number, the others have names."""
    number = f"+1{(202, 303, 415)[place % 3]}{2_000_000 + place:07d}"
    first, last = FIRST_NAMES[place // 2 % 10], LAST_NAMES[place // 20 % 10]
    name = f"Customer {place}" if place % 2 else f"{first} {last} {place}"
    name = name if place % 4 else f"{first} {last}"
    moment = START_MS + place * 7919 % 1_000_003
    return PHONEBOOK, number, number, "", name, name_key(name), "{}", USER, moment, moment


def _fill(database: Database, rows: int) -> None:
    for first in range(0, rows, PORTION):
        some = [contact(place) for place in range(first, min(rows, first + PORTION))]
        database.write_now(lambda connection, some=some: INSERT_CONTACTS.run(connection, some))  # type: ignore[misc]

    def add_small(connection: Connection) -> None:
        user_id = add(connection, User, username=SMALL, password_hash=hash_password(PASSWORD))
        book = add(connection, Phonebook, id=PHONEBOOK + 1, user_id=user_id, name="Few")
        some = [contact(place) for place in range(rows // SMALL_SHARE)]
        INSERT_CONTACTS.run(connection, [(book, *row[1:7], user_id, *row[8:]) for row in some])
        backend_of(connection).keep_last_ids(connection, {"phonebook": book})

    database.write_now(add_small)


@contextmanager
def _served(rows: int, *, on_postgresql: bool) -> Iterator[Server]:
    """Run a server over a database with contacts."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        path = create_database(folder)
        settings = {}
        if on_postgresql:
            database = new_databases(stack.enter_context(cluster()), folder)[NAMES[0]]()
            database.write_now(add_people)
            settings["database_url"] = database.url.render_as_string()
            path = folder / "server" / "none.db"
            path.parent.mkdir()
        else:
            database = Database(f"sqlite+aiosqlite:///{path}")
        _fill(database, rows)
        if on_postgresql:
            database.write_now(lambda connection: connection.exec_driver_sql("ANALYZE"))
        database.close()
        yield stack.enter_context(running(DIALER, path, **settings))


def timings(rows: int, *, on_postgresql: bool = False) -> Iterator[Timing]:
    """Yield the times of each list, of a page deep in it, and of the searches of a small account."""
    with (
        _served(rows, on_postgresql=on_postgresql) as server,
        closing(http.client.HTTPConnection(*server.address)) as connection,
    ):
        for case in CASES:
            yield _timed(connection, f"{LIST}{case}")
            yield from _deep(connection, f"{LIST}{case}")
        for case in CASES:
            if "search" in case:
                yield _timed(connection, f"{LIST}{case}", f"{LIST}{case}, {SMALL}", _SMALL_LOGIN)


def _timed(connection: http.client.HTTPConnection, path: str, shown: str = "", login: str = AUTHORIZATION) -> Timing:
    _answer(connection, f"{LIST}?full_name=nobody", login)  # The password is verified, and the connection is open.
    body = json.dumps({"name": "a commit"})
    _send(connection, "POST", "/rest-api/phonebook/", body)
    first_ms, page = _answer(connection, path, login)
    times = [_answer(connection, path, login)[0] for _ in range(runs_of(REPEATS))]
    return Timing(shown or path, page["count"], first_ms, statistics.median(times))


def _deep(connection: http.client.HTTPConnection, path: str) -> Iterator[Timing]:
    """Yield the times of the page that `PAGES` links lead to, if there is one."""
    _, page = _answer(connection, path)
    for _ in range(PAGES):
        if page["next"] is None:
            return
        _, page = _answer(connection, page["next"])
    if page["next"] is not None:
        yield _timed(connection, page["next"], f"{path}, page {PAGES + 2}")


def _answer(
    connection: http.client.HTTPConnection, target: str, login: str = AUTHORIZATION
) -> tuple[float, dict[str, Any]]:
    began_s = time.perf_counter()
    text = _send(connection, "GET", target, login=login)
    seconds = time.perf_counter() - began_s
    found: dict[str, Any] = json.loads(text)
    return seconds * 1_000, found


def _send(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    body: str | None = None,
    login: str = AUTHORIZATION,
) -> bytes:
    headers = {"Authorization": login, "Content-Type": "application/json"}
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= http.HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{method} {target} was answered {response.status}: {text.decode()}")
    return text


def main() -> None:
    """Measure and print the results: a table on standard error, JSON on standard output."""
    for rows in sizes_of((QUICK if "--quick" in sys.argv else ROWS,)):
        measure(rows)


def measure(rows: int) -> None:
    """Measure the lists of this many contacts."""
    print(f"\nSearches and orderings of {rows:,} contacts, milliseconds over HTTP", file=sys.stderr)
    found = []
    for timing in timings(rows, on_postgresql="--postgresql" in sys.argv):
        verdict = "" if timing.median_ms <= LIMIT_MS else f"  over {LIMIT_MS} ms"
        line = f"{timing.median_ms:9.1f} {timing.first_ms:9.1f} (counted)  {timing.found:>9,}  {timing.path}{verdict}"
        print(line, file=sys.stderr)
        found.append(timing._asdict())
    print(json.dumps({"rows": rows, "lists": found}))
    slowest = max(float(one["median_ms"]) for one in found)
    row = Figure("The slowest of all searches and orderings", f"{rows:,}", "", slowest, LIMIT_MS, "ms", at_most=True)
    print_row(row._replace(wanted_at=WANTED_AT))


if __name__ == "__main__":
    main()
