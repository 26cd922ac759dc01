"""Tests of `dialer rules`, run as by a shell."""

import sqlite3
from pathlib import Path

from tests.commands.conftest import Outcome, Run
from tests.commands.test_users import create

OWN = """INSERT INTO contact_rule (user_id, name, source, purposes, most, period, unit, created_date, updated_date)
         VALUES (1, 'Twice a week', '', '', 2, 7, 'days', 0, 0)"""
SWITCHED_OFF = """INSERT INTO contact_rule (row, name, source, purposes, most, period, unit, created_date, updated_date,
                                           enabled, switched_by, switched_date)
                  VALUES ('jp-rest', '', '', '', 0, 9999, 'days', 0, 0, 0, 'root', 1795000000000)"""


def test_rows_in_force_on_a_day_are_shown_with_their_sources_and_those_of_accounts(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        connection.execute(OWN)
    connection.close()
    shown = run("rules", "--country", "fr", "--on", "2026-08-11", "--json").data
    assert [(row["row"], row["from_date"], row["until_date"]) for row in shown["rows"]] == [
        ("fr-cap", "2023-03-01", None),
        ("fr-rest-for-good", "2026-08-11", None),
    ]
    assert [(rule["user"], rule["name"], rule["in_words"]) for rule in shown["rules"]] == [
        ("anna", "Twice a week", "At most 2 calls in 7 days to a number, over all campaigns of the account."),
    ]
    before = run("rules", "--country", "FR", "--on", "2026-08-10", "--json").data
    assert [row["row"] for row in before["rows"]] == ["fr-cap", "fr-rest"]
    text = run("rules", "--country", "JP").out
    assert text.startswith("jp-rest  on  sales\n")
    assert "  Specified Commercial Transactions Act, art. 17, read 2026-11-28: verified\n" in text
    assert text.endswith("1 rows of law and 1 rules of accounts. Nothing here is legal advice.\n")


def test_a_row_that_an_admin_has_switched_off_is_shown_with_who_and_when(run: Run, tmp_path: Path) -> None:
    create(run, "anna")
    with sqlite3.connect(tmp_path / "dialer.db") as connection:
        connection.execute(SWITCHED_OFF)
    connection.close()
    text = run("rules", "--country", "JP").out
    assert text.startswith("jp-rest  off  sales\n")
    assert "  switched off by root, 2026-11-18 11:06:40 UTC\n" in text
    (row,) = run("rules", "--country", "JP", "--json").data["rows"]
    assert (row["enabled"], row["switched_by"], row["switched_date"]) == (False, "root", "2026-11-18T11:06:40Z")


def test_a_country_that_does_not_exist_is_named(run: Run) -> None:
    create(run, "anna")
    wrong = "dialer: 'XX' is no ISO 3166 code of a country, such as US\n"
    assert run("rules", "--country", "xx") == Outcome(1, "", wrong)
