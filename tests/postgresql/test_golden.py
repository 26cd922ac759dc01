"""Tests that made-up services, with people who use them, have equal rows on both databases, ids included."""

import os
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from dialer.app.errors import RefusedError
from dialer.domain.calling_hours import read_calling_hours
from dialer.runtime.clock import VirtualClock
from dialer.runtime.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store import migrate
from dialer.store.audit.audit import audit
from dialer.store.database import Database
from dialer.store.tables import Row
from tests.databases.choice import server_url
from tests.vopr.actions import perform
from tests.vopr.building import fill
from tests.vopr.faults import troubles_of
from tests.vopr.worlds import DAY_MS, world_of

SEEDS = range(int(os.environ.get("GOLDEN_SEEDS", "8")))
"""The worlds. By hand, many more: `GOLDEN_SEEDS=150 make test-postgresql PYTEST_ARGS=tests/postgresql`."""


async def rows_of(url: str, seed: int) -> dict[str, list[tuple[Any, ...]]]:
    """Live the life of a world on an empty database, without faults, and return all of its rows."""
    world = world_of(seed)
    with closing(Database(url, synchronous="OFF")) as database:
        database.write_now(lambda unit: fill(unit, world))
        worker = Worker(
            database,
            VirtualClock(world.start_ms),
            seed=seed,
            service_zone=world.service_zone,
            new_carrier=SimulatedCarrier,
            hours=read_calling_hours(world.calling_hours),
        )
        for step in troubles_of(seed).steps:
            await worker.advance(worker.clock.now_ms() + step.pause_ms)
            act = partial(perform, wanted=step.action, now_ms=worker.clock.now_ms())
            with suppress(RefusedError):
                database.write_now(act)
            await worker.settle()
        await worker.advance(worker.clock.now_ms() + DAY_MS)
        database.read_now(audit)
        return database.read_now(_contents)


def _contents(unit: Connection) -> dict[str, list[tuple[Any, ...]]]:
    tables = Row.metadata.sorted_tables
    return {one.name: [tuple(row) for row in unit.execute(one.select().order_by(one.c.id))] for one in tables}


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_world_has_equal_rows_on_both_databases(tmp_path: Path, seed: int) -> None:
    migrate.upgrade(f"sqlite:///{tmp_path}/dialer.db")
    expected = await rows_of(f"sqlite:///{tmp_path}/dialer.db", seed)
    found = await rows_of(server_url(), seed)
    for table, rows in expected.items():
        assert found[table] == rows, table
