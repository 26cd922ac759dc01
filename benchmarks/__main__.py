"""All benchmarks, with one table at the end: `python -m benchmarks [--quick] [SECONDS]`, which `make bench` runs.

A quick run takes the smallest size of each that needs neither PostgreSQL nor many seconds of real time.

Each benchmark is a process of its own with a limit of time, so a failing one never stops the others. A row of the table
has a figure and what is wanted of it: a ratio to its reference, or a figure with its unit.
"""

import json
import subprocess
import sys
import time
from typing import Final

from benchmarks.measure import ROW, Figure, sizes_of
from benchmarks.plan import PLAN, Run

LIMIT_S: Final = 1_170
"""Time in which a full run ends, unless its arguments say another. Benchmarks for which none is left are left out."""
QUICK_LIMIT_S: Final = 115
ONE_LIMIT_S: Final = 240.0
"""Limit of the time of one benchmark."""
HEAD: Final = ("row", "work", "size", "reference", "figure", "wanted", "met")


def rows_of(output: str) -> list[Figure]:
    """Return the rows among the lines that a benchmark has printed."""
    lines = (json.loads(line) for line in output.splitlines() if line.startswith(f'{{"{ROW}"'))
    return [Figure(**line[ROW]) for line in lines]


def ran(run: Run, arguments: str, seconds: float) -> tuple[list[Figure], str]:
    """Run a benchmark. Return its rows, and why it failed; empty if it did not."""
    command = [sys.executable, "-m", *f"benchmarks.{run.name} {arguments}".split()]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=seconds, check=False)  # noqa: S603 - ours
    except subprocess.TimeoutExpired as late:
        return rows_of((late.stdout or b"").decode()), f"not over after {seconds:.0f} s"
    return rows_of(done.stdout), f"ended with {done.returncode}" if done.returncode else ""


def table(rows: list[tuple[str, Figure]]) -> str:
    """Return the rows as a table of text."""
    lines = [HEAD, *(_cells(name, row) for name, row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _cells(name: str, row: Figure) -> tuple[str, ...]:
    sign = "at most" if row.at_most else "at least"
    wanted = "" if row.goal is None else f"{sign} {row.goal:,.3g}"
    verdict = {True: "met", False: "NOT MET", None: ""}[row.is_met]
    figure = f"{row.figure:,.0f}" if abs(row.figure) >= 1_000 else f"{row.figure:.3g}"  # noqa: PLR2004 - digits
    return name, row.work, row.size, row.reference, f"{figure} {row.unit}".rstrip(), wanted, verdict


def main() -> int:
    """Run all benchmarks, print the table, and return 1 if any failed."""
    is_quick = "--quick" in sys.argv
    (limit_s,) = sizes_of((QUICK_LIMIT_S if is_quick else LIMIT_S,))
    ends_s = time.monotonic() + limit_s
    rows: list[tuple[str, Figure]] = []
    failed, left_out = [], []
    for run in PLAN:
        arguments, left_s = run.smallest if is_quick else run.full, ends_s - time.monotonic()
        if is_quick and run.needs:
            left_out.append(f"{run.name}: it needs {run.needs}")
        elif left_s <= 0:
            left_out.append(f"{run.name}: no time was left")
        else:
            sys.stderr.write(f"\n== {run.name} {arguments}\n")
            began_s = time.monotonic()
            found, failure = ran(run, arguments, min(ONE_LIMIT_S, left_s))
            sys.stderr.write(f"== {run.name} took {time.monotonic() - began_s:.0f} s\n")
            rows += [(run.name, row) for row in found]
            failed += [f"{run.name}: {failure}"] if failure else []
    notes = [f"FAILED {line}" for line in failed] + [f"left out {line}" for line in left_out]
    print("\n".join(["", table(rows), *notes]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
