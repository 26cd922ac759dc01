"""Benchmark of creating contacts over HTTP: `python -m benchmarks.creating [--quick] [ROWS ...]`.

It compares dialer with other frameworks. Every server has a copy of one database, with `synchronous=FULL`, and receives
equal bodies from sixteen clients. At the end, every contact that was answered with 201 must be in the file.
"""

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http import HTTPStatus
from pathlib import Path
from typing import Final

from benchmarks.fixture_database import create_database, new_contacts
from benchmarks.measure import report_growth
from benchmarks.servers import DIALER, DRF, FASTAPI, LITESTAR, Server, require_peers, running
from benchmarks.serving import (
    Plan,
    Sample,
    Samples,
    Target,
    in_turns,
    median_cost_us,
    plan_of,
    post,
    report,
    sample,
)

LARGEST: Final = "100,000"
TARGETS: Final = (
    Target("dialer", "FastAPI", 3, LARGEST),
    Target("dialer", "Django REST Framework", 4, LARGEST),
    Target("dialer", "bare Litestar", 0.65, LARGEST),
)


class CreatedContacts:
    """Contacts that a server reported as created, with an iterator of new bodies."""

    def __init__(self, server: Server) -> None:
        self.server: Final = server
        self.before: Final = rows(server.database)
        self.contacts = 0
        self._bodies: Final[Iterator[bytes]] = new_contacts(0)

    def work(self, seconds: float) -> Sample:
        """Create as many contacts as possible in this time."""
        requests = post(self.server, "/rest-api/contact/", self._bodies)
        found = sample(self.server, requests, seconds, status=HTTPStatus.CREATED)
        self.contacts += found.requests
        return found

    def check(self) -> None:
        """Check that the file has every created contact.

        Raises:
            RuntimeError: the number of new rows differs from the number of answers with 201.
        """
        found = rows(self.server.database) - self.before
        if found != self.contacts:
            raise RuntimeError(f"{self.server.name} answered {self.contacts} times with 201 and wrote {found} rows")


def rows(database: Path) -> int:
    """Return the number of committed contacts in a file."""
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM contact").fetchone()[0])


def measured(contacts: int, plan: Plan) -> Samples:
    """Measure every server, each with a database of this many contacts."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        database = create_database(Path(name), contacts=contacts)
        created = {}
        for place, kind in enumerate((DIALER, LITESTAR, FASTAPI, DRF)):
            folder = Path(name) / str(place)
            folder.mkdir()
            own = Path(shutil.copy(database, folder))
            created[kind.name] = CreatedContacts(stack.enter_context(running(kind, own)))
        samples = in_turns({kind: one.work for kind, one in created.items()}, plan)
        for one in created.values():
            one.check()
        return samples


def main() -> None:
    """Measure and print the results."""
    require_peers()
    plan = plan_of(sys.argv)
    costs = {}
    for contacts in plan.sizes:
        samples = measured(contacts, plan)
        costs[contacts] = median_cost_us(samples["dialer"])
        report("Creating contacts beside others, each on the disk", samples, TARGETS, f"{contacts:,}")
    report_growth("dialer by the rows of the table, processor time", "new contact", costs)


if __name__ == "__main__":
    main()
