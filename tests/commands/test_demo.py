"""Tests of invalid usage of `dialer demo`; tests/demo has the others."""

from pathlib import Path

from tests.commands.conftest import Run


def test_a_directory_that_holds_something_is_not_written_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "notes.txt").touch()
    outcome = run("demo", "--keep", "day")
    assert (outcome.code, outcome.out) == (2, "")
    assert "the directory is not empty" in outcome.err


def test_a_seed_is_a_whole_number(run: Run) -> None:
    assert run("demo", "--seed", "-1").code == 2
