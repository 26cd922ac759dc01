"""Tests of rows that somebody edits while calls are in progress: they cost their user something, and nobody else."""

from pathlib import Path

import pytest

from dialer.store.tables import Row
from tests.runtime.edited import bobs_calls_go_on, columns, edit, street

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
]


@pytest.mark.parametrize(("table", "column", "value"), EDITS, ids=lambda one: str(one)[:20])
async def test_the_calls_of_others_go_on(tmp_path: Path, table: str, column: str, value: object) -> None:
    house = await street(tmp_path)
    assert edit(tmp_path, Row.metadata.tables[table], column, value)
    assert await bobs_calls_go_on(house) == []


def test_every_column_of_users_can_be_edited() -> None:
    """The list is made from the tables, for a search by hand."""
    assert {table for table, _, _ in EDITS} <= {table.name for table, _ in columns()}
