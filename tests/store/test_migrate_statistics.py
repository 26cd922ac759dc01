"""Tests of a migration: statistics of a database from before they were kept count its calls, talks and waits."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from dialer.domain.enums import AgentActivity, TransferStatus
from dialer.domain.statistics import Figures, Grouping
from dialer.store import migrate
from dialer.store.database import Database
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import Transfer
from tests.runtime.centre import centre
from tests.store.test_migrate_rates import bring

BEFORE: Final = "0020"
UNKNOWN: Final = {"signalled", "post_dial_ms"}
"""Counters of the post-dial delay, which that version did not store."""
COUNTERS: Final = ", ".join(name for name in Figures.__struct_fields__ if name not in UNKNOWN)
OUTBOUND: Final = ", ".join(name for name in COUNTERS.split(", ") if not name.startswith("inbound"))
OF_SUBSCRIBERS: Final = f"{int(Grouping.PHONEBOOK)}, {int(Grouping.ZONE)}"
TALKING: Final = int(AgentActivity.TALKING)


def fetch(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def downgraded(source: Path, target: Path) -> None:
    """Write the rows of a database into one of the version before, without the columns that it lacks."""
    with (
        closing(sqlite3.connect(source)) as now,
        create_engine(f"sqlite:///{target}", poolclass=NullPool).begin() as then,
    ):
        bring(then, BEFORE)
        for table in set(inspect(then).get_table_names()) - {"alembic_version"}:
            kept = [column["name"] for column in inspect(then).get_columns(table)]
            known = {row[1] for row in now.execute(f"PRAGMA table_info({table})")}
            names = [f'"{name}"' for name in kept if name in known]
            columns, places = ", ".join(names), ", ".join("?" * len(names))
            for row in now.execute(f'SELECT {columns} FROM "{table}"'):  # noqa: S608 - names of our own
                then.exec_driver_sql(f'INSERT INTO "{table}" ({columns}) VALUES ({places})', row)  # noqa: S608


async def migrated(folder: Path) -> tuple[Path, Path]:
    """Run a call centre until an agent talks, and migrate its rows as rows of the version before.

    Return the database with the counters that were kept, and the migrated one.
    """
    house = await centre(folder)
    await house.advance(900)
    assert any(row["queue_id"] and row["status"] == TransferStatus.CONNECTED for row in house.rows(Transfer))
    house.database.close()
    kept, found = folder / "dialer.db", folder / "old.db"
    downgraded(kept, found)
    migrate.upgrade(f"sqlite:///{found}")
    return kept, found


async def test_counters_of_earlier_rows_equal_those_that_were_kept_and_a_recount(tmp_path: Path) -> None:
    kept, found = await migrated(tmp_path)

    def both(query: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        return fetch(kept, query), fetch(found, query)

    for table, owner in (("campaign_hour", "campaign_id"), ("user_hour", "user_id")):
        keys, ours = f"{owner}, grouping, member, hour", f"grouping NOT IN ({OF_SUBSCRIBERS})"
        was, now = both(f"SELECT {keys}, {COUNTERS} FROM {table} WHERE {ours} ORDER BY 1, 2, 3, 4")  # noqa: S608
        assert now == was != []
        # An inbound call of that version does not tell whom it came from.
        theirs = f"grouping IN ({OF_SUBSCRIBERS}) AND calls + legs + messages > 0"
        was, now = both(f"SELECT {keys}, {OUTBOUND} FROM {table} WHERE {theirs} ORDER BY 1, 2, 3, 4")  # noqa: S608
        assert now == was != []
    was, now = both(
        "SELECT queue_id, hour, within_s, taken, abandoned, timed_out, taken_wait_ms, longest_ms FROM queue_hour"
        " ORDER BY 1, 2, 3"
    )
    assert now == was != []
    was, now = both(f"SELECT agent_id, hour, begun FROM agent_hour WHERE activity = {TALKING} ORDER BY 1, 2")  # noqa: S608
    assert now == was != []
    was, now = both("SELECT id, is_talking FROM agent ORDER BY 1")
    assert now == was
    spent = dict(fetch(found, f"SELECT agent_id, sum(spent_ms) FROM agent_hour WHERE activity = {TALKING} GROUP BY 1"))  # noqa: S608
    recounted = dict(
        fetch(
            kept,
            "SELECT agent_id, sum(coalesce(ended_ms, (SELECT max(now_ms) FROM service_state)) - answered_ms)"
            " FROM transfer WHERE agent_id IS NOT NULL AND answered_ms IS NOT NULL GROUP BY 1",
        )
    )
    assert spent == recounted != {}
    database = Database(f"sqlite:///{found}")
    try:
        assert database.read_now(audit).differences == []
    finally:
        database.close()
