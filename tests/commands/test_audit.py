"""Tests of `dialer audit`, run as by a shell."""

import sqlite3
from pathlib import Path

from tests.commands.conftest import Outcome, Run
from tests.commands.test_users import create

CLEAN = "1 users, 0 payments, 0 ledger entries, 0 CDRs, 0 text messages, 0 campaigns: nothing differs.\n"
WRONG = "user 1: balance is 0.00007, should be 0.00000, the sum of its entries\n"


def head(run: Run) -> str:
    """Return the last line, which is about the newest entry of the audit log."""
    found = run("audit", "--json").data
    return f"The newest entry of the audit log: {found['audit_entry']}:{found['audit_sha256']}\n"


def tamper(folder: Path) -> None:
    with sqlite3.connect(folder / "dialer.db") as connection:
        connection.execute("UPDATE user_account SET balance = 7")
    connection.close()


def test_a_database_that_is_right_is_0_and_one_that_is_wrong_is_1(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    assert run("audit") == Outcome(0, CLEAN + head(run), "")
    tamper(tmp_path)
    assert run("audit") == Outcome(1, WRONG + CLEAN.replace("nothing differs", "1 differ") + head(run), "")


def test_as_json(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    tamper(tmp_path)
    outcome = run("audit", "--json")
    difference = {"record": "user 1", "field": "balance", "found": "0.00007"}
    assert (outcome.code, outcome.data["differing"], outcome.data["users"]) == (1, 1, 1)
    assert outcome.data["differences"] == [{**difference, "expected": "0.00000, the sum of its entries"}]


def test_it_changes_nothing_while_another_writes(run: Run, tmp_path: Path) -> None:
    """While a writer holds the lock, the audit reads the committed rows."""
    create(run, "anna")
    writer = sqlite3.connect(tmp_path / "dialer.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE user_account SET balance = 7")
    assert run("audit").code == 0
    writer.execute("COMMIT")
    assert run("audit").code == 1
    writer.close()
