"""Tests of `dialer move`, here from one file to another."""

from pathlib import Path

import pytest

from dialer.store.backends.process_lock import serving_alone
from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.new_database import new_file


@pytest.fixture(autouse=True)
def _service(run: Run, tmp_path: Path) -> None:
    new_file(tmp_path)
    run("users", "create", "anna", "--password-stdin", stdin=f"{PASSWORD}\n")


def test_a_service_is_moved_with_its_ids_and_audited_on_both_sides(run: Run, tmp_path: Path) -> None:
    code, out, err = run("move", "sqlite:///new.db")
    assert (code, out) == (0, "")
    assert err == (
        "audit_log: 1 rows, equal in both\n"
        "user_account: 1 rows, equal in both\n"
        f"Moved 2 rows of 2 tables from {tmp_path}/dialer.db to {tmp_path}/new.db. Both audits: nothing differs.\n"
    )
    old, new = (
        run("users", "list", "--json", DIALER_DATABASE_URL=f"sqlite:///{name}.db") for name in ("dialer", "new")
    )
    assert new == old
    new_file(tmp_path, "other.db")
    moved = run("move", "sqlite:///other.db", "--json").data
    assert [moved["from"], moved["to"]] == [f"{tmp_path}/dialer.db", f"{tmp_path}/other.db"]
    assert {table["name"]: table["rows"] for table in moved["tables"] if table["rows"]} == {
        "audit_log": 1,
        "user_account": 1,
    }
    assert {len(table["sha256"]) for table in moved["tables"]} == {64}
    assert (moved["audit"]["users"], moved["audit"]["differing"]) == (1, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dialer.db", "new.db", "other.db"]


def test_a_database_that_is_not_empty_is_refused(run: Run, tmp_path: Path) -> None:
    new_file(tmp_path, "new.db")
    assert run("move", "sqlite:///new.db").code == 0
    refused = Outcome(1, "", "dialer: the target is not empty: it has rows in audit_log\n")
    assert run("move", "sqlite:///new.db") == refused


def test_a_service_that_runs_is_refused_on_either_side(run: Run, tmp_path: Path) -> None:
    new_file(tmp_path, "new.db")
    for name in ("dialer.db", "new.db"):
        with serving_alone(tmp_path / name):
            refused = Outcome(1, "", f"dialer: another process serves {name} already\n")
            assert run("move", "sqlite:///new.db") == refused
    assert run("move", "sqlite:///new.db").code == 0


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("sqlite:///dialer.db", "{0}/dialer.db is the database itself"),
        ("dialer.db", "URL is '***': it may hold sqlite+aiosqlite:///FILE (four slashes before an absolute path)"),
        ("sqlite:////no/such/folder/new.db", "the database cannot be opened: unable to open database file"),
        ("sqlite:///old.db", "{0}/old.db: the database is from another version of dialer"),
        (
            "postgresql://user:secret@/x?host=/no",
            "postgresql://user:***@/x?host=%2Fno: the database cannot be read: connection is bad",
        ),
    ],
)
def test_one_line_says_what_is_wrong(run: Run, tmp_path: Path, url: str, line: str) -> None:
    (tmp_path / "old.db").touch()
    code, out, err = run("move", url)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"dialer: {line.format(tmp_path)}")


def test_a_source_of_another_version_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old.db").touch()
    hint = "the database is from another version of dialer: run `dialer database upgrade`"
    refused = Outcome(1, "", f"dialer: {tmp_path}/old.db: {hint}\n")
    assert run("move", "sqlite:///new.db", DIALER_DATABASE_URL="sqlite:///old.db") == refused
    assert not (tmp_path / "new.db").exists()
