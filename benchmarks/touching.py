"""Benchmark of the worker's step after a commit: `python -m benchmarks.touching [CAMPAIGNS ...]`, by open campaigns.

The reference in the same run is a step with nothing to do, which follows the step after such a commit. The commits
themselves are not measured.
"""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from anyio.from_thread import BlockingPortal, start_blocking_portal
from sqlalchemy import Connection, insert, select, update

from benchmarks.advance import DAY_MS, START_MS, add, new_database
from benchmarks.measure import Figure, Work, interleaved, print_row, report, runs_of, sizes_of
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched, touch
from dialer.store.tables import Campaign, Gateway, User

CAMPAIGNS: Final = 300
USERS: Final = 100
STEPS: Final = 30
RUNS: Final = 7
WANTED_OF_NONE: Final = 1.5
WANTED_OF_ONE: Final = 5
WANTED_AT: Final = "300"
Commit = Callable[[], object]


def add_started_campaigns(connection: Connection, campaigns: int) -> None:
    """Add open campaigns of a hundred users, which begin tomorrow."""
    people = [{"username": f"user{place}", "password_hash": "-"} for place in range(USERS)]
    moments = {"created_date": START_MS, "updated_date": START_MS}
    connection.execute(insert(User), [{**row, **moments} for row in people])
    user_ids = list(connection.scalars(select(User.id)))
    row = {
        **moments,
        "name": "campaign",
        "startingdate": START_MS + DAY_MS,
        "expirationdate": START_MS + 2 * DAY_MS,
        "status": CampaignStatus.START,
        "aleg_gateway_id": add(connection, Gateway, name="sim"),
        "object_id": 1,
    }
    rows = [{**row, "user_id": user_ids[place % USERS], "campaign_code": f"bench{place}"} for place in range(campaigns)]
    connection.execute(insert(Campaign), rows)


def committed(database: Database, touched: Touched) -> None:
    """Commit a change that declares which rows it touches."""

    def work(connection: Connection) -> None:
        connection.execute(update(User).values(updated_date=User.updated_date + 1))
        touch(connection, touched)

    database.write_now(work)


def touched_once(database: Database) -> None:
    """Commit a change that touches one campaign."""
    committed(database, Touched(campaigns=frozenset({1})))


def steps(worker: Worker, loop: BlockingPortal, commit: Commit, *, is_second: bool = False) -> tuple[int, float]:
    """Measure the steps that follow commits, or with `is_second` the steps after those."""
    seconds = 0.0
    for _ in range(STEPS):
        commit()
        if is_second:
            loop.call(worker.settle)
        began_s = time.perf_counter()
        loop.call(worker.settle)
        seconds += time.perf_counter() - began_s
    return STEPS, seconds


def main() -> None:
    """Measure and print the results."""
    for campaigns in sizes_of((CAMPAIGNS,)):
        measure(campaigns)


def measure(campaigns: int) -> None:
    """Measure the steps while this many campaigns are open."""
    with tempfile.TemporaryDirectory() as folder, start_blocking_portal(backend_options={"use_uvloop": True}) as loop:
        database = new_database(folder)
        database.write_now(lambda connection: add_started_campaigns(connection, campaigns))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        loop.call(worker.settle)
        nobody = partial(committed, database, NOTHING)
        commits: dict[str, Commit] = {
            "a commit that touches everything": partial(committed, database, EVERYTHING),
            "a commit that touches one campaign": partial(touched_once, database),
            "a commit that touches nothing": nobody,
        }
        works: dict[str, Work] = {name: partial(steps, worker, loop, commit) for name, commit in commits.items()}
        works["nothing to do"] = partial(steps, worker, loop, nobody, is_second=True)
        rates = interleaved(works, runs_of(RUNS))
        database.close()
    *_, one, none, nothing = rates
    for rate, wanted in ((none, WANTED_OF_NONE), (one, WANTED_OF_ONE)):
        title, ratio = f"A step after {rate.name}", nothing.median / rate.median
        reference = "a step with nothing to do"
        print_row(Figure(title, f"{campaigns:,}", reference, ratio, wanted, at_most=True, wanted_at=WANTED_AT))
    report(f"Steps of the worker while {campaigns} campaigns are open", "steps", rates)


if __name__ == "__main__":
    main()
