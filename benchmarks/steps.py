"""Benchmark of what a call costs the worker and its database: `python -m benchmarks.steps [CALLS_A_SECOND ...]`.

`--quick` and `--smallest` make short runs, `--fast` leaves out the calls at a rate.

A clock that this program sets stands for the real one: it goes on to the moment at which the worker would wake up. So
the steps are those of a machine that is never late, however busy this one is. Everything is committed, on SQLite and on
PostgreSQL. The second table is of calls at full speed, by `clock/advance`.
"""

import json
import re
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
from sqlalchemy import Connection, Engine, event, func, select, update

from benchmarks.advance import DAY_MS, START_MS, add_started_campaign
from benchmarks.databases import cluster, new_databases
from benchmarks.measure import Figure, print_row
from dialer.runtime.steps.clock import NANOSECONDS, RealClock, VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.backends import postgresql_pipeline
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, User
from tests.databases.cluster import Cluster

CALLS_A_SECOND: Final = 50
SECONDS: Final = 40
SUBSCRIBERS: Final = 10_000
"""Subscribers of the campaign at full speed."""
WANTED_MS: Final = {"PostgreSQL, full speed": 0.167, "PostgreSQL, 50 calls a second": 0.435}
"""Milliseconds of processor that a call may take."""
QUICK: Final = (5, 1_000)
"""Seconds at a rate, and subscribers at full speed, of a quick run."""
SMALLEST: Final = (1, 100)
_TICKS_A_SECOND: Final = 100
_WAL: Final = "SELECT pg_current_wal_insert_lsn() - '0/0'"
_TUPLES: Final = (
    "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del), sum(n_tup_upd), sum(n_tup_hot_upd) FROM pg_stat_user_tables"
)
_NAMED: Final = re.compile(r"(INSERT INTO|UPDATE|DELETE FROM|FROM|COPY|PRAGMA|BEGIN|COMMIT|SAVEPOINT|RELEASE)\W*(\w*)")


class Cost(NamedTuple):
    """The cost of a run."""

    calls: int
    steps: int
    statements: Counter[str]
    """Statements by kind. One for many rows counts once."""
    executions: int
    """Statements, each counted as often as it ran."""
    trips: int
    """Round trips with statements, without those of COPY and of the transactions themselves."""
    rows: int
    """Rows written, without those of triggers on SQLite."""
    worker_s: float
    database_s: float
    wal_bytes: int
    hot: float
    """The part of PostgreSQL's updates that changed no index."""

    def of_a_call(self) -> dict[str, float]:
        """Return the figures of one call."""
        calls = max(1, self.calls)
        return {
            "calls": self.calls,
            "steps": round(self.steps / calls, 2),
            "statements": round(self.statements.total() / calls, 2),
            "executions": round(self.executions / calls, 2),
            "round trips": round(self.trips / calls, 2),
            "rows": round(self.rows / calls, 2),
            "WAL bytes": round(self.wal_bytes / calls),
            "HOT": round(self.hot, 3),
            "worker ms": round(1_000 * self.worker_s / calls, 3),
            "database ms": round(1_000 * self.database_s / calls, 3),
        }


class HandClock(RealClock):
    """A real clock over a machine's clock that this program sets."""

    def __init__(self, start_ms: int) -> None:
        self._hand_ns = start_ms * NANOSECONDS
        super().__init__(lambda: self._hand_ns, lambda: self._hand_ns)

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self._hand_ns += round(seconds * 1_000 * NANOSECONDS)


