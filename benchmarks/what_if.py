"""Benchmark of comparisons of settings: `python -m benchmarks.what_if [SEEDS [PEOPLE [SETTINGS]]]`.

A campaign that plays a survey is compared with itself under other settings: another pace, and other numbers of retries.
Processor time is that of all processes; memory is that of the largest one, which shares most of it with the others.
"""

import json
import resource
import sys
import tempfile
import time
from typing import Final, NamedTuple

import anyio

from benchmarks.advance import START_MS, new_database
from benchmarks.forecasting import CASES, add_case, cpu_seconds
from benchmarks.measure import MICROSECONDS, Figure, print_row, sizes_of
from dialer.forecast.parameters import SETTINGS_MAX, Order, TriedSetting
from dialer.forecast.processes import processes_of_machine
from dialer.forecast.what_if import NamedSetting, compare_settings
from dialer.store.database.database import Database

SEEDS: Final = 10
PEOPLE: Final = 5_000
AT_WORK_WANTED: Final = 0.95
"""The share of all cores that is at work, on average, on a quiet machine."""
MIB_WANTED: Final = 250
WANTED_AT: Final = f"{SETTINGS_MAX} settings, {SEEDS} seeds, {PEOPLE:,} people"
_KIB: Final = 1_024


class Compared(NamedTuple):
    """The cost of a comparison."""

    calls: int
    cpu_s: float
    """Processor time of all processes."""
    seconds: float
    memory_mib: float
    """Memory of the largest process."""


def compared(database: Database, order: Order, settings: int) -> Compared:
    """Compare settings, and return the cost."""
    began_s, before_s = time.perf_counter(), cpu_seconds()
    found = anyio.run(compare_settings, database, order, settings_of(settings))
    cpu_s, seconds = cpu_seconds() - before_s, time.perf_counter() - began_s
    forecasts = (found.present, *(one.forecast for one in found.settings))
    calls = sum(run.calls for each in forecasts for run in each.per_seed)
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Compared(calls, cpu_s, seconds, largest / _KIB)


def settings_of(count: int) -> list[NamedSetting]:
    """Return settings that all differ from the present one and from each other."""
    tried: list[dict[str, str | int | bool | None]] = [
        {"frequency": 1_000 + 500 * place, "maxretry": place % 3} for place in range(count)
    ]
    return [NamedSetting({name: str(value) for name, value in each.items()}, TriedSetting(each)) for each in tried]


def main() -> None:
    """Measure and print the results."""
    seeds, people, count = sizes_of((SEEDS, PEOPLE, SETTINGS_MAX))
    processes = processes_of_machine()
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        campaign_id = database.write_now(lambda connection: add_case(connection, CASES[0], people))
        order = Order(campaign_id, START_MS, "UTC", seeds, processes=processes)
        found = compared(database, order, count)
        database.close()
    runs = seeds * (count + 1)
    sys.stderr.write(
        f"{count} settings of {people:,} people, {seeds} seeds: {runs:,} runs, {found.calls:,} calls,"
        f" {found.cpu_s:,.0f} s of processor in {found.seconds:,.0f} s, {found.memory_mib:,.0f} MiB in the largest"
        f" process\n"
    )
    print(json.dumps({"title": "what if", **found._asdict()}))
    title, size = "A comparison of settings", f"{count} settings, {seeds} seeds, {people:,} people"
    print_row(Figure(title, size, "", found.cpu_s / found.calls * MICROSECONDS, unit="µs a call"))
    parallel = found.cpu_s / found.seconds
    row = Figure(f"{title}: cores at work", size, "", parallel, AT_WORK_WANTED * processes, unit="cores")
    print_row(row._replace(wanted_at=WANTED_AT))
    print_row(Figure(f"{title}: memory", size, "", found.memory_mib, MIB_WANTED, "MiB", at_most=True))


if __name__ == "__main__":
    main()
