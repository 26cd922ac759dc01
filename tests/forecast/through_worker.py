"""A run of a campaign's copy through the worker and SQLite: the service's own way, to compare forecasts with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import anyio
from sqlalchemy import Connection, RowMapping, select

from dialer.domain.billing.money import format_money
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.domain.digest import cdr_digest
from dialer.domain.enums import CampaignStatus
from dialer.forecast.forecast import prepared_copy
from dialer.forecast.memory_database import MemoryDatabase
from dialer.forecast.parameters import Order
from dialer.runtime.clock import VirtualClock
from dialer.runtime.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.sim.report import show_date
from dialer.store.database import Database
from dialer.store.tables import Campaign, Cdr

DAY_MS = 86_400_000


class WorkerRun(NamedTuple):
    """The outcome of a run, as its rows have it."""

    digest: str
    row: Mapping[str, object]
    """The campaign's row at the end."""
    stop: tuple[int, str] | None
    """The moment and the reason of the first stop."""
    answers: Sequence[tuple[object, ...]]
    hours: Sequence[tuple[object, ...]]
    peak: int


def run_through_worker(database: Database, order: Order, seed: int) -> str:
    """Run a copy of a campaign through the worker, and return the digest of its calls."""
    source = prepared_copy(database, order)
    try:
        return anyio.run(_run, source, order, seed)
    finally:
        source.close()


async def _run(source: MemoryDatabase, order: Order, seed: int) -> str:
    copy = source.copied()
    try:
        worker = Worker(
            copy,
            VirtualClock(order.now_ms),
            seed=seed,
            service_zone=order.service_zone,
            new_carrier=SimulatedCarrier,
            new_lines=None,
            hours=read_calling_hours(order.calling_hours),
        )
        expires_ms = copy.read_now(lambda connection: int(campaign_row(connection)["expirationdate"]))
        for until_ms in (order.now_ms, expires_ms - 1, expires_ms, expires_ms + 2 * DAY_MS):
            await worker.advance(max(until_ms, order.now_ms))
        return copy.read_now(lambda connection: cdr_digest(_records(connection, order.campaign_id)))
    finally:
        copy.close()