class Counted:
    """The statements of this process to one database."""

    def __init__(self, name: str | None) -> None:
        self._name = name
        self.kinds: Counter[str] = Counter()
        self.executions = self.trips = self.rows = 0

    def clear(self) -> None:
        """Begin anew."""
        self.kinds, self.executions, self.trips, self.rows = Counter(), 0, 0, 0

    def count(self, connection: Connection, cursor: Any, statement: str, given: Any, *_: object) -> None:  # noqa: ANN401 - SQLAlchemy's
        """Count a statement that SQLAlchemy sends. Other databases may be at work in this process, too."""
        if connection.engine.url.database != self._name:
            return
        self._add(statement, len(given) if isinstance(given, list) else 1)
        self.trips += 1
        if not statement.startswith(("SELECT", "PRAGMA", "WITH")):
            self.rows += max(0, cursor.rowcount)

    def count_together(self, statements: Sequence[postgresql_pipeline.Postponed]) -> None:
        """Count statements that are sent together."""
        for one in statements:
            if one.text not in postgresql_pipeline.CONTROL:
                self._add(one.text, len(one.rows))
        self.trips += 1

    def _add(self, statement: str, executions: int) -> None:
        named = _NAMED.search(statement)
        self.kinds[" ".join(named.groups()) if named else statement[:40]] += 1
        self.executions += executions


@contextmanager
def counted(database: Database) -> Iterator[Counted]:
    """Count the statements to a database."""
    found, exchange = Counted(database.url.database), postgresql_pipeline.exchange

    def counting(driver: Any, statements: Sequence[postgresql_pipeline.Postponed], known: dict[str, bytes]) -> Any:  # noqa: ANN401 - as the function
        found.count_together(statements)
        return exchange(driver, statements, known)

    event.listen(Engine, "after_cursor_execute", found.count)
    postgresql_pipeline.exchange = counting
    try:
        yield found
    finally:
        event.remove(Engine, "after_cursor_execute", found.count)
        postgresql_pipeline.exchange = exchange


def cpu_of_server(of: Cluster) -> float:
    """Return the processor time of a cluster's processes in seconds."""
    first = of.process_id
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(folder.name) == first or int(fields[1]) == first:
            found += int(fields[11]) + int(fields[12])
    return found / _TICKS_A_SECOND


def own_cpu() -> float:
    """Return the processor time of this process in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def add_campaign(connection: Connection, calls_a_second: int, subscribers: int) -> None:
    """Add a campaign at a rate."""
    add_started_campaign(connection, subscribers)
    connection.execute(update(Campaign).values(frequency=calls_a_second * 60))


def _server_figures(database: Database) -> tuple[int, int, int, int]:
    """Return the end of PostgreSQL's log, and its counts of rows that were written, updated, and updated in place."""
    if database.url.get_backend_name() != "postgresql":
        return 0, 0, 0, 0

    def read(connection: Connection) -> tuple[int, int, int, int]:
        connection.exec_driver_sql("SELECT pg_stat_force_next_flush()")
        wal = int(connection.exec_driver_sql(_WAL).scalar_one())
        written, updated, hot = connection.exec_driver_sql(_TUPLES).one()
        return wal, int(written or 0), int(updated or 0), int(hot or 0)

    database.write_now(lambda connection: connection.exec_driver_sql("SELECT pg_stat_force_next_flush()"))
    return database.read_now(read)


def measured(database: Database, of: Cluster | None, run: Callable[[], object], steps: Callable[[], int]) -> Cost:
    """Run, and return the cost."""
    calls = select(func.count()).select_from(CallRequest)
    with counted(database) as found:
        before = _server_figures(database)
        first = database.read_now(lambda connection: connection.execute(calls).scalar_one())
        server_s = cpu_of_server(of) if of is not None else 0.0
        found.clear()
        steps_before, own_s = steps(), own_cpu()
        run()
        own_s, steps_made = own_cpu() - own_s, steps() - steps_before
        kinds, executions, trips, rows = found.kinds, found.executions, found.trips, found.rows
        server_s = cpu_of_server(of) - server_s if of is not None else 0.0
    last = database.read_now(lambda connection: connection.execute(calls).scalar_one())
    after = _server_figures(database)
    wal, written, updated, hot = (one - other for one, other in zip(after, before, strict=True))
    return Cost(
        last - first,
        steps_made,
        kinds,
        executions,
        trips,
        written or rows,
        own_s,
        server_s,
        wal,
        hot / updated if updated else 0.0,
    )


