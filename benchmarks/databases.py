"""Benchmark of the same work on PostgreSQL and SQLite, in turns: `python -m benchmarks.databases [--quick] [ROWS ...]`.

It starts a PostgreSQL cluster of its own on this machine, with the durability that dialer asks for. `dialer move` has
copied the rows that are read from the file of SQLite. The ratio of each table is PostgreSQL to SQLite.
"""

import http.client
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

import anyio
from sqlalchemy import func, select

from benchmarks.advance import DAY_MS, START_MS, add_started_campaign
from benchmarks.fixture_database import AUTHORIZATION, PHONEBOOK, add_people, create_database, new_contacts
from benchmarks.importing import LISTS, pieces
from benchmarks.measure import Figure, Work, interleaved, print_row, report, sizes_of, timed
from benchmarks.servers import DIALER, Server, running
from benchmarks.serving import get, post, sample
from dialer.app.imports.imports import import_csv
from dialer.app.imports.number_rows import ContactRows, StoredRows
from dialer.app.work.unit import UnitOfWork
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.moving.move import move
from dialer.store.tables import Cdr
from tests.databases.cluster import Cluster
from tests.databases.postgresql import administered, make_template

NAMES: Final = ("PostgreSQL", "SQLite")
PAGE: Final = f"/rest-api/contact/?phonebook_id={PHONEBOOK}"
RECORD: Final = "/rest-api/contact/7/"
EXPORT: Final = "/rest-api/cdr/?format=csv"
_CALLS: Final = select(func.count()).select_from(Cdr)


class Plan(NamedTuple):
    """Extent of a run."""

    contacts: int
    cdrs: int
    imported: int
    subscribers: int
    runs: int
    seconds: float


FULL: Final = Plan(contacts=100_000, cdrs=100_000, imported=20_000, subscribers=20_000, runs=3, seconds=4.0)
QUICK: Final = Plan(contacts=1_000, cdrs=1_000, imported=1_000, subscribers=500, runs=1, seconds=0.3)

OpenEmpty = Callable[[], Database]
"""A function that opens a new database without rows."""


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Run a cluster with an empty template database."""
    made = Cluster.made()
    try:
        make_template(made)
        yield made
    finally:
        made.remove()


def new_databases(of: Cluster, folder: Path) -> dict[str, OpenEmpty]:
    """Return a function for each kind of database that opens a new one."""
    places = itertools.count()

    def on_server() -> Database:
        name = f"bench_{next(places)}"
        with administered(of) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE dialer")
        return Database(of.url(name))

    def in_file() -> Database:
        url = f"sqlite:///{folder}/bench_{next(places)}.db"
        migrate.upgrade(url)
        return Database(url)

    return dict(zip(NAMES, (on_server, in_file), strict=True))


def requests(server: Server, made: Iterator[bytes], seconds: float, status: HTTPStatus) -> tuple[int, float]:
    """Send requests of sixteen clients, and return their number and the seconds."""
    found = sample(server, made, seconds, status=status)
    return found.requests, found.seconds


def exported(server: Server) -> int:
    """Read all CDRs as CSV, and return the number of lines after the header."""
    with closing(http.client.HTTPConnection(*server.address)) as connection:
        connection.request("GET", EXPORT, headers={"Authorization": AUTHORIZATION})
        answer = connection.getresponse()
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"the export answered {answer.status}")
        return answer.read().count(b"\n") - 1


def imported(open_empty: OpenEmpty, rows: int) -> tuple[int, float]:
    """Import a file of contacts into a new database, and return the number of rows and the seconds."""
    with closing(open_empty()) as database:
        database.write_now(add_people)
        target = ContactRows(PHONEBOOK, region=None)

        def commit(work: Callable[[UnitOfWork], StoredRows]) -> StoredRows:
            return database.write_now(lambda unit: work(UnitOfWork(connection=unit, now_ms=START_MS)))

        return timed(lambda: import_csv(pieces(LISTS["United States"], rows), target, commit).imported)


def advanced(open_empty: OpenEmpty, subscribers: int) -> tuple[int, float]:
    """Run a campaign for a day of virtual time, and return the number of calls and the seconds."""
    with closing(open_empty()) as database:
        database.write_now(lambda unit: add_started_campaign(unit, subscribers))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)

        def advance() -> int:
            anyio.run(worker.advance, START_MS + DAY_MS)
            return int(database.read_now(lambda unit: unit.execute(_CALLS).scalar_one()))

        return timed(advance)


def served(empty: dict[str, OpenEmpty], folder: Path, plan: Plan, stack: ExitStack) -> dict[str, Server]:
    """Start a server over each database, with equal rows."""
    file = create_database(folder, contacts=plan.contacts, cdrs=plan.cdrs)
    with closing(Database(f"sqlite:///{file}")) as source, closing(empty["PostgreSQL"]()) as target:
        source.write_now(lambda old: target.write_now(lambda new: move(old, new, lambda *_: None)))
        url = target.url.render_as_string()
    beside = folder / "server" / "none.db"
    beside.parent.mkdir()
    on_server = stack.enter_context(running(DIALER, beside, database_url=url))
    return dict(zip(NAMES, (on_server, stack.enter_context(running(DIALER, file))), strict=True))


def works_of(plan: Plan, server: Server, open_empty: OpenEmpty) -> dict[tuple[str, str], Work]:
    """Return the works on one database, each under its title and the unit that it counts."""
    ask = partial(requests, server, seconds=plan.seconds, status=HTTPStatus.OK)
    create = post(server, "/rest-api/contact/", new_contacts(0))
    created = partial(requests, server, create, seconds=plan.seconds, status=HTTPStatus.CREATED)
    return {
        (f"Pages of 10 of {plan.contacts:,} contacts, counted", "pages"): partial(ask, get(server, PAGE)),
        ("One contact", "records"): partial(ask, get(server, RECORD)),
        ("Creating contacts, each on the disk", "contacts"): created,
        (f"{plan.cdrs:,} CDRs as CSV", "rows"): partial(timed, partial(exported, server)),
        (f"An import of {plan.imported:,} contacts", "rows"): partial(imported, open_empty, plan.imported),
        (f"`clock/advance`, {plan.subscribers:,} people", "calls"): partial(advanced, open_empty, plan.subscribers),
    }


def main() -> None:
    """Measure and print the results."""
    for contacts in sizes_of((0,)):
        measure(QUICK if "--quick" in sys.argv else of_size(contacts) if contacts else FULL)


def of_size(rows: int) -> Plan:
    """Return a short plan over this many rows."""
    return Plan(contacts=rows, cdrs=rows, imported=rows, subscribers=rows // 4, runs=1, seconds=0.7)


def measure(plan: Plan) -> None:
    """Measure all works over databases of one size."""
    with tempfile.TemporaryDirectory() as name, cluster() as made, ExitStack() as stack:
        empty = new_databases(made, Path(name))
        servers = served(empty, Path(name), plan, stack)
        works = {kind: works_of(plan, servers[kind], empty[kind]) for kind in NAMES}
        for title, unit in works[NAMES[0]]:
            of_both = {kind: works[kind][title, unit] for kind in NAMES}
            rates = interleaved(of_both, plan.runs)
            report(title, unit, rates)
            print_row(Figure(f"PostgreSQL: {title}", f"{plan.contacts:,}", "SQLite", rates[0].median / rates[1].median))


if __name__ == "__main__":
    main()
