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


def noted(run: Run) -> str:
    """Return the newest entry with its hash, as somebody notes it."""
    found = run("audit", "--json").data
    assert run("audit").out.endswith(f": {found['audit_entry']}:{found['audit_sha256']}\n")
    return f"{found['audit_entry']}:{found['audit_sha256']}"


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM audit_log WHERE id > 2", "the log was cut off, and ends with entry 2"),
        ("DELETE FROM audit_log", "the log has no entry"),
        ("UPDATE audit_log SET actor = 'nobody' WHERE id = 3", "it or one before was changed"),
        ("DELETE FROM audit_log WHERE id <= 3", "the log begins with entry 4."),
        ("DELETE FROM audit_log WHERE id = 3", "the entry was removed"),
    ],
)
def test_a_noted_entry_shows_what_was_cut_off_or_written_anew(
    run: Run, tmp_path: Path, statement: str, why: str
) -> None:
    create(run, "anna")
    for name in ("--disable", "--enable"):
        run("users", "change", "anna", name)
    head = noted(run)
    run("users", "change", "anna", "--disable")
    assert run("audit", "--head", head).code == 0
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        (link,) = connection.execute("SELECT previous FROM audit_log WHERE id = 4").fetchone()
        assert head == f"3:{link}"
        connection.executescript(DROP + statement)
    connection.close()
    audited = run("audit", "--json", "--head", head)
    found = {one["record"]: one["expected"] for one in audited.data["differences"]}
    assert (audited.code, found["audit-log 3"]) == (1, found["audit-log 3"])
    assert found["audit-log 3"].startswith(f"{head[2:]}, as was noted: {why}")
    assert f"should be {head[2:]}, as was noted" in run("audit", "--head", head).out


@pytest.mark.parametrize("head", ["3", "3:abc", ":", "x:" + "0" * 64, "0:" + "0" * 64, "3:" + "g" * 64])
def test_a_head_of_another_form_is_refused(run: Run, head: str) -> None:
    assert run("database", "upgrade", "--create").code == 0
    refused = run("audit", "--head", head)
    assert (refused.code, "64 hexadecimal digits" in " ".join(refused.err.split())) == (2, True)
