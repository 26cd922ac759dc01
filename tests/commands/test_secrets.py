"""Tests of the key of stored secrets: its file, its check at a start, and `dialer secrets rotate`."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert, select

from dialer.commands.key_file import KeyFile
from dialer.settings import Settings
from dialer.store.backends.process_lock import serving_alone
from dialer.store.database.database import Database
from dialer.store.tables import Gateway
from dialer.store.tables.key_ring import RING
from tests.commands.conftest import Outcome, Run

PARAMETERS: Final = '{"server":"sip.example.com","password":"swordfish"}'
NEW: Final = "a-new-key-of-the-secrets-of-dialer"
OLD: Final = "the-old-key-of-the-secrets-of-dialer"
MISSING: Final = "dialer: the key of the secrets in this database is missing: put your copy of it at "
WRONG: Final = (
    "dialer: the secrets of this database were encrypted with another key: start with the one that was in use"
)


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIALER_SECRETS_KEY")


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """Return the folder of a database with a gateway, whose key is in the file beside it."""
    assert run("database", "upgrade", "--create").code == 0
    RING.hold(KeyFile(Settings(database_url=f"sqlite:///{tmp_path}/dialer.db")))
    with closing(Database(f"sqlite:///{tmp_path}/dialer.db")) as database:
        database.write_now(lambda unit: unit.execute(insert(Gateway).values(**row())))
    return tmp_path


def row() -> dict[str, object]:
    stamps = {"created_date": 0, "updated_date": 0}
    return {"id": 1, "name": "a", "description": "", "parameters": PARAMETERS, **stamps}


def read(folder: Path, **settings: str) -> str | None:
    """Return the gateway's parameters, as a process with the keys of these settings reads them."""
    url = f"sqlite:///{folder}/dialer.db"
    RING.hold(KeyFile(Settings(database_url=url, **settings)))  # type: ignore[arg-type] # texts only
    with closing(Database(url)) as database:
        return database.read_now(lambda unit: unit.scalar(select(Gateway.parameters)))


def stored(folder: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(folder / "dialer.db")) as connection:
        return connection.execute("SELECT parameters FROM gateway").fetchall()


def test_the_first_start_makes_a_key_that_only_its_owner_can_read(run: Run, folder: Path) -> None:
    key = folder / "dialer.key"
    assert (key.stat().st_mode & 0o777, len(key.read_text().strip())) == (0o600, 43)
    before = key.read_text()
    assert run("database", "upgrade") == Outcome(0, "", "The database is up to date.\n")
    assert (key.read_text(), read(folder)) == (before, PARAMETERS)
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith((".", "dialer.k"))) == ["dialer.key"]


def test_an_operator_is_told_of_the_key_when_it_is_made_and_when_it_is_wanted(run: Run, tmp_path: Path) -> None:
    made = f"Made the key of stored secrets in {tmp_path}/dialer.key. Keep a copy of it elsewhere than your backups."
    assert made in run("database", "upgrade", "--create").err
    assert made not in run("database", "upgrade").err
    wanted = f"Before the start, put your copy of the key of its secrets at {tmp_path}/dialer.key."
    assert run("backup", "copy.db").code == 0
    assert wanted not in run("restore", "copy.db", "--force").err
    (tmp_path / "dialer.key").unlink()
    assert wanted in run("restore", "copy.db", "--force").err


def test_a_start_without_the_key_is_refused_and_makes_no_other(run: Run, folder: Path) -> None:
    (folder / "dialer.key").rename(folder / "elsewhere")
    before = stored(folder)
    for _ in range(2):
        refused = run("database", "upgrade")
        assert (refused.code, refused.out) == (1, "")
        assert refused.err == f"{MISSING}{folder}/dialer.key, or set DIALER_SECRETS_KEY or DIALER_SECRETS_KEY_FILE\n"
    assert (stored(folder), (folder / "dialer.key").exists()) == (before, False)
    assert run("database", "upgrade", DIALER_SECRETS_KEY_FILE="elsewhere").code == 0


@pytest.mark.parametrize(
    "command", [["database", "upgrade"], ["serve", "--port", "0"], ["api", "--port", "0"], ["worker"]]
)
def test_a_start_with_a_wrong_key_is_refused(run: Run, folder: Path, command: list[str]) -> None:
    before = stored(folder)
    refused = run(*command, DIALER_SECRETS_KEY=NEW)
    (told,) = refused.told
    assert (refused.code, refused.out, f"dialer: {told}".startswith(WRONG)) == (1, "", True)
    assert stored(folder) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"short\n", "does not hold a key of stored secrets: 32 characters or more"),
        (b"", "does not hold a key of stored secrets"),
        (b"\xff\xfe" * 40, "cannot be read: it is not text"),
    ],
)
def test_a_file_without_a_key_is_refused(run: Run, folder: Path, content: bytes, said: str) -> None:
    (folder / "dialer.key").write_bytes(content)
    refused = run("database", "upgrade")
    assert (refused.code, said in refused.err, refused.err.count("\n")) == (1, True, 1)


def test_a_wrong_setting_is_not_shown(run: Run) -> None:
    refused = run("settings", DIALER_SECRETS_KEY="hunter2")
    assert (refused.code, "DIALER_SECRETS_KEY is ***" in refused.err, "hunter2" in refused.err) == (1, True, False)
    assert NEW not in run("settings", "--json", DIALER_SECRETS_KEY=NEW).out


