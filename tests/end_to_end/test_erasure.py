"""A test of backup and erasure beside a running server."""

import os
import subprocess
from pathlib import Path

from dialer.domain.numbers.spellings import Spellings
from dialer.store.backends.database_files import check
from tests.end_to_end.service import advance
from tests.end_to_end.test_storage import PEOPLE, called, remote, start_campaign
from tests.store.leftovers import holding
from tests.test_server import ADMIN, DIALER, VIRTUAL, serving

NUMBER = PEOPLE[3]


def dialer(folder: Path, *arguments: str) -> str:
    """Run a command that must succeed, and return its output."""
    done = subprocess.run(
        [DIALER, *arguments], cwd=folder, env={**os.environ, **VIRTUAL}, capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_a_person_is_erased_beside_a_running_server(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    (tmp_path / "service").mkdir()
    backups.mkdir()
    with serving(tmp_path / "service", **ADMIN, **VIRTUAL) as served, remote(served) as root:
        root.create("payment", amount=100, user="/rest-api/users/1/")
        start_campaign(root, root, 1)
        advance(root, 150)
        assert called(root) == PEOPLE[:3]
        dialer(tmp_path / "service", "backup", str(backups / "copy.db"))
        said = dialer(tmp_path / "service", "erase", NUMBER, "--yes")
        assert said.endswith("contacts 1, subscribers 1.\n")
        assert holding(tmp_path / "service", NUMBER) == []
        advance(root, 3_600)
        assert called(root) == [number for number in PEOPLE if number != NUMBER]
        assert holding(tmp_path / "service", NUMBER) == []
        code, out, err = served.end()
    assert code == 0
    assert Spellings(NUMBER).without(out + err + said) == out + err + said
    assert check(backups / "copy.db") == []
    assert holding(backups, NUMBER) == ["copy.db"]
