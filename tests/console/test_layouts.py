"""Whole lists after real exporters, in many scripts: each is read right, or a sentence asks."""

import re
from typing import Any

import openpyxl
import pytest
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.tables import Contact, DncContact
from tests.api.harness import Caller
from tests.console.layouts.latin import LATIN
from tests.console.layouts.layout import Layout
from tests.console.layouts.scripts import SCRIPTS
from tests.console.test_importing import change, look, press
from tests.console.visitor import Visitor, words
from tests.console.workbooks import saved

LAYOUTS = LATIN | SCRIPTS
BUTTON = 'name="import"'


def outcome(database: Database, into: str) -> str:
    """Return the people and the numbers that must not be called, a line each."""
    people = database.read_now(
        lambda connection: list(connection.execute(select(Contact.number, Contact.full_name).order_by(Contact.id)))
    )
    numbers = database.read_now(lambda connection: list(connection.scalars(select(DncContact.number))))
    mark = "" if into == "dnc-list" else "no "
    lines = [*(f"{number} {name}".strip() for number, name in people), *(f"{mark}{number}" for number in numbers)]
    return "\n".join(sorted(lines))


def count_of(page: str, label: str) -> int:
    """Return a count of the page of a list; 0 if it is not there."""
    found = re.search(rf"{label} ([0-9,]+)", page)
    return int(found[1].replace(",", "")) if found else 0


def run(visitor: Visitor, api: Caller, database: Database, layout: Layout) -> None:
    api.request("PATCH", "own-settings/", json={"default_region": layout.country})
    made = api.create(layout.into, name="List")
    shown = look(visitor, f"records/{layout.into}/{made['id']}/import/", layout.content, "list.csv")
    assert layout.asks in shown
    assert (BUTTON not in visitor.page) == bool(layout.asks), shown
    if layout.answer:
        shown = change(visitor, answer=layout.answer)
    if layout.changed:
        change(visitor, **layout.changed)
    done = words(press(visitor, **{"import": "1"}).text)
    assert outcome(database, layout.into) == "\n".join(sorted(layout.becomes.splitlines()))
    counts = (count_of(done, "Refused"), count_of(done, "Totals and notes, left out"))
    assert counts == (layout.refused, layout.left_out)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_as_its_people_would(alice: Visitor, api: Caller, database: Database, name: str) -> None:
    run(alice, api, database, LAYOUTS[name])


def test_an_excel_copy_leaves_out_the_rows_that_a_filter_hides(alice: Visitor, api: Caller, database: Database) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    people = [("Ada Byron", 7400123456), ("Bo Lee", 7400123457), ("Cy Day", 7400123458), ("Total", 3)]
    for row in [("Customer", "Mobile"), *people]:
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    api.request("PATCH", "own-settings/", json={"default_region": "GB"})
    api.create("phonebook", name="List")
    look(alice, "records/phonebook/1/import/", saved(book), "list.xlsx")
    done = words(press(alice, **{"import": "1"}).text)
    assert outcome(database, "phonebook") == "+447400123456 Ada Byron\n+447400123458 Cy Day"
    assert "1 row was hidden in the sheet, and was left out." in done
    assert count_of(done, "Totals and notes, left out") == 1


def test_a_long_american_list_is_asked_about_in_germany(alice: Visitor, api: Caller, database: Database) -> None:
    numbers = [f"201{place:07d}" for place in range(2_340_000, 2_344_980)]
    api.request("PATCH", "own-settings/", json={"default_region": "DE"})
    api.create("phonebook", name="List")
    shown = look(alice, "records/phonebook/1/import/", "\n".join(["Phone", *numbers]).encode())
    assert "From which country are the numbers without one?" in shown
    assert BUTTON not in alice.page
    assert "Import 4,980 people" in change(alice, answer="region:US")
    press(alice, **{"import": "1"})
    assert outcome(database, "phonebook").split("\n") == [f"+1{number}" for number in numbers]


NAMES_LIKE_TOTALS = ["Total Wine", "Summer Total", "Anna Summe", "Count Orlok", "Suma Rao", "Итогова Анна"]


def test_people_with_numbers_are_no_totals(alice: Visitor, api: Caller, database: Database) -> None:
    rows = [f"{name};+4474001234{place}" for place, name in enumerate([*NAMES_LIKE_TOTALS, "Total: 7"], 50)]
    api.create("phonebook", name="List")
    look(alice, "records/phonebook/1/import/", "\n".join(["Name;Phone", *rows, "Total;7", "Count;4980"]).encode())
    done = words(press(alice, **{"import": "1"}).text)
    assert outcome(database, "phonebook").count("\n") == len(NAMES_LIKE_TOTALS)
    assert (count_of(done, "Totals and notes, left out"), count_of(done, "Refused")) == (2, 0)
