"""Tests of commands in a folder without a database: they report it, and create none."""

from pathlib import Path

import pytest

from tests.commands.conftest import PASSWORD, Outcome, Run


@pytest.mark.parametrize(
    "command",
    [
        "users list",
        "users passwd anna --password-stdin",
        "forecast 1",
        "explain 1 +12025550111",
        "audit",
        "backup copy.db",
        "erase +12025550111 --yes",
        "erase --older-than 1 --yes",
        "database check",
        "database sweep",
    ],
)
@pytest.mark.parametrize("url", ["", "sqlite:///other.db"])
def test_a_database_that_is_not_there_is_named_and_not_made(run: Run, tmp_path: Path, command: str, url: str) -> None:
    path = tmp_path / ("other.db" if url else "dialer.db")
    outcome = run(*command.split(), stdin=PASSWORD, DIALER_DATABASE_URL=url)
    hint = "run the command in the folder of the database, or set DIALER_DATABASE_URL"
    assert outcome == Outcome(1, "", f"dialer: there is no database at {path}: {hint}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["database upgrade", "users create anna --password-stdin"])
def test_a_database_is_made_by_an_upgrade_and_for_the_first_user(run: Run, tmp_path: Path, command: str) -> None:
    assert run(*command.split(), stdin=PASSWORD).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["dialer.db"]


@pytest.mark.parametrize("command", ["users list", "forecast 1"])
def test_a_database_of_an_earlier_version_is_not_changed_by_a_command_that_reads(
    run: Run, tmp_path: Path, command: str
) -> None:
    """An older program may still use the database, so only its owner can decide to upgrade it."""
    (tmp_path / "dialer.db").touch()
    line = "dialer: the database is from another version of dialer: run `dialer database upgrade`\n"
    assert run(*command.split()) == Outcome(1, "", line)
    assert [path.name for path in tmp_path.iterdir()] == ["dialer.db"]