def test_others_who_can_read_the_key_are_told(run: Run, folder: Path) -> None:
    (folder / "dialer.key").chmod(0o644)
    assert f"chmod 600 {folder}/dialer.key" in run("database", "upgrade").err


def test_a_rotation_replaces_the_key(run: Run, folder: Path) -> None:
    shutil.copy(folder / "dialer.key", folder / "old.key")
    rotated = run("secrets", "rotate", "--json")
    assert (rotated.code, rotated.data) == (0, {"secrets": 2, "key_file": f"{folder}/dialer.key"})
    key = folder / "dialer.key"
    assert (len(key.read_text().split()), key.stat().st_mode & 0o777) == (1, 0o600)
    assert key.read_text() != (folder / "old.key").read_text()
    assert read(folder) == PARAMETERS
    assert read(folder, secrets_key=(folder / "old.key").read_text()) == "{}"
    assert run("database", "upgrade", DIALER_SECRETS_KEY_FILE="old.key").err.startswith(WRONG)


@pytest.mark.parametrize("killed_at", ["replace", "rotate_secrets", "compact", "second replace"])
def test_a_rotation_that_is_killed_loses_nothing_and_is_finished_by_the_next(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    calls = []

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def replace(self: KeyFile, keys: str) -> None:
        calls.append(keys)
        if killed_at == "replace" or (len(calls) == 2 and killed_at == "second replace"):
            die()
        real(self, keys)

    real = KeyFile.replace
    with monkeypatch.context() as dying:
        dying.setattr(KeyFile, "replace", replace)
        if killed_at == "rotate_secrets":
            dying.setattr("dialer.commands.secrets.rotate_secrets", die)
        if killed_at == "compact":
            dying.setattr("dialer.store.backends.sqlite.compact", die)
        assert run("secrets", "rotate").code == 1
    assert read(folder) == PARAMETERS
    assert run("database", "upgrade").code == 0
    assert run("secrets", "rotate").code == 0
    assert (read(folder), len((folder / "dialer.key").read_text().split())) == (PARAMETERS, 1)


def test_keys_of_the_environment_are_rotated_with_both(run: Run, tmp_path: Path) -> None:
    assert run("database", "upgrade", "--create", DIALER_SECRETS_KEY=OLD).code == 0
    assert not (tmp_path / "dialer.key").exists()
    refused = "DIALER_SECRETS_KEY holds one key: set it to the new key, a blank, and the key in use"
    assert run("secrets", "rotate", DIALER_SECRETS_KEY=OLD) == Outcome(1, "", f"dialer: {refused}\n")
    rotated = run("secrets", "rotate", DIALER_SECRETS_KEY=f"{NEW} {OLD}")
    assert rotated.err == (
        "Encrypted 1 secrets with the new key. Now remove the old key from DIALER_SECRETS_KEY.\n"
        "Calls with encrypted sound that go on now end if the process of their line does.\n"
    )
    assert run("database", "upgrade", DIALER_SECRETS_KEY=NEW).code == 0
    assert run("database", "upgrade", DIALER_SECRETS_KEY=OLD).err.startswith(WRONG)


def test_a_rotation_beside_a_server_is_refused(run: Run, folder: Path) -> None:
    before = (folder / "dialer.key").read_text()
    with serving_alone(folder / "dialer.db"):
        assert run("secrets", "rotate") == Outcome(1, "", "dialer: another process serves dialer.db already\n")
    assert (folder / "dialer.key").read_text() == before


def test_a_moved_service_finds_its_key(run: Run, folder: Path) -> None:
    (folder / "new").mkdir()
    moved = run("move", "sqlite:///new/dialer.db")
    assert (moved.code, f"to {folder}/new/dialer.key." in moved.err) == (0, True)
    assert read(folder / "new") == PARAMETERS
    assert (folder / "new" / "dialer.key").stat().st_mode & 0o777 == 0o600


def test_a_move_to_a_place_with_another_key_is_refused(run: Run, folder: Path) -> None:
    (folder / "new").mkdir()
    (folder / "new" / "dialer.key").write_text(NEW)
    refused = run("move", "sqlite:///new/dialer.db")
    assert (refused.code, "new/dialer.key holds the key of other secrets" in refused.err) == (1, True)


def test_a_backup_has_no_key_and_is_restored_with_it(
    run: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    made = run("backup", str(elsewhere / "copy.db"))
    assert f"{folder}/dialer.key" in made.err
    assert [path.name for path in elsewhere.iterdir()] == ["copy.db"]
    url = f"sqlite:///{elsewhere}/dialer.db"
    restored = run("restore", str(elsewhere / "copy.db"), DIALER_DATABASE_URL=url)
    assert restored.code == 0
    assert run("database", "upgrade", DIALER_DATABASE_URL=url).err.startswith(MISSING)
    shutil.copy(folder / "dialer.key", elsewhere)
    assert run("database", "upgrade", DIALER_DATABASE_URL=url).code == 0
    assert read(elsewhere) == PARAMETERS


def test_a_service_whose_key_is_lost_starts_again_without_its_secrets(run: Run, folder: Path) -> None:
    (folder / "dialer.key").unlink()
    assert run("database", "upgrade").err.startswith(MISSING)
    assert run("secrets", "forget", "--json").data == {"deleted": 1}
    assert run("database", "upgrade").code == 0
    assert read(folder) == "{}"
    assert run("secrets", "forget", "--json").data == {"deleted": 0}
