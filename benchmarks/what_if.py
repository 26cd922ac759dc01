"""Benchmark of comparisons of settings: `python -m benchmarks.what_if [SEEDS [PEOPLE [SETTINGS]]]`.

A campaign that plays a survey is compared with itself under other settings: another pace, and other numbers of retries.
Processor time is that of all processes; memory is that of the largest one, which shares most of it with the others.
"""

import resource
import sys
import tempfile
from typing import Final

import anyio

from benchmarks.advance import START_MS, new_database
from benchmarks.forecasting import CASES, add_case, cpu_seconds
from benchmarks.measure import sizes_of
from dialer.forecast.parameters import SETTINGS_MAX, Order, TriedSetting
from dialer.forecast.processes import processes_of_machine
from dialer.forecast.what_if import NamedSetting, compare_settings

SEEDS: Final = 10
PEOPLE: Final = 5_000
_KIB: Final = 1_024


def settings_of(count: int) -> list[NamedSetting]:
    """Return settings that all differ from the present one and from each other."""
    tried: list[dict[str, str | int | bool | None]] = [
        {"frequency": 1_000 + 500 * place, "maxretry": place % 3} for place in range(count)
    ]
    return [NamedSetting({name: str(value) for name, value in each.items()}, TriedSetting(each)) for each in tried]


def main() -> None:
    """Measure and print the results."""
    seeds, people, count = sizes_of((SEEDS, PEOPLE, SETTINGS_MAX))
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        campaign_id = database.write_now(lambda connection: add_case(connection, CASES[0], people))
        order = Order(campaign_id, START_MS, "UTC", seeds, processes=processes_of_machine())
        began = cpu_seconds()
        found = anyio.run(compare_settings, database, order, settings_of(count))
        seconds = cpu_seconds() - began
        database.close()
    runs = seeds * (count + 1)
    calls = sum(
        run.calls for each in (found.present, *(one.forecast for one in found.settings)) for run in each.per_seed
    )
    largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / _KIB
    sys.stdout.write(
        f"{count} settings of {people:,} people, {seeds} seeds: {runs:,} runs, {calls:,} calls,"
        f" {seconds:,.0f} s of processor, {largest:,.0f} MiB in the largest process\n"
    )


if __name__ == "__main__":
    main()
