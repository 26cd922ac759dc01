"""Tests of the files of a service: only its user can read them, whatever the umask of the shell was."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.commands.conftest import PASSWORD, Run
from tests.new_database import new_file
from tests.test_server import ADMIN, VIRTUAL, serving

GROUP: Final = "Only its owner and its group can from now on."


@pytest.fixture(autouse=True)
def careless_shell() -> Iterator[None]:
    """Run each test, and the processes that it starts, with a umask that lets everybody read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder: Path) -> dict[str, str]:
    """Return the files and folders below a folder that other users may read, write or enter, with their modes."""
    return {str(path.relative_to(folder)): oct(mode(path)) for path in folder.rglob("*") if mode(path) & 0o077}


def test_a_service_makes_no_file_that_others_can_read(tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        assert served.client.post("phonebook/", json={"name": "book"}).status_code == 201
        names = {path.name for path in tmp_path.iterdir()}
        assert names >= {"dialer.db", "dialer.db-wal", "dialer.db-shm", "dialer.db-serving", "media"}
        assert open_to_others(tmp_path) == {}


def test_commands_make_no_file_that_others_can_read(run: Run, tmp_path: Path) -> None:
    assert run("users", "create", "anna", "--create", "--password-stdin", stdin=PASSWORD).code == 0
    assert run("backup", "copy.db").code == 0
    assert run("simulate", "--help").code == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"dialer.db", "copy.db"}
    assert open_to_others(tmp_path) == {}


def test_a_start_closes_old_files_to_others_and_says_so(tmp_path: Path) -> None:
    new_file(tmp_path)
    (tmp_path / "dialer.db").chmod(0o644)
    (tmp_path / "media").mkdir()
    (tmp_path / "media").chmod(0o755)
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        assert open_to_others(tmp_path / "media") == {}
        assert (mode(tmp_path / "dialer.db"), mode(tmp_path / "media")) == (0o600, 0o750)
        _, _, err = served.end()
    events = [json.loads(line)["event"] for line in err.splitlines()]
    warned = [event for event in events if event.startswith("Warning: other users")]
    assert warned == [
        "Warning: other users of this machine could read dialer.db until now. Only its owner can from now on.",
        "Warning: other users of this machine could read media until now. " + GROUP,
    ]
    with serving(tmp_path, **VIRTUAL) as served:
        assert "Warning: other users" not in served.end()[2]


def test_a_group_that_was_let_into_the_media_folder_keeps_its_rights(tmp_path: Path) -> None:
    """A switch on the same machine reads recordings there; its rights by a list of access show as those of a group."""
    (tmp_path / "media").mkdir()
    (tmp_path / "media").chmod(0o770)
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        assert mode(tmp_path / "media") == 0o770
        assert "Warning: other users" not in served.end()[2]


def test_a_stricter_umask_stays(run: Run) -> None:
    os.umask(0o277)
    run("settings")
    assert os.umask(0) == 0o277
