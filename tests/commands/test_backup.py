"""Tests of `dialer backup`, `dialer restore` and `dialer database check`."""

import sqlite3
from pathlib import Path

from tests.commands.conftest import PASSWORD, Outcome, Run

NONE_YET = "0 in campaign, 0 in subscriber, 0 in cdr"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_backup_is_made_and_put_back(run: Run, tmp_path: Path) -> None:
    run("users", "create", "anna", "--create", "--password-stdin", stdin=f"{PASSWORD}\n")
    code, out, err = run("backup", "copy.db")
    size = (tmp_path / "copy.db").stat().st_size
    assert (code, out) == (0, "")
    assert err == f"Copied the database to copy.db: {size:,} bytes; 1 in user_account, {NONE_YET}.\n"
    run("users", "create", "ben", "--password-stdin", stdin=f"{PASSWORD}\n")
    assert run("restore", "copy.db") == Outcome(1, "", "dialer: dialer.db already exists: --force replaces it\n")
    code, out, err = run("restore", "copy.db", "--force")
    assert (code, out) == (0, "")
    assert err == f"Restored dialer.db: {size:,} bytes; 1 in user_account, {NONE_YET}.\n"
    assert [user["username"] for user in run("users", "list", "--json").data] == ["anna"]
    assert names(tmp_path) == ["copy.db", "dialer.db"]


def test_a_backup_replaces_nothing_unless_it_is_told_to(run: Run, tmp_path: Path) -> None:
    run("database", "upgrade", "--create")
    (tmp_path / "copy.db").write_text("precious")
    assert run("backup", "copy.db") == Outcome(1, "", "dialer: copy.db already exists: --force replaces it\n")
    assert (tmp_path / "copy.db").read_text() == "precious"
    assert run("backup", "copy.db", "--force").code == 0


def test_a_check_refuses_a_database_of_another_version_as_other_commands_do(run: Run, tmp_path: Path) -> None:
    run("database", "upgrade", "--create")
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
    refused = run("database", "check")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("dialer: the database is from before the first release of dialer (revision 0000)")
    assert run("audit").err == refused.err


def test_a_check_says_what_is_wrong(run: Run, tmp_path: Path) -> None:
    run("database", "upgrade", "--create")
    assert run("database", "check") == Outcome(0, "", "The database is in order.\n")
    (tmp_path / "dialer.db").write_text("not a database " * 1_000)
    damaged = "dialer: the database is damaged: restore a backup\n"
    assert run("database", "check") == Outcome(1, "file is not a database\n", damaged)
