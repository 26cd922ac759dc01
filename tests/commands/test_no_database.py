"""Tests of commands in a folder without a database: they report it, and create none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.new_database import new_file


@pytest.mark.parametrize(
    "command",
    [
        "users list",
        "users passwd anna --password-stdin",
        "forecast 1",
        "report 1",
        "top",
        "explain 1 +12025550111",
        "replay 1",
        "export survey 1",
        "check 1",
        "audit",
        "rules",
        "backup copy.db",
        "move sqlite:///new.db",
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


def test_a_command_beside_the_folder_of_dialer_dev_names_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".dialer-dev").mkdir()
    (tmp_path / ".dialer-dev" / "dialer.db").touch()
    hint = "run the command in the folder of the database, or set DIALER_DATABASE_URL"
    line = f"dialer: there is no database at {tmp_path / 'dialer.db'}: {hint}. That of `dialer dev` is in .dialer-dev\n"
    assert run("users", "list") == Outcome(1, "", line)


@pytest.mark.parametrize("command", ["database upgrade", "users create anna --password-stdin"])
def test_a_database_is_created_only_if_the_user_says_so(run: Run, tmp_path: Path, command: str) -> None:
    """In a wrong folder, a new database would hide the mistake."""
    hint = (
        "run the command in the folder of the database, or set DIALER_DATABASE_URL, or create a new one with --create"
    )
    line = f"dialer: there is no database at {tmp_path / 'dialer.db'}: {hint}\n"
    assert run(*command.split(), stdin=PASSWORD) == Outcome(1, "", line)
    assert list(tmp_path.iterdir()) == []
    assert run(*command.split(), "--create", stdin=PASSWORD).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["dialer.db"]
    assert run("users", "create", "ben", "--password-stdin", stdin=PASSWORD).code == 0


@pytest.mark.parametrize("command", ["users list", "forecast 1", "users create anna --password-stdin"])
def test_a_database_of_an_earlier_version_is_changed_by_no_command_but_upgrade(
    run: Run, tmp_path: Path, command: str
) -> None:
    """An older program may still use the database, so only its owner can decide to upgrade it."""
    (tmp_path / "dialer.db").touch()
    line = "dialer: the database is from another version of dialer: run `dialer database upgrade`\n"
    assert run(*command.split(), stdin=PASSWORD) == Outcome(1, "", line)
    assert [path.name for path in tmp_path.iterdir()] == ["dialer.db"]


@pytest.mark.parametrize("command", ["database upgrade", "serve", "users list", "audit"])
def test_a_database_from_before_the_first_release_is_refused_with_what_to_do(
    run: Run, tmp_path: Path, command: str
) -> None:
    path = Path(new_file(tmp_path).partition("///")[2])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")  # As the program does.
        connection.execute("UPDATE alembic_version SET version_num = '0047_0041'")
    before = path.read_bytes()
    line = (
        "the database is from before the first release of dialer (revision 0047_0041) and cannot be upgraded:"
        " move it away and start with a new one, or use the dialer that made it"
    )
    refused = run(*command.split())
    assert (refused.code, refused.out, refused.told) == (1, "", [line])
    assert path.read_bytes() == before
