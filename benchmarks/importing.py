"""Benchmark of one import of a CSV file of contacts: `python -m benchmarks.importing [--quick]`.

The reference inserts equal rows by `executemany`, in one equally durable transaction with the same indexes. Most of the
work on numbers is that of phonenumbers. So the import is also measured with numbers that are stored as given.
"""

import json
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.advance import START_MS
from benchmarks.fixture_database import PHONEBOOK, USER, create_database
from benchmarks.measure import timed
from dialer.app.imports import imports
from dialer.app.imports.imports import ContactRows, import_csv
from dialer.app.unit import UnitOfWork
from dialer.domain.calling_times import zones
from dialer.domain.numbers import normal_form
from dialer.domain.search_keys import name_key
from dialer.store.database import Database

SIZES: Final = (1_000, 10_000, 100_000)
QUICK: Final = (1_000,)
RUNS: Final = 5
PIECE_BYTES: Final = 65_536
AREA_CODES: Final = ("202", "212", "305", "312", "415", "512", "617", "702", "808", "907")
_NUMBERS: Final = {"normalise": lambda given, _region: given, "zone_of_number": lambda _number: "America/New_York"}
"""Replacements of the functions that the import calls for each number."""
_INSERT: Final = """INSERT INTO contact (phonebook_id, contact, number, zone, full_name, full_name_key,
    additional_vars, user_id, created_date, updated_date) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def number(place: int) -> str:
    """Return a unique number in one of ten cities."""
    return f"+1{AREA_CODES[place % len(AREA_CODES)]}{2_000_000 + place:07d}"


def pieces(rows: int) -> Iterator[bytes]:
    """Yield the file in pieces, as it arrives over the network."""
    lines = [f"{number(place)},Ann Other {place},Berlin\n" for place in range(rows)]
    data = ("contact,full_name,city\n" + "".join(lines)).encode()
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]


def forget_numbers() -> None:
    """Clear the caches of numbers from earlier runs."""
    for known in (normal_form.normalise, zones.zone_of_number):
        known.cache_clear()


def _commit(database: Database, work: Callable[[UnitOfWork], int]) -> int:
    return database.write_now(lambda connection: work(UnitOfWork(connection=connection, now_ms=START_MS)))


def imported(rows: int) -> tuple[int, float]:
    """Import the file, and return the number of rows and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite+aiosqlite:///{create_database(Path(folder))}")
        target = ContactRows(PHONEBOOK, region=None)
        forget_numbers()
        found = timed(lambda: import_csv(pieces(rows), target, partial(_commit, database)).imported)
        database.close()
    return found


def imported_as_given(rows: int) -> tuple[int, float]:
    """Import the file with numbers stored as given."""
    known = {name: getattr(imports, name) for name in _NUMBERS}
    try:
        for name, work in _NUMBERS.items():
            setattr(imports, name, work)
        return imported(rows)
    finally:
        for name, work in known.items():
            setattr(imports, name, work)


def row(place: int) -> tuple[object, ...]:
    """Return a contact as the import stores it."""
    found = number(place)
    name = f"Ann Other {place}"
    variables = '{"city":"Berlin"}'
    return PHONEBOOK, found, found, "America/New_York", name, name_key(name), variables, USER, START_MS, START_MS


def inserted(rows: int) -> tuple[int, float]:
    """Insert equal rows by the driver's `executemany`, in one transaction."""
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder))
        values = [row(place) for place in range(rows)]
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous=FULL")

            def insert() -> int:
                connection.executemany(_INSERT, values)
                connection.commit()
                return rows

            return timed(insert)


def measure(rows: int) -> dict[str, float]:
    """Return medians of runs in turns: microseconds a row, and ratios."""
    works = {"import": imported, "without numbers": imported_as_given, "executemany": inserted}
    seen: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(RUNS):
        for name, work in works.items():
            _, seconds = work(rows)
            seen[name].append(seconds / rows * 1_000_000)
    costs = {name: statistics.median(found) for name, found in seen.items()}
    ratios = [bare / apart for apart, bare in zip(seen["without numbers"], seen["executemany"], strict=True)]
    return {**costs, "ratio without numbers": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}


def main() -> None:
    """Measure and print the results."""
    for rows in QUICK if "--quick" in sys.argv else SIZES:
        found = measure(rows)
        sys.stderr.write(
            f"Import of {rows:,} contacts: {1_000_000 / found['import']:,.0f} rows a second; µs a row:"
            f" {found['import']:.1f}, without numbers {found['without numbers']:.1f}; executemany"
            f" {found['executemany']:.1f}; ratio without numbers {found['ratio without numbers']:.2f}"
            f" ({found['least']:.2f} to {found['most']:.2f}), goal 0.5\n"
        )
        print(json.dumps({"title": "import", "rows": rows, **found}))


if __name__ == "__main__":
    main()
