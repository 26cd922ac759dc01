"""Benchmark of plain records, by Core and by advanced-alchemy's repository: `python -m benchmarks.records`.

The session of the repository joins the transaction of a unit of work in a savepoint, so a failure undoes its own
changes only. Python calls and statements are counted. Times are medians of runs in turns, without the commit. The last
rows are indexed reads that begin on the event loop, by our own ways and by aiosqlite.
"""

import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any, Final

import aiosqlite
import anyio
from advanced_alchemy.repository import SQLAlchemySyncRepository
from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

from benchmarks.advance import new_database
from benchmarks.counted_functions import counted_functions
from benchmarks.counted_statements import counted_statements
from dialer.store.database.database import Database
from dialer.store.tables import RateCardLine, User

RUNS: Final = 7
UNITS: Final = 200
MANY: Final = 200
FIVE: Final = range(5)
SECOND_US: Final = 1_000_000
_VALUES: Final = {
    "user_id": 1,
    "prefix": "1",
    "rate": 2_000,
    "connection_fee": 0,
    "first_increment": 60,
    "next_increment": 60,
    "created_date": 0,
    "updated_date": 0,
}
_BY_ID: Final = select(RateCardLine.__table__).where(RateCardLine.id == bindparam("line_id"))
_TEXT: Final = "SELECT * FROM rate_card_line WHERE id = ?"
Unit = Callable[[Connection], object]
Read = Callable[[], Awaitable[object]]


class Lines(SQLAlchemySyncRepository[RateCardLine]):  # type: ignore[type-var, unused-ignore] # `Row` says that __table__ is a Table
    """The repository of rate cards."""

    model_type = RateCardLine


def by_repository(work: Callable[[Lines], object]) -> Unit:
    """Return a unit of work that uses the repository."""

    def unit(connection: Connection) -> None:
        mode: Any = "create_savepoint"
        with Session(connection, join_transaction_mode=mode, expire_on_commit=False) as session, session.begin():
            work(Lines(session=session, auto_refresh=False))

    return unit


def core_life(connection: Connection) -> None:
    """Add, read, change and delete a record."""
    row = connection.execute(insert(RateCardLine).values(_VALUES).returning(*RateCardLine.__table__.c)).one()
    connection.execute(_BY_ID, {"line_id": row.id}).one()
    core_change(connection, row.id)
    connection.execute(delete(RateCardLine).where(RateCardLine.id == row.id))


def repository_life(lines: Lines) -> None:
    """Add, read, change and delete a record."""
    line = lines.add(RateCardLine(**_VALUES))
    lines.get(line.id)
    repository_change(lines, line.id)
    lines.delete(line.id)


def core_change(connection: Connection, line_id: int = 1) -> None:
    """Change a record."""
    connection.execute(update(RateCardLine).where(RateCardLine.id == line_id).values(rate=new_rate()))


def repository_change(lines: Lines, line_id: int = 1) -> None:
    """Change a record."""
    lines.update(RateCardLine(id=line_id, rate=new_rate()))


def core_changes(connection: Connection) -> None:
    """Change many records, as the journal does."""
    changed = update(RateCardLine).where(RateCardLine.id == bindparam("line_id")).values(rate=bindparam("new_rate"))
    rate = new_rate()
    connection.execute(changed, [{"line_id": number + 1, "new_rate": rate} for number in range(MANY)])


def repository_changes(lines: Lines) -> None:
    """Change many records."""
    rate = new_rate()
    lines.update_many([RateCardLine(id=number + 1, rate=rate) for number in range(MANY)])


def new_rate() -> int:
    """Return a rate that is not stored yet."""
    return time.monotonic_ns() % 1_000_000_007


PAIRS: Final[dict[str, tuple[Unit, Unit]]] = {
    "read a record": (
        lambda connection: connection.execute(_BY_ID, {"line_id": 1}).one(),
        by_repository(lambda lines: lines.get(1)),
    ),
    "change a record": (core_change, by_repository(repository_change)),
    "add, read, change, delete": (core_life, by_repository(repository_life)),
    f"change {MANY} records": (core_changes, by_repository(repository_changes)),
}


def timed_us(database: Database, work: Unit, times: int) -> float:
    """Return the microseconds of a unit of work without its commit."""

    def repeated(connection: Connection) -> float:
        began_s = time.perf_counter()
        for _ in range(times):
            work(connection)
        return (time.perf_counter() - began_s) / times * SECOND_US

    return database.write_now(repeated)


def counted(database: Database, work: Unit) -> tuple[int, int]:
    """Return the numbers of Python calls and of statements of a unit of work."""

    def run(connection: Connection) -> tuple[int, int]:
        with counted_functions() as functions, counted_statements() as statements:
            work(connection)
        return functions["call"], len(statements)

    return database.write_now(run)


def compare_units(database: Database) -> None:
    """Print the costs of units of work, by Core and by the repository."""
    for name, works in PAIRS.items():
        times = UNITS // 10 if str(MANY) in name else UNITS
        seen = [[timed_us(database, work, times) for work in works] for _ in range(RUNS)]
        for place, way in enumerate(("Core", "repository")):
            calls, statements = counted(database, works[place])
            microseconds = median(run[place] for run in seen)
            sys.stdout.write(f"{name}, {way}: {microseconds:,.0f} µs, {calls} calls, {statements} statements\n")


async def compare_reads(database: Database) -> None:
    """Print the times of reads that begin on the event loop."""
    path = str(database.url.database)
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
    async with aiosqlite.connect(path) as driver, engine.connect() as connection:

        async def by_driver() -> None:
            async with driver.execute(_TEXT, [1]) as cursor:
                await cursor.fetchone()

        async def by_engine() -> None:
            (await connection.execute(_BY_ID, {"line_id": 1})).first()

        async def at_hand() -> None:
            database.at_hand.rows(_BY_ID, {"line_id": 1})

        def hops(reads: range) -> Read:
            return lambda: database.read(lambda unit: [unit.execute(_BY_ID, {"line_id": 1}).first() for _ in reads])

        async def five_by_engine() -> None:
            for _ in FIVE:
                await by_engine()

        ways: dict[str, Read] = {
            "one read at hand, on the loop's thread": at_hand,
            "one read by Database.read": hops(range(1)),
            "one read by aiosqlite, without SQLAlchemy": by_driver,
            "one read by SQLAlchemy with aiosqlite, in an open transaction": by_engine,
            "five reads by Database.read": hops(FIVE),
            "five reads by SQLAlchemy with aiosqlite": five_by_engine,
        }
        seen = [[await _timed_read_us(way) for way in ways.values()] for _ in range(RUNS)]
    await engine.dispose()
    for name, found in zip(ways, zip(*seen, strict=True), strict=True):
        sys.stdout.write(f"{name}: {median(found):,.0f} µs\n")


async def _timed_read_us(read: Read) -> float:
    began_s = time.perf_counter()
    for _ in range(UNITS):
        await read()
    return (time.perf_counter() - began_s) / UNITS * SECOND_US


def fill(connection: Connection) -> None:
    """Add a user with rates."""
    user = {"username": "ann", "password_hash": "-", "created_date": 0, "updated_date": 0}
    connection.execute(insert(User).values(user))
    connection.execute(insert(RateCardLine), [{**_VALUES, "prefix": f"44{number}"} for number in range(MANY)])


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        database.write_now(fill)
        compare_units(database)
        anyio.run(compare_reads, database)
        database.close()


if __name__ == "__main__":
    main()
