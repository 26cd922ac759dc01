"""Benchmark of `clock/advance` with all commits to SQLite: `python -m benchmarks.advance [SUBSCRIBERS ...]`.

The reference writes as many rows into the same tables by `executemany`, in one transaction and without any decisions.
The figures are processor time, because both works run in this process.
"""

import os
import sqlite3
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from sqlalchemy import Connection, insert, select

from benchmarks.fixture_campaign import SECTIONS
from benchmarks.measure import (
    MICROSECONDS,
    Figure,
    Work,
    interleaved,
    print_row,
    report,
    report_growth,
    runs_of,
    sizes_of,
    timed,
)
from dialer.app.accounts.payments import record_payment
from dialer.app.campaigns.change import start_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.tables import (
    BranchingTemplate,
    CallRequest,
    Campaign,
    CampaignPhonebook,
    Cdr,
    Contact,
    Gateway,
    LedgerEntry,
    Phonebook,
    Row,
    SectionTemplate,
    SurveyResult,
    SurveyTemplate,
    User,
)
from dialer.store.tables.key_ring import RING, GivenKeys

SIZES = (1_000, 5_000, 20_000)
WANTED = 0.26
WANTED_AT = "20,000"
RUNS = 3
START_MS = 1_772_442_000_000
DAY_MS = 86_400_000
WRITTEN = [CallRequest.__table__, Cdr.__table__, SurveyResult.__table__, LedgerEntry.__table__]
Rows = list[tuple[Any, ...]]
# This process adds gateways, whose parameters are secrets, and its servers read them.
RING.hold(GivenKeys(os.environ.setdefault("DIALER_SECRETS_KEY", "key-of-the-secrets-of-all-benchmarks")))


def add(connection: Connection, model: type[Row], **values: object) -> int:
    """Insert a row, and return its id."""
    table = model.__table__
    moments = {name: START_MS for name in ("created_date", "updated_date") if name in table.c}
    result = connection.execute(insert(table).values(**{**moments, **values}))
    return int((result.inserted_primary_key or (0,))[0])


def add_started_campaign(
    connection: Connection, subscribers: int, *, begins: str = "+12025", zone: str = "America/New_York"
) -> None:
    """Add one started campaign with this many contacts, whose numbers begin with some digits, in a zone."""
    user_id = add(connection, User, username="ann", password_hash="-", call_rate=2_000)  # noqa: S106 - nobody logs in
    unit = UnitOfWork(connection=connection, now_ms=START_MS)
    record_payment(unit, user_id, 10**12)
    phonebook_id = add(connection, Phonebook, user_id=user_id, name="phonebook")
    contacts = [
        {
            "phonebook_id": phonebook_id,
            "user_id": user_id,
            "contact": f"{begins}{place:06d}",
            "number": f"{begins}{place:06d}",
            "zone": zone,
            "full_name": "Ann Other",
            "additional_vars": "{}",
            "created_date": START_MS,
            "updated_date": START_MS,
        }
        for place in range(subscribers)
    ]
    connection.execute(insert(Contact), contacts)
    survey_id = survey(connection, user_id)
    gateway_id = add(connection, Gateway, name="sim")
    campaign_id = add(
        connection,
        Campaign,
        user_id=user_id,
        campaign_code="bench",
        name="bench",
        startingdate=START_MS,
        expirationdate=START_MS + DAY_MS,
        frequency=10_000,
        maxretry=2,
        intervalretry=600,
        aleg_gateway_id=gateway_id,
        object_id=survey_id,
    )
    add(connection, CampaignPhonebook, campaign_id=campaign_id, phonebook_id=phonebook_id)
    start_campaign(unit, campaign_id)


def survey(connection: Connection, user_id: int) -> int:
    """Add the survey of the benchmark campaign as a template, and return its id."""
    survey_id = add(connection, SurveyTemplate, user_id=user_id, name="survey")
    ids = {}
    for section in SECTIONS:
        words = "word " * int(section["audio_seconds"] / 0.4)
        kept = {
            key: section[key] for key in section if key.startswith("key_") or key in {"type", "retries", "completed"}
        }
        ids[section["id"]] = add(
            connection, SectionTemplate, survey_id=survey_id, question=section["question"], script=words, **kept
        )
    for section in SECTIONS:
        for keys, goto in section.get("branches", {}).items():
            add(connection, BranchingTemplate, section_id=ids[section["id"]], keys=keys, goto_id=ids.get(goto))
    return survey_id


def new_database(folder: str) -> Database:
    """Create an empty database with the service's tables and durability settings."""
    url = f"sqlite+aiosqlite:///{Path(folder) / 'dialer.db'}"
    migrate.upgrade(url)
    return Database(url)


def written(connection: Connection) -> dict[str, Rows]:
    """Return every row of the tables that a campaign writes."""
    return {table.name: [tuple(row) for row in connection.execute(select(table))] for table in WRITTEN}


def advanced(subscribers: int, keep: dict[str, Rows]) -> tuple[int, float]:
    """Advance the clock by a day, and return the number of calls and the seconds.

    All rows that the campaign wrote are stored in `keep`.
    """
    with tempfile.TemporaryDirectory() as folder:
        database = new_database(folder)
        database.write_now(lambda connection: add_started_campaign(connection, subscribers))
        worker = Worker(database, VirtualClock(START_MS), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
        started = time.process_time()
        anyio.run(worker.advance, START_MS + DAY_MS)
        seconds = time.process_time() - started
        keep.update(database.read_now(written))
        database.close()
    return len(keep["cdr"]), seconds


def copied(rows: dict[str, Rows]) -> tuple[int, float]:
    """Write the rows into the tables of a new database, in one equally durable transaction."""
    with tempfile.TemporaryDirectory() as folder:
        new_database(folder).close()
        connection = sqlite3.connect(Path(folder) / "dialer.db")
        connection.execute("PRAGMA synchronous=FULL")

        def copy() -> int:
            for table in WRITTEN:
                columns = ", ".join(column.name for column in table.c)
                marks = ", ".join("?" * len(table.c))
                statement = f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608 - our own names
                connection.executemany(statement, rows[table.name])
            connection.commit()
            return len(rows["cdr"])

        measured = timed(copy, time.process_time)
        connection.close()
    return measured


def main() -> None:
    """Measure and print the results."""
    costs = {}
    for subscribers in sizes_of(SIZES):
        rows: dict[str, Rows] = {}
        works: dict[str, Work] = {
            f"clock/advance over {subscribers:,} subscribers": partial(advanced, subscribers, rows),
            "executemany of the same rows": partial(copied, rows),
        }
        ours, bare = interleaved(works, runs_of(RUNS))
        report("The server's clock, committed to SQLite", "calls", [ours, bare])
        ratio = ours.median / bare.median
        size = f"{subscribers:,}"
        print_row(Figure("clock/advance, everything committed", size, bare.name, ratio, WANTED, wanted_at=WANTED_AT))
        costs[subscribers] = MICROSECONDS / ours.median
    report_growth("The server's clock, by subscribers", "call", costs)


if __name__ == "__main__":
    main()
