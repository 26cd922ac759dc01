"""Services that are made up from a seed, live for a while, and have all of their rows compared."""

from contextlib import suppress
from functools import partial
from typing import Any

from sqlalchemy import Connection

from dialer.app.work.errors import RefusedError
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.vopr.actions import perform
from tests.vopr.building import fill
from tests.vopr.faults import troubles_of
from tests.vopr.worlds import DAY_MS, world_of


async def live(database: Database, seed: int) -> None:
    """Fill an empty database with a world, and let its campaigns and the people who use it act, without faults."""
    world = world_of(seed)
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
        act = partial(perform, wanted=step.action, now_ms=worker.clock.now_ms(), rules=world.rules)
        with suppress(RefusedError):
            database.write_now(act)
        await worker.settle()
    await worker.advance(worker.clock.now_ms() + DAY_MS)


def contents(unit: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, in the order of their ids."""
    tables = Row.metadata.sorted_tables
    return {one.name: [tuple(row) for row in unit.execute(one.select().order_by(*one.primary_key))] for one in tables}
