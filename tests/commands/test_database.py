"""Tests of `dialer database upgrade`."""

from pathlib import Path

from tests.commands.conftest import Outcome, Run


def test_the_database_can_be_upgraded_repeatedly(run: Run, tmp_path: Path) -> None:
    for arguments in (["--create"], ["--create"], []):
        assert run("database", "upgrade", *arguments) == Outcome(0, "", "The database is up to date.\n")
    assert (tmp_path / "dialer.db").exists()


def test_a_file_that_is_no_database_is_told_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dialer.db").write_text("not a database " * 100)
    reason = "dialer: the database cannot be opened: file is not a database\n"
    assert run("database", "upgrade") == Outcome(1, "", reason)
