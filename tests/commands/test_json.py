"""Tests of `--json`: one document on standard output, also when a command fails."""

import os
from pathlib import Path

import pytest

from tests.commands.conftest import PASSWORD, Outcome, Run

NO_ROWS = {"campaign": 0, "subscriber": 0, "cdr": 0}


def failed(outcome: Outcome, code: int) -> str:
    """Return the message of a failure, which both outputs have."""
    assert outcome.code == code
    message = outcome.data["error"]["message"]
    assert outcome.data == {"error": {"message": message, "exit_code": code}}
    assert outcome.err == f"dialer: {message}\n"
    return str(message)


@pytest.mark.parametrize(
    "command",
    [
        "users list",
        "users passwd anna --password-stdin",
        "audit",
        "rules",
        "backup copy.db",
        "move sqlite:///new.db",
        "erase +12025550111 --yes",
        "explain 1 +12025550111",
        "replay 1",
        "forecast 1",
        "report 1",
        "top",
        "database check",
        "database sweep",
        "database upgrade",
    ],
)
def test_a_missing_database_is_an_error_in_json(run: Run, command: str) -> None:
    assert "there is no database at" in failed(run(*command.split(), "--json", stdin=PASSWORD), 1)


def test_wrong_usage_is_an_error_in_json(run: Run) -> None:
    assert "No such option '--nonsense'" in failed(run("users", "list", "--json", "--nonsense"), 2)
    assert "no_such.json" in failed(run("simulate", "no_such.json", "--json"), 2)


def test_commands_that_maintain_the_database_print_their_results(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "dialer.db")
    assert run("database", "upgrade", "--create", "--json").data == {"path": path}
    assert run("database", "check", "--json").data == {"problems": []}
    made = run("backup", "copy.db", "--json").data
    size = (tmp_path / "copy.db").stat().st_size
    assert made == {"path": str(tmp_path / "copy.db"), "size_bytes": size, "rows": {"user_account": 0, **NO_ROWS}}
    assert run("restore", "copy.db", "--force", "--json").data == {**made, "path": path}
    lost = tmp_path / "media" / f"{'a' * 32}.wav"
    lost.parent.mkdir()
    lost.write_bytes(b"x")
    os.utime(lost, (0, 0))
    assert run("database", "sweep", "--json").data == {"media_dir": "media", "deleted": [lost.name]}
    assert run("audit", "--json").data["differing"] == 0
    erased = run("erase", "+12025550111", "--yes", "--json").data
    assert (erased["contacts"], erased["recordings"]) == (0, 0)


def test_a_damaged_database_is_a_list_of_problems(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dialer.db").write_text("not a database " * 1_000)
    assert run("database", "check", "--json") == Outcome(
        1, '{\n  "problems": [\n    "file is not a database"\n  ]\n}\n', ""
    )


def test_a_changed_password_names_its_user(run: Run) -> None:
    run("users", "create", "Anna", "--create", "--password-stdin", stdin=PASSWORD)
    changed = run("users", "passwd", "anna", "--password-stdin", "--json", stdin=PASSWORD)
    assert (changed.code, changed.data) == (0, {"username": "Anna"})
