"""Benchmark of calls a second with 1, 2 and 4 workers on PostgreSQL: `python -m benchmarks.fleet [--quick | --short]`.

Sixteen accounts dial faster than any number of workers can. Calls are answered and last four seconds. The reference is
one worker over a file of SQLite. PostgreSQL and all workers share the processors of this machine, so the processor time
of a call tells more about larger machines than the rate does.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, insert, select

from benchmarks.advance import add
from benchmarks.campaigning import MUCH_MONEY, message
from benchmarks.databases import NAMES, OpenEmpty, cluster, new_databases
from benchmarks.live import PARAMETERS
from benchmarks.measure import Figure, print_row
from benchmarks.servers import cpu_s_of_all
from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import start_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, CampaignPhonebook, Contact, Gateway, Phonebook, User

ACCOUNTS: Final = 16
WORKERS: Final = (1, 2, 4)
TWO_WANTED: Final = 1.5
"""Calls of two workers for each of one, where PostgreSQL has a core of its own."""
CORES_FOR_TWO: Final = 3
WORDS: Final = 10
"""Length of the message in words: four seconds."""
FREQUENCY: Final = 60_000
"""Calls a minute of each account."""
DAY_MS: Final = 86_400_000
READY: Final = "is ready"
STEPS_AWAITED_MAX: Final = 30
"""On a busy machine, a step may take longer than a measurement, which is then made longer by up to so many times."""
FULL_SPEED: Final = "Calls of workers as fast as they can"
STOP_S: Final = 30.0
_DIALS: Final = select(func.count()).select_from(CallRequest)


class Plan(NamedTuple):
    """Extent of a run."""

    contacts: int
    """Contacts of an account."""
    warm_up_s: float
    measure_s: float


FULL: Final = Plan(contacts=12_000, warm_up_s=8.0, measure_s=20.0)
SHORT: Final = Plan(contacts=6_000, warm_up_s=4.0, measure_s=6.0)
QUICK: Final = Plan(contacts=3_000, warm_up_s=1.5, measure_s=1.0)


class Found(NamedTuple):
    """The result of a run."""

    name: str
    calls_a_second: float
    workers_us: float
    """Processor time of the workers for a call, in microseconds."""
    database_us: float
    """Processor time of PostgreSQL for a call, in microseconds; 0 for SQLite, which runs in the worker."""


def furnish(database: Database, contacts: int) -> None:
    """Add accounts, each with a campaign that has started."""
    now_ms = time.time_ns() // 1_000_000
    gateway_id = database.write_now(lambda unit: add(unit, Gateway, name="sim", parameters=PARAMETERS))
    for place in range(ACCOUNTS):
        database.write_now(lambda unit, place=place: _account(unit, place, gateway_id, contacts, now_ms))  # type: ignore[misc]


def _account(connection: Connection, place: int, gateway_id: int, contacts: int, now_ms: int) -> None:
    user_id = add(connection, User, username=f"user{place}", password_hash="-")  # noqa: S106 - nobody logs in
    unit = UnitOfWork(connection=connection, now_ms=now_ms)
    record_payment(unit, user_id, MUCH_MONEY)
    phonebook_id = add(connection, Phonebook, user_id=user_id, name="people")
    connection.execute(insert(Contact), list(_contacts(user_id, phonebook_id, place, contacts, now_ms)))
    campaign_id = add(
        connection,
        Campaign,
        user_id=user_id,
        campaign_code=f"bench{place}",
        name="bench",
        startingdate=now_ms - 1_000,
        expirationdate=now_ms + DAY_MS,
        frequency=FREQUENCY,
        aleg_gateway_id=gateway_id,
        object_id=message(connection, user_id, WORDS),
    )
    add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
    start_campaign(unit, campaign_id)


def _contacts(user_id: int, phonebook_id: int, place: int, contacts: int, now_ms: int) -> Iterator[dict[str, object]]:
    for one in range(contacts):
        number = f"+1202{place:02d}{one:05d}"
        yield {
            "phonebook_id": phonebook_id,
            "user_id": user_id,
            "contact": number,
            "number": number,
            "zone": "America/New_York",
            "full_name": "",
            "additional_vars": "{}",
            "created_date": now_ms,
            "updated_date": now_ms,
        }


@contextmanager
def working(url: str, workers: int, folder: Path) -> Iterator[list[int]]:
    """Run workers, and yield the ids of their processes when all are ready."""
    environ = {**os.environ, "DIALER_DATABASE_URL": url, "DIALER_MEDIA_DIR": str(folder / "media")}
    command = [str(Path(sys.executable).with_name("dialer")), "worker"]
    log = folder / "workers.log"
    with log.open("w") as lines, ExitStack() as until_the_end:
        processes = []
        for _ in range(workers):
            one = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=lines, text=True)  # noqa: S603 - our own
            until_the_end.callback(_end, one)
            processes.append(one)
        if not all(one.stdout and READY in one.stdout.readline() for one in processes):
            raise RuntimeError(f"a worker does not start: {log.read_text()}")
        yield [one.pid for one in processes]


def _end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=STOP_S)


def measured(name: str, database: Database, workers: int, folder: Path, server: Sequence[int], plan: Plan) -> Found:
    """Let workers dial, and measure them after a while. `server` are the processes of the database's server."""
    furnish(database, plan.contacts)
    with working(_setting_of(database), workers, folder) as processes:
        time.sleep(plan.warm_up_s)
        before = _dials(database), cpu_s_of_all(processes), cpu_s_of_all(server), time.perf_counter()
        time.sleep(plan.measure_s)
        for _ in range(STEPS_AWAITED_MAX):
            if _dials(database) > before[0]:
                break
            time.sleep(plan.measure_s)
        after = _dials(database), cpu_s_of_all(processes), cpu_s_of_all(server), time.perf_counter()
    calls, workers_s, server_s, seconds = (new - old for old, new in zip(before, after, strict=True))
    if not calls or after[0] >= ACCOUNTS * plan.contacts:
        raise RuntimeError(f"{name}: {after[0]:,.0f} dials, which is none or all")
    return Found(name, calls / seconds, workers_s / calls * 1e6, server_s / calls * 1e6)


