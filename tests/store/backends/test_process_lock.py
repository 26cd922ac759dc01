"""Tests of the process lock: one process serves a database, and the lock file is deleted at its end."""

import fcntl
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dialer.store.backends.process_lock import ServedError, serving_alone


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "dialer.db"


def test_a_second_process_is_refused_until_the_first_ends(database: Path) -> None:
    with serving_alone(database), pytest.raises(ServedError, match=r"another process serves .*dialer.db already"):
        serving_alone(database).__enter__()
    with serving_alone(database):
        pass


def test_nothing_is_left_behind(database: Path) -> None:
    with serving_alone(database):
        assert [path.name for path in database.parent.iterdir()] == ["dialer.db-serving"]
    assert list(database.parent.iterdir()) == []


def test_the_file_of_a_process_that_was_killed_locks_nothing(database: Path) -> None:
    database.with_name("dialer.db-serving").touch()
    with serving_alone(database):
        pass
    assert list(database.parent.iterdir()) == []


@pytest.mark.parametrize("successor", [True, False])
def test_a_file_that_its_owner_deletes_meanwhile_locks_nothing(
    database: Path, monkeypatch: pytest.MonkeyPatch, *, successor: bool
) -> None:
    """Between opening and locking the file, its owner leaves, and another process may enter."""
    lock = fcntl.flock
    with ExitStack() as others:

        def leave_first(file: Any, operation: int) -> None:  # noqa: ANN401 - as in fcntl
            monkeypatch.setattr(fcntl, "flock", lock)
            database.with_name("dialer.db-serving").unlink()
            if successor:
                others.enter_context(serving_alone(database))
            lock(file, operation)

        monkeypatch.setattr(fcntl, "flock", leave_first)
        if successor:
            with pytest.raises(ServedError):
                serving_alone(database).__enter__()
        else:
            with serving_alone(database), pytest.raises(ServedError):
                serving_alone(database).__enter__()


def test_where_no_file_can_be_made_the_database_says_why(tmp_path: Path) -> None:
    with serving_alone(tmp_path / "nowhere" / "dialer.db"):
        pass
