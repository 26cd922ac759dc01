"""Benchmark of imports of CSV files of contacts: `python -m benchmarks.importing [--quick] [ROWS ...]`.

Three lists are imported: numbers of the United States in full, German numbers as they are written in Germany, and
numbers of all countries. The reference writes the rows that an import has left, contacts and the words of their names,
by the driver's `executemany`, in one equally durable transaction with the same indexes and without triggers. A second
one writes the contacts alone. All figures are processor time.
"""

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import phonenumbers

from benchmarks.advance import START_MS
from benchmarks.fixture_database import PHONEBOOK, create_database
from benchmarks.measure import Figure, print_row, sizes_of
from dialer.app.imports.imports import import_csv
from dialer.app.imports.number_rows import ContactRows, StoredRows
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database

SIZES: Final = (1_000, 10_000, 100_000)
QUICK: Final = (1_000,)
RUNS: Final = 5
SHORT_RUNS: Final = 2
"""Runs with `--once`: the first one works out the tables of numbers."""
WANTED: Final = 0.5
WANTED_AT: Final = "50,000"
PIECE_BYTES: Final = 65_536
LAST_DIGITS: Final = 3
AREA_CODES: Final = ("202", "212", "305", "312", "415", "512", "617", "702", "808", "907")
GERMAN_CODES: Final = ("0151 2", "0160 4", "0170 2", "0172 7", "030 2", "040 3", "089 5", "0221 9", "0351 8", "06221 4")
_TABLES: Final = {"contact": "id > 0", "contact_word": "user_id > 0"}
_MICROSECONDS: Final = 1_000_000

Rows = dict[str, list[tuple[Any, ...]]]
"""The rows that an import leaves, by table."""


class NumberList(NamedTuple):
    """A list to import: its numbers by their places, and the country of those without one."""

    number: Callable[[int], str]
    region: str | None = None


def american(place: int) -> str:
    """Return a unique number in one of ten cities of the United States."""
    return f"+1{AREA_CODES[place % len(AREA_CODES)]}{2_000_000 + place:07d}"


def german(place: int) -> str:
    """Return a unique German number, half of them mobiles."""
    return f"{GERMAN_CODES[place % len(GERMAN_CODES)]}{place // len(GERMAN_CODES):06d}"


def _stems() -> list[str]:
    """Return the starts of fixed and mobile numbers of all regions, by the examples of phonenumbers."""
    kinds = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)
    examples = [
        phonenumbers.example_number_for_type(region, kind)
        for region in sorted(phonenumbers.SUPPORTED_REGIONS)
        for kind in kinds
    ]
    texts = [phonenumbers.format_number(one, phonenumbers.PhoneNumberFormat.INTERNATIONAL) for one in examples if one]
    return list(dict.fromkeys(text[:-LAST_DIGITS] for text in texts if text[-LAST_DIGITS:].isdigit()))


_STEMS: Final = _stems()


def mixed(place: int) -> str:
    """Return a unique number of one of all countries, with spaces and dashes."""
    return f"{_STEMS[place % len(_STEMS)]}{place // len(_STEMS):0{LAST_DIGITS}d}"


LISTS: Final = {
    "United States": NumberList(american),
    "Germany": NumberList(german, "DE"),
    "all countries": NumberList(mixed),
}


def pieces(numbers: NumberList, rows: int) -> Iterator[bytes]:
    """Yield the file in pieces, as it arrives over the network."""
    lines = [f"{numbers.number(place)},Ann Other {place},Berlin\n" for place in range(rows)]
    data = ("contact,full_name,city\n" + "".join(lines)).encode()
    for start in range(0, len(data), PIECE_BYTES):
        yield data[start : start + PIECE_BYTES]


def _commit(database: Database, work: Callable[[UnitOfWork], StoredRows]) -> StoredRows:
    return database.write_now(lambda connection: work(UnitOfWork(connection=connection, now_ms=START_MS)))


def imported(numbers: NumberList, rows: int) -> tuple[float, Rows]:
    """Import the file; return the microseconds of a row, and the rows that the tables have then."""
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder))
        database = Database(f"sqlite+aiosqlite:///{path}")
        target, file = ContactRows(PHONEBOOK, region=numbers.region), list(pieces(numbers, rows))
        began_s = time.process_time()
        report = import_csv(file, target, partial(_commit, database))
        seconds = time.process_time() - began_s
        database.close()
        if report.imported != rows:
            raise RuntimeError(f"{report.imported:,} of {rows:,} contacts were imported")
        with closing(sqlite3.connect(path)) as connection:
            stored = {
                name: connection.execute(f"SELECT * FROM {name} WHERE {wanted} ORDER BY id").fetchall()  # noqa: S608 - constants
                for name, wanted in _TABLES.items()
            }
        return seconds / rows * _MICROSECONDS, stored


def inserted(stored: Rows) -> float:
    """Insert rows by the driver's `executemany`, in one transaction; return the microseconds of a contact."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(create_database(Path(folder)))) as connection:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("DROP TRIGGER contact_named")
        connection.commit()
        began_s = time.process_time()
        for name, rows in stored.items():
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
        connection.commit()
        return (time.process_time() - began_s) / len(stored["contact"]) * _MICROSECONDS


def measure(numbers: NumberList, rows: int) -> dict[str, float]:
    """Return microseconds a contact, of runs in turns, and ratios. The first import works out the tables of numbers."""
    seen: dict[str, list[float]] = {"import": [], "executemany": [], "contacts alone": []}
    for _ in range(SHORT_RUNS if "--once" in sys.argv else RUNS):
        cost, stored = imported(numbers, rows)
        seen["import"].append(cost)
        seen["executemany"].append(inserted(stored))
        seen["contacts alone"].append(inserted({"contact": stored["contact"]}))
    costs = {name: statistics.median(found) for name, found in seen.items()}
    ratios = [bare / cost for cost, bare in zip(seen["import"], seen["executemany"], strict=True)]
    alone = [bare / cost for cost, bare in zip(seen["import"], seen["contacts alone"], strict=True)]
    return {
        **costs,
        "first import": seen["import"][0],
        "ratio": statistics.median(ratios[1:]),
        "least": min(ratios),
        "most": max(ratios),
        "ratio to contacts alone": statistics.median(alone[1:]),
    }


def main() -> None:
    """Measure and print the results."""
    for rows in sizes_of(QUICK if "--quick" in sys.argv else SIZES):
        for name, numbers in LISTS.items():
            found = measure(numbers, rows)
            sys.stderr.write(
                f"{rows:,} contacts, {name}; µs a contact: import {found['import']:.1f} (the first one"
                f" {found['first import']:.1f}), executemany {found['executemany']:.1f}; ratio {found['ratio']:.2f}"
                f" ({found['least']:.2f} to {found['most']:.2f}), goal {WANTED}; to contacts alone"
                f" {found['ratio to contacts alone']:.2f}\n"
            )
            print(json.dumps({"title": "import", "list": name, "rows": rows, **found}))
            title, reference = f"An import of contacts, {name}", "executemany of equal rows"
            print_row(Figure(title, f"{rows:,}", reference, found["ratio"], WANTED, wanted_at=WANTED_AT))


if __name__ == "__main__":
    main()
