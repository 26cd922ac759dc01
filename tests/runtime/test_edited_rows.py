"""Tests of rows that somebody edits while calls are in progress: they cost their user something, and nobody else."""

from pathlib import Path
from random import Random
from typing import Final

import pytest

from dialer.store.tables import Row
from tests.runtime.edited import NONSENSE, bobs_calls_go_on, columns, edit, street

pytestmark = pytest.mark.usefixtures("quiet")
EDITS = [
    ("campaign", "frequency", 0),
    ("campaign", "daily_start_time", "noon"),
    ("did", "did_number", "nonsense"),
    ("gateway", "parameters", "{"),
    ("gateway", "max_channels", "many"),
    ("agent", "figures", "{"),
    ("queue", "strategy", 77),
    ("user_account", "balance", "rich"),
    ("live_leg", "standing", "{"),
    ("live_leg", "standing", '{"place":[99,99]}'),
    ("live_leg", "dialling", "nonsense"),
    ("live_leg", "handed_ms", "soon"),
    ("callrequest", "user_id", "nonsense"),
    ("callrequest", "amd", "nonsense"),
    ("subscriber", "count_attempt", "nonsense"),
    ("sealed_survey", "document", "{"),
    ("callrequest", "hold", 2**53),
    ("callrequest", "status", 77),
    ("campaign", "calltimeout", 2**62),
    ("live_leg", "call_id", -1),
    ("live_leg", "place", 2**62),
    ("subscriber", "count_attempt", b"\xff"),
    ("user_account", "held", 2**62),
]
SAMPLE: Final = 24
"""Edits that are drawn from all columns, tables and values, always the same."""
ALL: Final = [(table.name, column, value) for table, column in columns() for value in NONSENSE]


@pytest.mark.parametrize(("table", "column", "value"), EDITS, ids=lambda one: str(one)[:20])
async def test_the_calls_of_others_go_on(tmp_path: Path, table: str, column: str, value: object) -> None:
    house = await street(tmp_path)
    assert edit(tmp_path, Row.metadata.tables[table], column, value)
    assert await bobs_calls_go_on(house) == []


@pytest.mark.parametrize(("table", "column", "value"), Random(20).sample(ALL, SAMPLE), ids=lambda one: str(one)[:20])  # noqa: S311
async def test_the_calls_of_others_go_on_whatever_is_edited(
    tmp_path: Path, table: str, column: str, value: object
) -> None:
    """An edit that the database refuses harms nobody either."""
    house = await street(tmp_path)
    edit(tmp_path, Row.metadata.tables[table], column, value)
    assert await bobs_calls_go_on(house) == []


def test_every_column_of_users_can_be_edited() -> None:
    """The list is made from the tables, for a search by hand."""
    assert {table for table, _, _ in EDITS} <= {table.name for table, _ in columns()}
