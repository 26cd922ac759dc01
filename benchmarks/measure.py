"""Measurement in turns (A B A B), with medians and their spread as a table and as JSON."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Final, NamedTuple

MICROSECONDS = 1_000_000
ROW: Final = "row"
"""Key of the JSON of a row, of which `python -m benchmarks` makes its table."""
Work = Callable[[], tuple[int, float]]
"""Function that does the work once. It returns the number of units and the seconds, without preparation."""


class Rate(NamedTuple):
    """Units a second: median, slowest and fastest of several runs."""

    name: str
    median: float
    slowest: float
    fastest: float


class Figure(NamedTuple):
    """A row of the table: a ratio to a reference, or a figure with its unit, beside what is wanted of it."""

    work: str
    size: str
    reference: str
    figure: float
    wanted: float | None = None
    unit: str = ""
    at_most: bool = False
    wanted_at: str = ""
    """The size of which the figure is wanted; empty if it is wanted of every size."""

    @property
    def goal(self) -> float | None:
        """The figure that is wanted of this size; None if nothing is wanted of it."""
        return self.wanted if self.wanted_at in {"", self.size} else None

    @property
    def is_met(self) -> bool | None:
        """True if the figure is as wanted; None if nothing is wanted of this size."""
        if self.goal is None:
            return None
        return self.figure <= self.goal if self.at_most else self.figure >= self.goal


def print_row(row: Figure) -> None:
    """Print a row as JSON on standard output."""
    sys.stdout.write(json.dumps({ROW: row._asdict()}) + "\n")
    sys.stdout.flush()


def runs_of(usual: int) -> int:
    """Return how many times to measure: once with `--once` among the arguments, else as usual."""
    return 1 if "--once" in sys.argv else usual


def sizes_of(usual: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes among the arguments, or the usual ones."""
    return tuple(int(argument) for argument in sys.argv[1:] if argument.isdigit()) or usual


def interleaved(works: dict[str, Work], runs: int) -> list[Rate]:
    """Measure the works in turns, so that noise of the machine affects all of them."""
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            units, seconds = work()
            seen[name].append(units / seconds)
    return [Rate(name, statistics.median(rates), min(rates), max(rates)) for name, rates in seen.items()]


def timed(work: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> tuple[int, float]:
    """Return the result of the work and the seconds that it took, by a clock."""
    started = clock()
    units = work()
    return units, clock() - started


def costs_us(work_of: Callable[[int], Work], sizes: tuple[int, ...], runs: int) -> dict[int, float]:
    """Return the median cost of a unit at each size, in microseconds. The sizes are measured in turns."""
    works = {str(size): work_of(size) for size in sizes}
    rates = interleaved(works, runs)
    return {size: MICROSECONDS / rate.median for size, rate in zip(sizes, rates, strict=True)}


def report_growth(title: str, unit: str, costs: dict[int, float]) -> None:
    """Print the cost of a unit by size, on standard error and as JSON on standard output."""
    shown = ", ".join(f"{cost_us:,.1f} at {size:,}" for size, cost_us in costs.items())
    sys.stderr.write(f"  {title}, µs a {unit}: {shown}\n")
    sys.stdout.write(json.dumps({"title": title, "unit": unit, "us_by_size": costs}) + "\n")


def report(title: str, unit: str, rates: list[Rate]) -> None:
    """Print a table on standard error and JSON on standard output. The last rate is the reference of the ratios."""
    reference = rates[-1].median
    lines = [f"{title} ({unit} a second; median, slowest to fastest)"]
    lines += [
        f"  {rate.name:<44} {rate.median:>10,.0f}  {rate.slowest:>10,.0f} to {rate.fastest:>10,.0f}"
        f"  {rate.median / reference:>6.2f}"
        for rate in rates
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stdout.write(json.dumps({"title": title, "unit": unit, "rates": [rate._asdict() for rate in rates]}) + "\n")
