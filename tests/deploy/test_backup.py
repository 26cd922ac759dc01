"""Tests of `deploy/backup.sh`: a backup beside a running server, its retention, and the way back."""

import os
import subprocess
import time
from pathlib import Path
from typing import Final

from tests.end_to_end.service import wav
from tests.test_server import ADMIN, DIALER, VIRTUAL, serving

SCRIPT: Final = Path(__file__).parents[2] / "deploy" / "backup.sh"
DAY_S: Final = 86_400


def back_up(folder: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run the script in the folder of a database."""
    settings = {**os.environ, "DIALER": str(DIALER), "BACKUPS": str(folder.parent / "backups"), **environ}
    return subprocess.run([SCRIPT], cwd=folder, env=settings, capture_output=True, text=True, check=False)


def command(folder: Path, *arguments: str) -> str:
    return subprocess.run([DIALER, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_backup_of_a_running_server_is_put_back_with_its_recordings(tmp_path: Path) -> None:
    folder, backups, new = tmp_path / "service", tmp_path / "backups", tmp_path / "new"
    folder.mkdir()
    with serving(folder, **ADMIN, **VIRTUAL) as served:
        upload = {"audio_file": ("hello.wav", wav(1), "audio/wav")}
        assert served.client.post("audio-files/", data={"name": "hello"}, files=upload).status_code == 201
        assert back_up(folder).returncode == 0
    (copy,) = backups.glob("*.db")
    assert (copy.stat().st_mode & 0o077, (backups / "media").stat().st_mode & 0o077) == (0, 0)
    new.mkdir()
    command(new, "restore", str(copy))
    (backups / "media").rename(new / "media")
    assert "nothing differs.\n" in command(new, "audit")
    with serving(new, **VIRTUAL) as served:
        (audio,) = served.client.get("audio-files/").json()["results"]
        assert audio["name"] == "hello"
    assert [path.read_bytes() for path in (new / "media").iterdir()] == [
        path.read_bytes() for path in (folder / "media").iterdir()
    ]


def test_old_copies_are_deleted_after_a_backup_and_never_without_one(tmp_path: Path) -> None:
    folder, backups = tmp_path / "service", tmp_path / "backups"
    folder.mkdir()
    backups.mkdir()
    for name, days in (("dialer-old.db", 20), ("dialer-young.db", 10), ("notes.db", 20)):
        (backups / name).touch()
        os.utime(backups / name, (time.time() - days * DAY_S,) * 2)
    failed = back_up(folder)
    assert (failed.returncode, "there is no database at" in failed.stderr) == (1, True)
    assert len(list(backups.glob("*.db"))) == 3
    command(folder, "database", "upgrade", "--create")
    assert back_up(folder).returncode == 0
    kept = {path.name for path in backups.glob("*.db")}
    assert {"dialer-young.db", "notes.db"} < kept
    assert (len(kept), "dialer-old.db" in kept) == (3, False)


def test_recordings_that_grew_since_the_last_backup_are_copied_again(tmp_path: Path) -> None:
    folder, backups, recordings = tmp_path / "service", tmp_path / "backups", tmp_path / "recordings"
    for place in (folder / "media" / "recordings", recordings):
        place.mkdir(parents=True)
    command(folder, "database", "upgrade", "--create")
    files = [folder / "media" / "recordings" / "a.call", recordings / "b.call"]
    for at_s in (1_000_000_000, 1_000_000_060):
        for file in files:
            with file.open("ab") as growing:
                growing.write(b"block")
            os.utime(file, (at_s, at_s))
        assert back_up(folder, RECORDINGS=str(recordings)).returncode == 0
    copies = [backups / "media" / "recordings" / "a.call", backups / "recordings" / "b.call"]
    assert [copy.read_bytes() for copy in copies] == [b"blockblock"] * 2
