"""Benchmark of the sheet of a campaign's people: `python -m benchmarks.people_sheet [--once] [PEOPLE ...]`.

A simulated day of calls has been committed. The page of the campaign sends the sheet as CSV over HTTP: states in words,
answers and the columns of the list. The server's processor time and the growth of its memory are measured.
"""

import http.client
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import anyio
from sqlalchemy import Connection, update

from benchmarks.advance import DAY_MS, START_MS, add_started_campaign, new_database
from benchmarks.console import sign_in
from benchmarks.fixture_database import PASSWORD, USERNAME
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from benchmarks.servers import DIALER, Server, running
from dialer.passwords import hash_password
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.tables import Contact, Subscriber, User

SIZES: Final = (10_000, 100_000)
RUNS: Final = 3
READ_BYTES: Final = 1_048_576
MEGABYTE: Final = 1_000_000
CPU_S_MAX: Final = 10
GROWTH_MB_MAX: Final = 50
WANTED_AT: Final = "100,000"
_PATH: Final = "/console/campaigns/1/results/export?format=csv"
_COLUMNS: Final = '{"city": "Washington", "ward": 3}'


class Sent(NamedTuple):
    """The cost of one sheet."""

    rows: int
    cpu_s: float
    growth_bytes: int


@contextmanager
def campaign_of_a_day(people: int) -> Iterator[Path]:
    """Yield the database of a campaign that has called this many people for a day."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(new_database(folder)) as database:
            database.write_now(lambda connection: add_started_campaign(connection, people))
            worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
            anyio.run(worker.advance, START_MS + DAY_MS)
            database.write_now(_complete)
        yield Path(folder) / "dialer.db"


def _complete(connection: Connection) -> None:
    """Let the user sign in, and give people columns of a list."""
    connection.execute(update(User).values(username=USERNAME, password_hash=hash_password(PASSWORD)))
    for table in (Contact, Subscriber):
        connection.execute(update(table).values(additional_vars=_COLUMNS))


def sent(server: Server, headers: dict[str, str]) -> Sent:
    """Have the sheet sent, and return its rows, the server's processor time and the growth of its memory."""
    rows = -1  # The head is a line, too.
    before_bytes = most_bytes = server.memory_bytes()
    before_s = server.cpu_s()
    with closing(http.client.HTTPConnection(*server.address)) as connection:
        connection.request("GET", _PATH, headers=headers)
        answer = connection.getresponse()
        while piece := answer.read(READ_BYTES):
            rows += piece.count(b"\n")
            most_bytes = max(most_bytes, server.memory_bytes())
    return Sent(rows, server.cpu_s() - before_s, most_bytes - before_bytes)


def main() -> None:
    """Measure and print the results. The first sheet of a server also imports what a start does without."""
    for people in sizes_of(SIZES):
        with campaign_of_a_day(people) as database, running(DIALER, database) as server:
            headers = sign_in(server, USERNAME)
            sheets = [sent(server, headers) for _ in range(runs_of(RUNS))]
        if {one.rows for one in sheets} != {people}:
            raise RuntimeError(f"a sheet of {people} people has other rows: {sheets}")
        size, cpu_s = f"{people:,}", max(one.cpu_s for one in sheets)
        growth = max(one.growth_bytes for one in sheets) / MEGABYTE
        work = "the sheet of a campaign's people as CSV"
        print_row(Figure(work, size, "", cpu_s, CPU_S_MAX, "s of processor time", at_most=True, wanted_at=WANTED_AT))
        print_row(Figure(work, size, "", growth, GROWTH_MB_MAX, "MB more memory", at_most=True, wanted_at=WANTED_AT))
        sys.stderr.write(f"{work}, {size}: {cpu_s:.1f} s of processor time, {growth:.0f} MB more memory\n")


if __name__ == "__main__":
    main()
