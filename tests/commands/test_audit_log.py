"""Tests of the entries that commands write into the audit log."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import PASSWORD, Run
from tests.commands.test_users import create

ADMIN = {"DIALER_ADMIN_USERNAME": "root", "DIALER_ADMIN_PASSWORD": PASSWORD}


def entries(folder: Path) -> list[tuple[Any, ...]]:
    """Return the actor, the action, the record and the values after of each entry."""
    with sqlite3.connect(folder / "dialer.db") as connection:
        query = "SELECT actor, via, action, resource, record_id, after FROM audit_log ORDER BY id"
        rows = connection.execute(query).fetchall()
    connection.close()
    assert {row[:2] for row in rows} <= {("command line", "command line")}
    return [(*row[2:5], json.loads(row[5])) for row in rows]


def test_users_and_keys_of_the_command_line_are_logged(run: Run, tmp_path: Path) -> None:
    assert create(run, "anna").code == 0
    key = run("keys", "create", "anna", "--json").data
    assert run("keys", "revoke", key["prefix"]).code == 0
    assert run("users", "change", "anna", "--disable").code == 0
    assert [entry[:3] for entry in entries(tmp_path)] == [
        ("user_created", "users", 1),
        ("api_key_created", "api-key", 1),
        ("api_key_revoked", "api-key", 1),
        ("user_changed", "users", 1),
    ]


def test_an_erasure_is_logged_without_the_number(run: Run, tmp_path: Path) -> None:
    assert run("database", "upgrade", "--create").code == 0
    assert run("erase", "+12025550187", "--yes").code == 0
    assert run("erase", "--older-than", "1", "--yes").code == 0
    assert entries(tmp_path) == [("person_erased", "", None, {"subscribers": 0})]


DROP = "DROP TRIGGER audit_log_is_not_changed; DROP TRIGGER audit_log_is_kept; "


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE audit_log SET actor = 'nobody' WHERE id = 2", ["audit-log 3"]),
        ("DELETE FROM audit_log WHERE id = 3", ["audit-log 4"]),
        ("UPDATE audit_log SET previous = '' WHERE id = 4", ["audit-log 4"]),
        ("DELETE FROM audit_log WHERE id = 1", []),
    ],
)
def test_an_entry_that_was_changed_or_removed_is_found(
    run: Run, tmp_path: Path, statement: str, found: list[str]
) -> None:
    create(run, "anna")
    for name in ("--disable", "--enable", "--disable"):
        run("users", "change", "anna", name)
    assert run("audit").code == 0
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        assert connection.execute("SELECT count(DISTINCT previous) FROM audit_log").fetchone() == (4,)
        connection.executescript(DROP + statement)
    connection.close()
    audited = run("audit", "--json")
    assert (audited.code, [one["record"] for one in audited.data["differences"]]) == (int(bool(found)), found)
