"""Benchmark of the first ten seconds after a START: `python -m benchmarks.first_steps [CONTACTS ...]`.

A campaign starts, and the worker's clock goes on by ten seconds: the contacts become subscribers, and the first of them
are dialled. Everything is committed to SQLite. The figure is processor time.
"""

import tempfile
import time
from typing import Final

import anyio

from benchmarks.advance import START_MS, add_started_campaign, new_database
from benchmarks.measure import Figure, print_row, sizes_of
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier

CONTACTS: Final = (1_000, 10_000, 100_000)
FIRST_MS: Final = 10_000
WANTED_MS: Final = 326
WANTED_AT: Final = "100,000"


def first_steps_ms(contacts: int) -> float:
    """Return the milliseconds of processor that the first ten seconds of a campaign took."""
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        database.write_now(lambda connection: add_started_campaign(connection, contacts))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        began_s = time.process_time()
        anyio.run(worker.advance, START_MS + FIRST_MS)
        seconds = time.process_time() - began_s
        database.close()
    return seconds * 1_000


def main() -> None:
    """Measure and print the results."""
    for contacts in sizes_of(CONTACTS):
        figure = first_steps_ms(contacts)
        row = Figure("The first ten seconds after a START", f"{contacts:,}", "", figure, WANTED_MS, "ms", at_most=True)
        print_row(row._replace(wanted_at=WANTED_AT))


if __name__ == "__main__":
    main()
