"""Tests of `dialer user`: accounts are created on the command line, and passwords are never arguments."""

import sqlite3
from pathlib import Path

import pytest

from dialer.passwords import verify_password
from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.new_database import new_file

START_MS = 1_769_850_000_000
VIRTUAL = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-01-31T09:00:00Z"}


def create(run: Run, *arguments: str, **environ: str) -> Outcome:
    new_file(Path.cwd())  # A copy, because migrations take a second.
    return run("users", "create", *arguments, "--create", "--password-stdin", stdin=f"{PASSWORD}\n", **environ)


def row(folder: Path, column: str) -> object:
    with sqlite3.connect(folder / "dialer.db") as connection:
        (value,) = connection.execute(f"SELECT {column} FROM user_account").fetchone()  # noqa: S608 - a constant of the test
    connection.close()
    return value


def test_a_user_is_created_with_all_options(run: Run) -> None:
    rates = ["--call-rate", "0.02", "--sms-rate", "0.05"]
    created = create(run, "anna", "--admin", *rates, "--first-name", "Anna", "--email", "a@example.com", "--json")
    assert (created.code, created.data, created.err) == (0, {"id": 1, "username": "anna"}, "Created the user anna.\n")
    listed = run("users", "list", "--json")
    account = {"id": 1, "username": "anna", "role": "admin", "enabled": True, "is_admin": True, "currency": ""}
    amounts = {"call_rate": "0.02000", "sms_rate": "0.05000", "balance": "0.00000"}
    assert (listed.code, listed.data) == (0, [{**account, **amounts}])


def test_without_json_nothing_but_data_is_on_standard_output(run: Run) -> None:
    created = create(run, "anna")
    assert (created.code, created.out) == (0, "")
    assert "anna" in run("users", "list").out


def test_the_password_is_stored_as_a_hash(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    assert verify_password(str(row(tmp_path, "password_hash")), PASSWORD)


def test_dates_are_those_of_the_service_clock(run: Run, tmp_path: Path) -> None:
    create(run, "anna", **VIRTUAL)
    assert row(tmp_path, "created_date") == START_MS


@pytest.mark.parametrize("name", ["Ren\u00e9", "REN\u00c9", "rene\u0301", "\uff32\uff45\uff4e\u00e9"])
def test_a_name_is_given_once_however_it_is_spelled(run: Run, name: str) -> None:
    create(run, "Ren\u00e9")
    assert create(run, name) == Outcome(1, "", "dialer: there is a user Ren\u00e9 already; choose another name\n")
    assert [user["username"] for user in run("users", "list", "--json").data] == ["Ren\u00e9"]


def test_a_password_is_changed_by_any_spelling_of_the_name(run: Run, tmp_path: Path) -> None:
    create(run, "Anna")
    changed = run("users", "passwd", "ANNA", "--password-stdin", stdin="another long password\n")
    assert changed == Outcome(0, "", "Changed the password of Anna.\n")
    assert verify_password(str(row(tmp_path, "password_hash")), "another long password")


def test_a_password_can_be_changed(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    changed = run("users", "passwd", "anna", "--password-stdin", stdin="another long password\r\n")
    assert changed == Outcome(0, "", "Changed the password of anna.\n")
    assert verify_password(str(row(tmp_path, "password_hash")), "another long password")


def test_an_unknown_user_has_no_password(run: Run) -> None:
    create(run, "ben")
    changed = run("users", "passwd", "anna", "--password-stdin", stdin=PASSWORD)
    assert changed == Outcome(1, "", "dialer: there is no user anna\n")


@pytest.mark.parametrize("password", ["", "short", "x" * 2_000])
def test_a_bad_password_is_refused_before_anything_happens(run: Run, tmp_path: Path, password: str) -> None:
    outcome = run("users", "create", "anna", "--create", "--password-stdin", stdin=password)
    assert outcome.code == 2
    assert "a password has 12 to 1024 characters" in outcome.err
    assert not (tmp_path / "dialer.db").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["an:na"],
        [""],
        ["a b"],
        ["a" * 151],
        ["anna", "--call-rate", "-1"],
        ["anna", "--call-rate", "NaN"],
        ["anna", "--call-rate", "0.000001"],
        ["anna", "--call-rate", "1e-1000100"],
        ["anna", "--sms-rate", "1e1000001"],
        ["anna", "--sms-rate", "1_0"],
        ["anna", "--first-name", "x" * 256],
        ["anna", "--email", "a\nb"],
        ["anna", "--password", PASSWORD],
        [],
    ],
)
def test_wrong_usage_is_exit_code_2_in_one_line(run: Run, arguments: list[str]) -> None:
    outcome = create(run, *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("dialer: ")
    assert PASSWORD not in outcome.err


@pytest.mark.parametrize(("options", "stays"), [((), False), (("--keep-keys",), True)])
def test_a_new_password_revokes_keys_unless_they_are_to_be_kept(
    run: Run, options: tuple[str, ...], *, stays: bool
) -> None:
    assert run("users", "create", "anna", "--create", "--password-stdin", stdin=PASSWORD).code == 0
    assert run("keys", "create", "anna", "--name", "program").code == 0
    assert run("users", "passwd", "anna", "--password-stdin", *options, stdin="another long password").code == 0
    assert bool(run("keys", "list", "--json").data) == stays


def test_a_second_factor_that_does_not_exist_cannot_be_turned_off(run: Run) -> None:
    assert run("users", "create", "anna", "--create", "--password-stdin", stdin=PASSWORD).code == 0
    outcome = run("users", "reset-second-factor", "anna")
    assert outcome[:2] == (1, "")
    assert outcome.err == "dialer: The user has no second factor.\n"
