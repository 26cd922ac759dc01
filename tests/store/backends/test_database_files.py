"""Tests of backup, restore and check of a database that is in use."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert

from dialer.store.backends import database_files
from dialer.store.backends.database_files import FilesError
from dialer.store.tables import Payment
from tests.runtime.centre import centre, digest
from tests.runtime.house import House

PAGE_BYTES: Final = 4_096
PAYMENT: Final = {"user_id": 1, "amount": 0, "description": "x" * 100, "created_date": 0}


@pytest.fixture
def house(tmp_path: Path) -> House:
    (tmp_path / "live").mkdir()
    return House(tmp_path / "live")


def path_of(house: House) -> Path:
    return Path(str(house.database.url.database))


def fill(house: House, rows: int = 2_000) -> None:
    for _ in range(rows // 500):
        house.database.write_now(lambda c: c.execute(insert(Payment), [PAYMENT] * 500))


def damage(path: Path) -> None:
    """Overwrite pages in the middle with garbage."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // PAGE_BYTES * PAGE_BYTES
    content[middle : middle + 4 * PAGE_BYTES] = b"\xa5" * 4 * PAGE_BYTES
    path.write_bytes(bytes(content))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_copy_is_one_whole_private_file_of_one_moment(house: House, tmp_path: Path) -> None:
    """The copy lacks uncommitted writes, and blocks nobody."""

    def copy_meanwhile(connection: object) -> database_files.Copy:
        del connection
        return database_files.copy(path_of(house), tmp_path / "copy.db")

    house.phonebook("+12025550187")
    fill(house)
    with closing(sqlite3.connect(path_of(house), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM payment")
        made = house.database.read_now(copy_meanwhile)
        other.execute("ROLLBACK")
    copied = tmp_path / "copy.db"
    assert made == database_files.Copy(
        copied.stat().st_size, {"user_account": 1, "campaign": 0, "subscriber": 0, "cdr": 0}
    )
    assert stat.S_IMODE(copied.stat().st_mode) == 0o600
    assert names(tmp_path) == ["copy.db", "live"]
    with closing(sqlite3.connect(copied)) as connection:
        assert connection.execute("SELECT count(*) FROM payment WHERE amount = 0").fetchone() == (2_000,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    house.database.close()


def test_an_existing_file_is_only_replaced_on_request(house: House, tmp_path: Path) -> None:
    copied = tmp_path / "copy.db"
    copied.write_text("precious")
    with pytest.raises(FilesError, match="already exists"):
        database_files.copy(path_of(house), copied)
    assert copied.read_text() == "precious"
    database_files.copy(path_of(house), copied, overwrite=True)
    assert database_files.check(copied) == []
    with pytest.raises(FilesError, match="is the database itself"):
        database_files.copy(path_of(house), path_of(house), overwrite=True)
    with pytest.raises(FilesError, match="already exists"):
        database_files.copy(path_of(house), tmp_path, overwrite=True)
    house.database.close()


def test_a_failed_copy_leaves_no_file(house: House, tmp_path: Path) -> None:
    """The source is no database, damaged or of another program, or the folder is missing."""
    fill(house)
    house.database.close()
    damaged, foreign, text = (tmp_path / "live" / name for name in ("damaged.db", "foreign.db", "text.db"))
    database_files.copy(path_of(house), damaged)
    damage(damaged)
    text.write_text("not a database " * 1_000)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE other (id INTEGER)")
    target, nowhere = tmp_path / "copy.db", tmp_path / "none" / "copy.db"
    reasons: list[tuple[Path, Path, str]] = [
        (tmp_path / "none.db", target, "there is no database at"),
        (damaged, target, "damaged|malformed"),  # the message depends on the page that is read first
        (foreign, target, "is not a dialer database"),
        (text, target, f"{text} cannot be copied to {target}: file is not a database"),
        (path_of(house), nowhere, f"{path_of(house)} cannot be copied to {nowhere}: No such file or directory"),
        (path_of(house), text / "copy.db", "Not a directory"),
    ]
    for source, wanted, reason in reasons:
        with pytest.raises(FilesError, match=reason):
            database_files.copy(source, wanted)
    assert names(tmp_path) == ["live"]


@pytest.mark.parametrize("put_back", [database_files.copy, database_files.restore])
def test_a_copy_that_is_cut_off_is_not_there(
    put_back: Callable[[Path, Path], object], house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_: Path) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(database_files, "check", cut)
    with pytest.raises(FilesError, match="No space left on device"):
        put_back(path_of(house), tmp_path / "copy.db")
    assert names(tmp_path) == ["live"]
    house.database.close()


async def test_a_restored_service_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    """The copy is made during calls. The original and the restored service end with equal rows."""
    house = await centre(tmp_path)
    await house.advance(1_234.5)
    assert house.worker.calls_in_progress > 0
    database_files.copy(path_of(house), tmp_path / "copy.db")
    here = digest(house)
    await house.advance(2 * 3_600)
    there = digest(house)
    assert there != here
    house.database.close()
    database_files.restore(tmp_path / "copy.db", path_of(house), overwrite=True)
    house.restart()
    await house.advance(2 * 3_600)
    assert digest(house) == there
    house.database.close()


def test_a_database_that_is_in_use_is_not_replaced(house: House, tmp_path: Path) -> None:
    database_files.copy(path_of(house), tmp_path / "copy.db")
    house.database.read_now(lambda c: c.exec_driver_sql("SELECT 1"))
    for overwrite, reason in ((False, "already exists"), (True, "is in use: stop the server first")):
        with pytest.raises(FilesError, match=reason):
            database_files.restore(tmp_path / "copy.db", path_of(house), overwrite=overwrite)
    house.database.close()


def test_a_damaged_database_is_replaced_with_all_that_belongs_to_it(house: House, tmp_path: Path) -> None:
    """SQLite would apply a left-over write-ahead log to the new database."""
    fill(house)
    database_files.copy(path_of(house), tmp_path / "copy.db")
    house.database.close()
    for rubbish in (b"rubbish " * 4_096, b""):
        path_of(house).write_bytes(rubbish)
        for suffix in ("-wal", "-shm", "-journal"):
            Path(f"{path_of(house)}{suffix}").write_bytes(b"old " * 1_024)
        database_files.restore(tmp_path / "copy.db", path_of(house), overwrite=True)
        assert names(path_of(house).parent) == ["dialer.db"]
        assert database_files.check(path_of(house)) == []


def test_damage_is_found_wherever_it_is(house: House, tmp_path: Path) -> None:
    fill(house)
    house.database.close()
    assert database_files.check(path_of(house)) == []
    assert names(path_of(house).parent) == ["dialer.db"]
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(path_of(house).read_bytes())
    damage(damaged)
    assert database_files.check(damaged) != []
    with closing(sqlite3.connect(path_of(house))) as connection:
        connection.execute("DELETE FROM user_account")
        connection.commit()
    assert "row 1 of payment refers to a row of user_account that is not there" in database_files.check(path_of(house))


def test_compacting_waits_for_nobody_for_ever(house: House) -> None:
    """While others read or write, compacting fails without loss, and can be repeated."""
    fill(house)
    before = len(house.rows(Payment))
    for begin in ("BEGIN; SELECT count(*) FROM payment", "BEGIN IMMEDIATE"):
        with closing(sqlite3.connect(path_of(house), isolation_level=None)) as other:
            for statement in begin.split(";"):
                other.execute(statement).fetchall()
            with pytest.raises(FilesError, match="the database cannot be compacted: "):
                database_files.compact(path_of(house), patience_ms=10)
    assert len(house.rows(Payment)) == before
    database_files.compact(path_of(house))
    assert len(house.rows(Payment)) == before
    house.database.close()