def _setting_of(database: Database) -> str:
    return database.url.render_as_string(hide_password=False).replace("sqlite+pysqlite:", "sqlite+aiosqlite:")


def _dials(database: Database) -> int:
    return int(database.read_now(lambda unit: unit.execute(_DIALS).scalar_one()))


def report(found: Sequence[Found]) -> None:
    """Print a table on standard error and JSON on standard output. The last line is the reference of the ratios."""
    lines = [
        "Workers that dial as fast as they can (calls a second; processor time of a call in µs: workers, database)"
    ]
    lines += [
        f"  {one.name:<28} {one.calls_a_second:>8,.0f}  {one.workers_us:>6,.0f}  {one.database_us:>6,.0f}"
        f"  {one.calls_a_second / found[-1].calls_a_second:>6.2f}"
        for one in found
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    for one in found[:-1]:
        ratio = one.calls_a_second / found[-1].calls_a_second
        print_row(Figure(FULL_SPEED, one.name, found[-1].name, ratio))
    one, two = found[:2]
    wanted = TWO_WANTED if len(os.sched_getaffinity(0)) >= CORES_FOR_TWO else None
    print_row(Figure(FULL_SPEED, two.name, one.name, two.calls_a_second / one.calls_a_second, wanted))
    sys.stdout.write(json.dumps({"title": "fleet", "runs": [one._asdict() for one in found]}) + "\n")


def main() -> None:
    """Measure and print the results."""
    plan = QUICK if "--quick" in sys.argv else SHORT if "--short" in sys.argv else FULL
    found = []
    with tempfile.TemporaryDirectory() as name, cluster() as made, ExitStack() as stack:
        empty: dict[str, OpenEmpty] = new_databases(made, Path(name))
        cases = [
            (f"PostgreSQL, {workers} workers", NAMES[0], workers)
            for workers in (WORKERS[:2] if plan is QUICK else WORKERS)
        ]
        for title, kind, workers in (*cases, ("SQLite, 1 worker", NAMES[1], 1)):
            database = stack.enter_context(closing(empty[kind]()))
            server = [made.process_id] if kind == NAMES[0] else []
            found.append(measured(title, database, workers, Path(name), server, plan))
    report(found)


if __name__ == "__main__":
    main()
