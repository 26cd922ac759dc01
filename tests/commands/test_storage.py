"""Tests of unusable databases: `dialer serve` does not start, and reports the reason in one line."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dialer.store.backends import sqlite
from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.new_database import new_file

PAGE_BYTES = 4_096


def why(run: Run, **environ: str) -> str:
    """Start a server, expect a failure, and return its message."""
    outcome = run("serve", "--port", "0", **environ)
    (told,) = outcome.told
    assert outcome[:2] == (1, "")
    return told


def make(run: Run) -> None:
    """Create a database with a user."""
    new_file(Path.cwd())
    run("users", "create", "anna", "--create", "--password-stdin", stdin=f"{PASSWORD}\n")


@pytest.mark.parametrize("kept", [1, 4, 30])
def test_a_damaged_page(run: Run, tmp_path: Path, kept: int) -> None:
    """The damage begins at several places. The start changes nothing."""
    make(run)
    path = tmp_path / "dialer.db"
    content = path.read_bytes()
    path.write_bytes(content[: kept * PAGE_BYTES] + b"\xa5" * (len(content) - kept * PAGE_BYTES))
    damaged = path.read_bytes()
    assert "malformed" in why(run)
    assert path.read_bytes() == damaged


def test_a_file_that_is_no_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dialer.db").write_text("not a database " * 1_000)
    assert why(run) == "the database cannot be opened: file is not a database"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            "/proc/dialer.db", marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
        ),
        "none/dialer.db",
        "file/dialer.db",
        "folder",
    ],
)
def test_a_place_where_no_database_can_be(run: Run, tmp_path: Path, path: str) -> None:
    """The folder is read-only or missing, a file stands in for the folder, or a folder for the file."""
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    reason = "the database cannot be opened: unable to open database file"
    assert why(run, DIALER_DATABASE_URL=f"sqlite+aiosqlite:///{path}") == reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_may_only_be_read(run: Run, tmp_path: Path) -> None:
    make(run)
    (tmp_path / "dialer.db").chmod(0o400)
    assert why(run) == "the database cannot be opened: attempt to write a readonly database"


def test_a_database_that_another_process_holds(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(run)
    monkeypatch.setattr(sqlite, "MIGRATION_WAIT_MS", 50)
    with closing(sqlite3.connect(tmp_path / "dialer.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert why(run) == "the database cannot be opened: database is locked"
        other.execute("ROLLBACK")
    assert Outcome(0, "", "The database is up to date.\n") == run("database", "upgrade")
