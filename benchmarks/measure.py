"""Interleaved measurement: A B A B, medians with their spread, as a table and as JSON."""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

MICROSECONDS = 1_000_000
Work = Callable[[], tuple[int, float]]
"""Does the work once; how many units of it there were, and how many seconds it took, its preparation aside."""


class Rate(NamedTuple):
    """Units a second: the median of some runs, and the slowest and fastest of them."""

    name: str
    median: float
    slowest: float
    fastest: float


def interleaved(works: dict[str, Work], runs: int) -> list[Rate]:
    """How fast each of the works is, measured in turns, so that a noisy machine is noisy for all of them."""
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            units, seconds = work()
            seen[name].append(units / seconds)
    return [Rate(name, statistics.median(rates), min(rates), max(rates)) for name, rates in seen.items()]


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """What the work returned, and how many seconds it took."""
    started = time.perf_counter()
    units = work()
    return units, time.perf_counter() - started


def costs_us(work_of: Callable[[int], Work], sizes: tuple[int, ...], runs: int) -> dict[int, float]:
    """What a unit costs at each size, in microseconds: the median of some runs, the sizes in turns."""
    works = {str(size): work_of(size) for size in sizes}
    rates = interleaved(works, runs)
    return {size: MICROSECONDS / rate.median for size, rate in zip(sizes, rates, strict=True)}


def report_growth(title: str, unit: str, costs: dict[int, float]) -> None:
    """Print what a unit costs by the size of the whole: on standard error, and as JSON on standard output."""
    shown = ", ".join(f"{cost_us:,.1f} at {size:,}" for size, cost_us in costs.items())
    sys.stderr.write(f"  {title}, µs a {unit}: {shown}\n")
    sys.stdout.write(json.dumps({"title": title, "unit": unit, "us_by_size": costs}) + "\n")


def report(title: str, unit: str, rates: list[Rate]) -> None:
    """Print a table on standard error and JSON on standard output; the last rate is the reference of the ratios."""
    reference = rates[-1].median
    lines = [f"{title} ({unit} a second; median, slowest to fastest)"]
    lines += [
        f"  {rate.name:<44} {rate.median:>10,.0f}  {rate.slowest:>10,.0f} to {rate.fastest:>10,.0f}"
        f"  {rate.median / reference:>6.2f}"
        for rate in rates
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stdout.write(json.dumps({"title": title, "unit": unit, "rates": [rate._asdict() for rate in rates]}) + "\n")
