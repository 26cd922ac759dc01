"""Tests of `dialer settings` and of the settings file."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.settings import SETTINGS
from dialer.settings_file import FILE_BYTES_MAX
from tests.commands.conftest import Outcome, Run
from tests.test_server import ADMIN, VIRTUAL, serving

SECRET: Final = "correct horse battery"
WHOLE: Final = f"""
database_url = "sqlite:///calls.db"
media_dir = "sounds"
admin_username = "anna"
admin_password = "{SECRET}"
clock = "x60"
clock_start = 2026-01-31T09:00:00Z
seed = 7
timezone = "Europe/Berlin"
default_region = "de"
base_url = "https://dialer.example.com"
rate_limit = 600
"""
HELD: Final = {
    "database_url": "sqlite:///calls.db",
    "media_dir": "sounds",
    "admin_username": "anna",
    "admin_password": "***",
    "clock": "x60",
    "clock_start": "2026-01-31T09:00:00Z",
    "seed": 7,
    "timezone": "Europe/Berlin",
    "default_region": "DE",
    "base_url": "https://dialer.example.com",
    "rate_limit": 600,
}


def write(folder: Path, text: str, name: str = "dialer.toml") -> Path:
    """Write a settings file that only its owner can read."""
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return path


def held(outcome: Outcome) -> dict[str, tuple[Any, str]]:
    """Return every setting that a command shows, with its source."""
    assert (outcome.code, outcome.err) == (0, "")
    return {setting["name"]: (setting["value"], setting["from"]) for setting in outcome.data["settings"]}


def test_without_a_file_every_setting_is_the_default(run: Run, tmp_path: Path) -> None:
    shown = run("settings", "--json", DIALER_SECRETS_KEY="")
    assert (shown.data["file"], shown.data["database"]) == (None, str(tmp_path / "dialer.db"))
    assert {source for _, source in held(shown).values()} == {"default"}
    assert [setting["variable"] for setting in shown.data["settings"]] == [setting.variable for setting in SETTINGS]


def test_every_setting_of_the_file_is_read(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, WHOLE)
    shown = run("settings", "--json")
    assert {name: value for name, value in held(shown).items() if name in HELD} == {
        name: (value, "file") for name, value in HELD.items()
    }
    assert (shown.data["file"], shown.data["database"]) == (str(file), str(tmp_path / "calls.db"))
    assert SECRET not in shown.out


def test_the_environment_goes_before_the_file(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "seed = 7\nrate_limit = 600\n")
    shown = held(run("settings", "--json", DIALER_SEED="8", DIALER_RATE_LIMIT=""))
    assert (shown["seed"], shown["rate_limit"]) == ((8, "environment"), (600, "file"))


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_file_elsewhere_is_named_by_an_option_or_a_variable(run: Run, tmp_path: Path, how: str) -> None:
    write(tmp_path, "seed = 1\n")
    file = write(tmp_path, "seed = 2\n", "other.toml")
    by_option = ("--config", str(file)) if how == "option" else ()
    shown = run(*by_option, "settings", "--json", DIALER_CONFIG="" if by_option else str(file))
    assert held(shown)["seed"] == (2, "file")
    assert shown.data["file"] == str(file)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sed = 7", "'sed' is not a setting: did you mean seed?"),
        ("DIALER_SEED = 7", "'DIALER_SEED' is not a setting: did you mean seed?"),
        ('time_zone = "UTC"', "'time_zone' is not a setting: did you mean timezone?"),
        ("seed = -1", "seed is '-1': it may hold a whole number from 0 to 9223372036854775807"),
        (
            f"seed = 0x{'f' * 5_000}",
            "seed is neither a text nor a number nor a timestamp: it may hold a whole number from 0 to",
        ),
        ("seed = true", "seed is 'true': it may hold a whole number"),
        ("seed = [7]", "seed is neither a text nor a number nor a timestamp: it may hold a whole number from 0 to"),
        ('clock = "fast"', "clock is 'fast': it may hold real, virtual (advanced by request) or xN"),
        ('admin_username = "a b"', "admin_username is 'a b': it may hold 1 to 150 characters"),
    ],
)
def test_a_wrong_setting_names_the_file_the_key_and_the_values(run: Run, tmp_path: Path, text: str, line: str) -> None:
    write(tmp_path, text)
    outcome = run("settings", DIALER_SEED="5")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert outcome.err.startswith(f"dialer: dialer.toml: {line}")


def test_a_key_that_resembles_none_is_answered_with_all(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "xyzzy = 1")
    keys = ", ".join(setting.key for setting in SETTINGS)
    assert run("settings") == Outcome(1, "", f"dialer: dialer.toml: 'xyzzy' is not a setting: it may hold {keys}\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"seed", "is not TOML: "),
        (b"seed = 1\nseed = 2", "is not TOML: "),
        (b"\xff", "is not TOML: "),
        (b"x=" + b"[" * 100_000, "is not TOML: "),
        (b"seed = " + b"9" * 5_000, "is not TOML: "),
        (b"#" * (FILE_BYTES_MAX + 1), "has more than 256 KiB"),
    ],
)
def test_a_file_that_cannot_be_understood_is_told_in_one_line(
    run: Run, tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "dialer.toml").write_bytes(content)
    outcome = run("settings")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert outcome.err.startswith(f"dialer: the settings file dialer.toml {reason}")


@pytest.mark.parametrize(("name", "reason"), [("none.toml", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_is_named_must_be_there(run: Run, name: str, reason: str) -> None:
    line = f"dialer: the settings file {name} cannot be read: {reason}\n"
    assert run("--config", name, "settings") == Outcome(1, "", line)


def test_a_password_that_everybody_can_read_is_warned_of(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, f'admin_username = "anna"\nadmin_password = "{SECRET}"\n')
    assert run("settings").err == ""
    file.chmod(0o644)
    line = "dialer.toml holds a password, and every user of this machine can read it: chmod 600 dialer.toml\n"
    assert run("settings").err == line
    write(tmp_path, "seed = 1").chmod(0o644)
    assert run("settings").err == ""


def test_every_secret_is_marked_as_one() -> None:
    names = ("password", "secret", "key", "token")
    assert {s.variable for s in SETTINGS if s.variable.lower().endswith(names)} <= {
        s.variable for s in SETTINGS if s.is_secret
    }


def test_the_service_uses_the_file_and_commands_the_settings_of_the_service(run: Run, tmp_path: Path) -> None:
    write(tmp_path, 'clock = "virtual"\nclock_start = 2026-01-31T09:00:00Z\nseed = 7\n')
    with serving(tmp_path, **ADMIN) as served:
        clock = served.client.get("clock/").json()
        assert clock == {"now": "2026-01-31T09:00:00Z", "mode": "virtual", "seed": 7}
        shown = held(run("settings", "--json"))
        assert (shown["clock"], shown["timezone"]) == (("virtual", "database"), ("UTC", "database"))
        assert shown["media_dir"] == (str(tmp_path / "media"), "database")
        assert shown["seed"] == (7, "file")
        write(tmp_path, 'timezone = "Asia/Tokyo"\n')
        ignored = run("settings", "--json", DIALER_CLOCK="real")
        assert ignored.err == (
            "Ignored DIALER_CLOCK='real' of this terminal and DIALER_TIMEZONE='Asia/Tokyo' of dialer.toml: the service"
            " was last started with DIALER_CLOCK='virtual' and DIALER_TIMEZONE='UTC'.\n"
        )
        assert {setting["name"]: setting["value"] for setting in ignored.data["settings"]}["timezone"] == "UTC"


def test_a_database_that_cannot_be_read_is_told_and_the_rest_is_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dialer.db").write_text("not a database " * 100)
    shown = run("settings", "--json")
    assert shown.code == 0
    assert len(shown.data["settings"]) == len(SETTINGS)
    assert shown.err.startswith("Settings of the database are left out: the database cannot be read: ")


def test_the_table_shows_what_is_unset_and_where_the_rest_is_from(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "seed = 7")
    lines = [line.split() for line in run("settings", DIALER_CLOCK="virtual").out.splitlines()]
    assert ["DIALER_SEED", "7", "file", "dialer.toml"] in lines
    assert ["DIALER_CLOCK", "virtual", "environment"] in lines
    assert ["DIALER_RATE_LIMIT", "unset", "default"] in lines


def test_a_copied_folder_keeps_its_settings_and_its_own_recordings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with serving(tmp_path / "old", **ADMIN, **VIRTUAL, DIALER_MEDIA_DIR=str(tmp_path / "old" / "sounds")) as served:
        served.end()
    (tmp_path / "old").rename(tmp_path / "new")
    shown = held(run("settings", "--json", DIALER_DATABASE_URL=f"sqlite:///{tmp_path}/new/dialer.db"))
    assert shown["media_dir"] == (str(tmp_path / "new" / "sounds"), "database")
