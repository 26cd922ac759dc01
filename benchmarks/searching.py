"""Benchmark of searches and orderings of contacts: `python -m benchmarks.searching [--quick] [ROWS]`.

It measures the time of one request over HTTP, and compares it with the first page in the order of the ids. A commit
comes before the first request of each kind, so its `count` is counted; the requests that follow find it counted.
"""

import http.client
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.advance import START_MS
from benchmarks.fixture_database import AUTHORIZATION, INSERT_CONTACTS, PHONEBOOK, PORTION, USER, create_database
from benchmarks.servers import DIALER, running
from dialer.domain.search_keys import name_key
from dialer.store.database import Database

ROWS: Final = 1_000_000
QUICK: Final = 20_000
REPEATS: Final = 9
LIMIT_MS: Final = 20
PAGES: Final = 50
"""Pages that are followed by their links before a deep page is measured."""
FIRST_NAMES: Final = ("Ada", "Émile", "Zoë", "Grace", "Alan", "Otto", "Ida", "Lara", "Max", "Noor")
LAST_NAMES: Final = ("Byron", "Zola", "Ångström", "Hopper", "Turing", "Smith", "García", "Müller", "Novák", "Chen")
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


def _fill(path: Path, rows: int) -> None:
    database = Database(f"sqlite+aiosqlite:///{path}")
    for first in range(0, rows, PORTION):
        some = [contact(place) for place in range(first, min(rows, first + PORTION))]
        database.write_now(lambda connection, some=some: INSERT_CONTACTS.run(connection, some))  # type: ignore[misc]
    database.close()


def timings(rows: int) -> Iterator[Timing]:
    """Yield the times of each list, and of a page deep in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder))
        _fill(path, rows)
        with running(DIALER, path) as server, closing(http.client.HTTPConnection(*server.address)) as connection:
            for case in CASES:
                yield _timed(connection, f"{LIST}{case}")
                yield from _deep(connection, f"{LIST}{case}")


def _timed(connection: http.client.HTTPConnection, path: str, shown: str = "") -> Timing:
    _answer(connection, f"{LIST}?full_name=nobody")  # The password is verified, and the connection is open.
    body = json.dumps({"name": "a commit"})
    _send(connection, "POST", "/rest-api/phonebook/", body)
    first_ms, page = _answer(connection, path)
    times = [_answer(connection, path)[0] for _ in range(REPEATS)]
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


def _answer(connection: http.client.HTTPConnection, target: str) -> tuple[float, dict[str, Any]]:
    began_s = time.perf_counter()
    text = _send(connection, "GET", target)
    seconds = time.perf_counter() - began_s
    found: dict[str, Any] = json.loads(text)
    return seconds * 1_000, found


def _send(connection: http.client.HTTPConnection, method: str, target: str, body: str | None = None) -> bytes:
    headers = {"Authorization": AUTHORIZATION, "Content-Type": "application/json"}
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= http.HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{method} {target} was answered {response.status}: {text.decode()}")
    return text


def main() -> None:
    """Measure and print the results: a table on standard error, JSON on standard output."""
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    rows = sizes[0] if sizes else QUICK if "--quick" in sys.argv else ROWS
    print(f"\nSearches and orderings of {rows:,} contacts, milliseconds over HTTP", file=sys.stderr)
    found = []
    for timing in timings(rows):
        verdict = "" if timing.median_ms <= LIMIT_MS else f"  over {LIMIT_MS} ms"
        line = f"{timing.median_ms:9.1f} {timing.first_ms:9.1f} (counted)  {timing.found:>9,}  {timing.path}{verdict}"
        print(line, file=sys.stderr)
        found.append(timing._asdict())
    print(json.dumps({"rows": rows, "lists": found}))


if __name__ == "__main__":
    main()
