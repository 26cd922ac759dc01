"""Benchmark of durable calls beside job queues: `python -m benchmarks.durable [PEOPLE ...]`. It needs PostgreSQL.

The plainest campaign runs at full speed in dialer's worker, on SQLite and on PostgreSQL, and everything is committed.
Then the queues do the same calls as jobs that fail or not and are tried again at once: huey on SQLite with fsync, and
procrastinate on PostgreSQL, 100 at once. Each must make as many calls and retries, otherwise nothing is compared. The
figures are processor time of worker and database, without the time in which jobs are queued.
"""

import json
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, select, update

from benchmarks.databases import NAMES, cluster, new_databases
from benchmarks.measure import MICROSECONDS, Figure, print_row, sizes_of
from benchmarks.peer_runs import CHANNELS, PARAMETERS, Courses, Made, RunCost, run_in_peer
from benchmarks.servers import require_peers
from benchmarks.steps import at_full_speed, cpu_of_server
from dialer.domain.words.enums import Cause
from dialer.store.database.database import Database
from dialer.store.tables import Cdr, Gateway
from tests.databases.cluster import Cluster
from tests.databases.postgresql import administered

SIZES: Final = (2_000,)
QUEUES: Final = {"SQLite": ("in_huey", "huey, with fsync"), "PostgreSQL": ("in_procrastinate", "procrastinate")}


class Costs(NamedTuple):
    """The processor time of a call in microseconds."""

    worker: float
    database: float

    @classmethod
    def of(cls, cost: RunCost, calls: int) -> "Costs":
        """Return the costs of a call in a run of so many calls."""
        return cls(cost.peer_s / calls * MICROSECONDS, cost.server_s / calls * MICROSECONDS)


def set_gateway(connection: Connection) -> None:
    """Give the gateway of the campaign the channels and the callees of the plainest one."""
    connection.execute(update(Gateway).values(max_channels=CHANNELS, parameters=json.dumps(PARAMETERS)))


def courses_of(database: Database) -> Courses:
    """Return the calls that dialer has made."""
    columns = select(Cdr.subscriber_id, Cdr.starting_date, Cdr.duration, Cdr.hangup_cause_q850)
    rows = database.read_now(lambda connection: connection.execute(columns).all())
    return Courses(
        Made(person or 0, at, seconds, cause == Cause.NORMAL_CLEARING) for person, at, seconds, cause in rows
    )


def compare(kind: str, database: Database, of: Cluster | None, people: int, folder: Path) -> tuple[Costs, Costs]:
    """Run the campaign in dialer and in the queue of one database."""
    cost = at_full_speed(database, of, people, set_gateway)
    courses = courses_of(database)
    if of is None:
        theirs = run_in_peer(QUEUES[kind][0], courses, folder, str(folder / "queue.db"))
    else:
        url = of.url("queue").replace("postgresql+psycopg:", "postgresql:")
        theirs = run_in_peer(QUEUES[kind][0], courses, folder, url, partial(cpu_of_server, of))
    ours = Costs.of(RunCost(cost.worker_s, cost.database_s), cost.calls)
    return ours, Costs.of(theirs, courses.counts()["calls"])


def report(kind: str, people: int, ours: Costs, theirs: Costs) -> None:
    """Print the costs and the ratio."""
    size, queue = f"{people:,}", QUEUES[kind][1]
    costs = {name: [round(one) for one in cost] for name, cost in (("dialer", ours), (queue, theirs))}
    sys.stderr.write(f"{kind}, µs of processor a call, of worker and database: {costs}\n")
    sys.stdout.write(json.dumps({"title": "durable", "database": kind, "people": people, "us_a_call": costs}) + "\n")
    title = f"The plainest campaign, durable on {kind}"
    print_row(Figure(title, size, "", sum(ours), unit="µs a call"))
    print_row(Figure(title, size, queue, sum(theirs) / sum(ours)))


def main() -> None:
    """Measure and print the results."""
    require_peers()
    for people in sizes_of(SIZES):
        with tempfile.TemporaryDirectory() as name, cluster() as made:
            empty = new_databases(made, Path(name))
            with administered(made) as connection:
                connection.execute("CREATE DATABASE queue")
            for kind in reversed(NAMES):
                with closing(empty[kind]()) as database:
                    of = made if kind == "PostgreSQL" else None
                    report(kind, people, *compare(kind, database, of, people, Path(name)))


if __name__ == "__main__":
    main()