def steps_of(worker: Worker) -> int:
    """Return the number of steps that a worker has made."""
    durations = worker.process_health().steps
    return 0 if durations is None else sum(durations.counts)


def on_real_clock(
    database: Database, of: Cluster | None, calls_a_second: int, seconds: int, *, keeps_events: bool = False
) -> Cost:
    """Return the cost of calls at a rate on a clock like the real one, after a warm-up of the same length.

    With `keeps_events`, the account of the calls keeps its events.
    """
    database.write_now(lambda connection: add_campaign(connection, calls_a_second, 4 * calls_a_second * seconds))
    database.write_now(lambda connection: connection.execute(update(User).values(keeps_events=keeps_events)))
    clock = HandClock(START_MS)
    worker = Worker(database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)

    async def go_on() -> None:
        until_ms = clock.now_ms() + seconds * 1_000
        while clock.now_ms() < until_ms:
            clock.go_on(max(0.001, await worker.proceed()))

    anyio.run(go_on)
    return measured(database, of, lambda: anyio.run(go_on), lambda: steps_of(worker))


def _keep(_: Connection) -> None:
    """Change nothing."""


def at_full_speed(
    database: Database, of: Cluster | None, subscribers: int, change: Callable[[Connection], object] = _keep
) -> Cost:
    """Return the cost of calls of `clock/advance`, after a change of the campaign that is started."""
    database.write_now(lambda connection: add_started_campaign(connection, subscribers))
    database.write_now(change)
    worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    anyio.run(worker.settle)
    run = lambda: anyio.run(worker.advance, START_MS + DAY_MS)  # noqa: E731 - a run
    return measured(database, of, run, lambda: steps_of(worker))


def show(title: str, cost: Cost, *, with_kinds: bool) -> None:
    """Print a cost on standard error, and as JSON on standard output."""
    figures = cost.of_a_call()
    sys.stderr.write(f"{title}: {figures}\n")
    for kind, times in cost.statements.most_common(40) if with_kinds else ():
        sys.stderr.write(f"  {times / max(1, cost.calls):8.3f}  {kind}\n")
    print(json.dumps({"title": title, **figures}))
    for figure in ("statements", "rows", "worker ms", "database ms"):
        print_row(Figure(f"A call: {figure}", title, "", figures[figure]))
    if title in WANTED_MS:
        both_ms = figures["worker ms"] + figures["database ms"]
        print_row(Figure("A call: worker and database", title, "", both_ms, WANTED_MS[title], "ms", at_most=True))


def main() -> None:
    """Measure and print the results."""
    arguments = [one for one in sys.argv[1:] if not one.startswith("-")]
    is_quick, with_kinds = "--quick" in sys.argv, "--kinds" in sys.argv
    rates = [int(one) for one in arguments] or [CALLS_A_SECOND]
    seconds, subscribers = SMALLEST if "--smallest" in sys.argv else QUICK if is_quick else (SECONDS, SUBSCRIBERS)
    only = "SQLite" if "--sqlite" in sys.argv else "PostgreSQL" if "--postgresql" in sys.argv else ""
    with tempfile.TemporaryDirectory() as name, cluster() as made:
        for kind, open_empty in new_databases(made, Path(name)).items():
            if only and kind != only:
                continue
            of = made if kind == "PostgreSQL" else None
            for rate in () if "--fast" in sys.argv else rates:
                with closing(open_empty()) as database:
                    cost = on_real_clock(database, of, rate, seconds)
                    show(f"{kind}, {rate} calls a second", cost, with_kinds=with_kinds)
            with closing(open_empty()) as database:
                show(f"{kind}, full speed", at_full_speed(database, of, subscribers), with_kinds=with_kinds)


if __name__ == "__main__":
    main()
