"""Tests of starts that fail: `dialer serve` reports the reason in one line."""

import os
import socket
from pathlib import Path

import pytest

from dialer.store.backends.process_lock import serving_alone
from tests.commands.conftest import Run
from tests.new_database import new_file

ADMIN = {"DIALER_ADMIN_USERNAME": "root", "DIALER_ADMIN_PASSWORD": "short"}


def test_a_port_that_is_taken_is_told_before_anything_is_touched(run: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = run("serve", "--port", str(port))
    assert outcome[:2] == (1, "")
    assert outcome.told == [f"cannot serve on 127.0.0.1 port {port}: Address already in use"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "environ", "code", "line"),
    [
        (["--host", "192.0.2.1"], {}, 1, "cannot serve on 192.0.2.1 port 8000"),
        (["--host", "no such host"], {}, 1, "cannot serve on no such host port 8000"),
        (["--workers", "2"], {}, 2, "Invalid value for '--workers'"),
        (["--workers", "0"], {}, 2, "Invalid value for '--workers'"),
        (["--workers", "1", "--port", "99999"], {}, 2, "Invalid value for '--port'"),
        (["--port", "99999"], {}, 2, "Invalid value for '--port'"),
        ([], {"DIALER_CLOCK": "fast"}, 1, "DIALER_CLOCK is 'fast': it may hold real, virtual"),
        ([], ADMIN, 1, "DIALER_ADMIN_PASSWORD is ***: a password has 12 to 1024 characters"),
        ([], {"DIALER_DATABASE_URL": "sqlite:////nowhere/x.db"}, 1, "the database cannot be opened"),
    ],
)
def test_one_line_says_why(run: Run, arguments: list[str], environ: dict[str, str], code: int, line: str) -> None:
    outcome = run("serve", "--port", "0", *arguments, **environ)
    assert outcome[:2] == (code, "")
    (told,) = outcome.told
    assert told.startswith(line.replace("8000", "0"))
    assert (outcome.err[:1] == "{") == (code == 1)


@pytest.mark.parametrize(("clock", "is_told"), [("virtual", True), ("x60", True), ("real", False)])
def test_a_clock_that_turns_real_by_default_is_told(run: Run, clock: str, is_told: bool) -> None:  # noqa: FBT001 - a column of the table
    """The wrong password ends both starts after the settings are stored."""
    new_file(Path.cwd())
    first = run("serve", "--port", "0", DIALER_CLOCK=clock, **ADMIN)
    second = run("serve", "--port", "0", **ADMIN)
    warning = (
        f"Warning: the clock is real now, and was {clock} at the last start. To keep that one, set"
        f" DIALER_CLOCK={clock}."
    )
    assert second.told == [*([warning] if is_told else []), *first.told]
    assert run("serve", "--port", "0", DIALER_CLOCK="real", **ADMIN).told == first.told


def test_rows_of_law_that_hold_otherwise_than_before_are_told(run: Run) -> None:
    """The wrong password ends the starts after the settings are stored."""
    new_file(Path.cwd())
    off = {"DIALER_CONTACT_RULES": "off", "DIALER_ALLOW_ANY_CONTACT": "yes-i-answer-for-it"}
    first, same, switched_off, back = (
        run("serve", "--port", "0", **ADMIN, **setting) for setting in ({}, {}, off, {"DIALER_CONTACT_RULES": "on"})
    )
    holds = "Warning: rows of law hold {} now (DIALER_CONTACT_RULES), and held {} before this start."
    everywhere = " That is so for all processes of the service."
    assert same.told == first.told
    assert switched_off.told == [holds.format("nowhere", "on real gateways") + everywhere, *first.told]
    assert back.told == [holds.format("on all gateways", "nowhere") + everywhere, *first.told]


@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("file", "it is not a folder"),
        ("file/below", "cannot write there: Not a directory"),
        ("loop", "it is not a folder"),
        ("x" * 300, "cannot write there: File name too long"),
    ],
)
def test_a_media_folder_that_cannot_be_written_is_refused(run: Run, tmp_path: Path, folder: str, problem: str) -> None:
    new_file(tmp_path)
    (tmp_path / "file").write_text("a file")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    outcome = run("serve", "--port", "0", DIALER_MEDIA_DIR=folder)
    line = f"DIALER_MEDIA_DIR is {folder!r}: {problem}; set it to a folder that the service may write"
    assert (outcome.code, outcome.told) == (1, [line])


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root")
def test_a_media_folder_that_is_read_only_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir(mode=0o500)
    outcome = run("serve", "--port", "0")
    (told,) = outcome.told
    assert told.startswith("DIALER_MEDIA_DIR is 'media': cannot write there: Permission denied; ")


def test_a_database_that_is_served_already_is_left_alone(run: Run, tmp_path: Path) -> None:
    """A second server would dial the callees of the first. Every other command may run beside a server."""
    assert run("database", "upgrade", "--create").code == 0
    with serving_alone(tmp_path / "dialer.db"):
        outcome = run("serve", "--port", "0")
        assert (outcome.code, outcome.told) == (1, ["another process serves dialer.db already"])
        assert run("database", "check").code == 0
    with serving_alone(tmp_path / "dialer.db"):
        pass


def test_the_help_lists_every_setting_with_its_default(run: Run) -> None:
    helped = run("serve", "--help").out
    assert "DIALER_DATABASE_URL" in helped
    assert "sqlite+aiosqlite:///dialer.db" in helped
    assert "DIALER_BASE_URL" in helped
