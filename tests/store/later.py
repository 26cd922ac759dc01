"""Migrations as they come after the baseline, made up, and a database at the baseline with rows."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, delete, inspect, make_url, text

from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.tables import Subscriber
from tests.databases import choice
from tests.runtime.house import House

REBUILDS: Final = """
import sqlalchemy as sa
from alembic import op

revision = "0002_from_0002"
down_revision = "0001_from_0001"


def upgrade():
    with op.batch_alter_table("subscriber", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("note", sa.Text(), server_default="", nullable=False))
        batch_op.alter_column("number", existing_type=sa.String(16), nullable=True)
    with op.batch_alter_table("contact", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.alter_column("additional_vars", existing_type=sa.Text(), nullable=True)
    op.execute("UPDATE subscriber SET note = 'was ' || number")
"""
"""A migration that fills a new column, and for which SQLite copies two tables."""
ADDS: Final = """
import sqlalchemy as sa
from alembic import op

revision = "0003_from_0002"
down_revision = "0002_from_0002"


def upgrade():
    op.add_column("campaign", sa.Column("later", sa.Integer(), server_default="7", nullable=False))
    op.create_table("gadget", sa.Column("id", sa.BigInteger(), nullable=False), sa.PrimaryKeyConstraint("id"))
    op.create_index("ix_callrequest_later", "callrequest", ["callid"])
"""
"""A migration that only adds."""
NEWEST: Final = "0003_from_0002"
NUMBERS: Final = tuple(f"+1202555012{place}" for place in range(5))
CALLS_S: Final = 61
"""Time in which some calls have ended, another one is in progress, and others wait."""


def use_later_migrations(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let upgrades continue with made-up migrations, in a copy of the folder of migrations."""
    later = folder / "migrations"
    shutil.copytree(migrate.MIGRATIONS, later, ignore=shutil.ignore_patterns("__pycache__"))
    (later / "versions" / "0002_rebuilds.py").write_text(REBUILDS, "utf-8")
    (later / "versions" / "0003_adds.py").write_text(ADDS, "utf-8")
    monkeypatch.setattr(migrate, "MIGRATIONS", later)


async def filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a house with a database of its own, in which calls have ended and others are in progress.

    Its last subscriber is deleted. That id must not be given again.
    """
    if choice.is_postgresql():
        url = choice.server_url(until_the_end=True)
        monkeypatch.setattr("tests.runtime.house.new_database", lambda _: url)
        make_durable = f"ALTER DATABASE {make_url(url).database} RESET synchronous_commit"
        with closing(Database(url)) as one:
            one.write_now(lambda unit: unit.exec_driver_sql(make_durable))
    house = House(folder)
    await house.started(house.survey({"type": 1, "script": "hello"}), house.phonebook(*NUMBERS), frequency=2)
    await house.advance(CALLS_S)
    house.database.write_now(lambda unit: unit.execute(delete(Subscriber).where(Subscriber.id == len(NUMBERS))))
    return house


def all_rows(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables, those that no model knows included."""

    def read(unit: Connection) -> dict[str, list[dict[str, Any]]]:
        names = inspect(unit).get_table_names()
        return {
            name: [dict(row) for row in unit.execute(text(f"SELECT * FROM {name} ORDER BY 1")).mappings()]  # noqa: S608
            for name in names
        }

    return database.read_now(read)
