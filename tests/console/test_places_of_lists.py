"""Tests of the console's page of a list for columns that say where a person is: guessed, chosen and turned off."""

import json

import pytest

from tests.api.harness import Caller
from tests.console.test_importing import BOOK, change, chosen, look, press
from tests.console.visitor import Visitor, words

NEW_YORK = "+12125550100"


def meanings(visitor: Visitor) -> list[str]:
    """Return the chosen meanings of the columns on the page that was loaded last."""
    fields = chosen(visitor.page)
    return [fields[f"m{place}"] for place in range(20) if f"m{place}" in fields]


def imported(visitor: Visitor, api: Caller) -> list[tuple[str, dict[str, str]]]:
    """Import the list that was loaded last; return the zone of its own that each person has, and the variables."""
    done = press(visitor, **{"import": "1"})
    assert "Stored" in words(done.text), words(done.text)
    return [(one["tz_code"], json.loads(one["additional_vars"])) for one in api.get("contact/")["results"]]


def table(*rows: tuple[str, ...]) -> bytes:
    return "\n".join(map(";".join, rows)).encode()


def test_columns_that_say_where_a_person_is_have_their_meaning(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    rows = table(("Phone", "Zeitzone", "State", "ZIP code"), (NEW_YORK, "", "CA", "90210"))
    shown = look(alice, BOOK, rows)
    assert meanings(alice) == ["number", "time_zone", "state", "postal_code"]
    for word in ("Time zone of the person", "State or province", "Postal code"):
        assert word in shown
    stored = imported(alice, api)
    assert stored == [("America/Los_Angeles@US", {"Zeitzone": "", "State": "CA", "ZIP code": "90210"})]


def test_a_column_with_another_name_can_be_chosen(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, table(("Phone", "Branch", "State"), (NEW_YORK, "TX", "upstate"), (NEW_YORK[:-1] + "1", "CA", "")))
    assert meanings(alice) == ["number", "variable", "state"]
    assert "is no state or postal code" in change(alice, m1="variable")
    change(alice, m1="state", m2="variable")
    assert meanings(alice) == ["number", "state", "variable"]
    assert imported(alice, api) == [
        ("America/Chicago&America/Denver@US", {"Branch": "TX", "State": "upstate"}),
        ("America/Los_Angeles@US", {"Branch": "CA", "State": ""}),
    ]


@pytest.mark.parametrize(
    ("column", "cell"), [("State", "CA"), ("PLZ", "90210"), ("Time zone", "Europe/Berlin"), ("tz_code", "Asia/Tokyo")]
)
def test_a_column_can_be_turned_off_and_is_a_variable_then(alice: Visitor, api: Caller, column: str, cell: str) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, table(("Phone", column), (NEW_YORK, cell)))
    change(alice, m1="variable")
    assert imported(alice, api) == [("", {column: cell})]


def test_a_column_of_iana_names_is_that_of_the_zone_whatever_its_name(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    rows = [("Phone", "State", "Notes"), (NEW_YORK, "america/chicago", "09/10/2026")]
    rows += [("+12125550101", "America/Denver", "n/a"), ("+12125550102", "?", "a/b"), ("+12125550103", "", "")]
    look(alice, BOOK, table(*rows))
    assert meanings(alice) == ["number", "time_zone", "variable"]
    assert [zone for zone, _ in imported(alice, api)] == ["America/Chicago", "America/Denver", "", ""]


def test_half_of_the_cells_are_not_most_of_them(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, table(("Phone", "Where"), (NEW_YORK, "America/Chicago"), ("+12125550101", "Ohio")))
    assert meanings(alice) == ["number", "variable"]


def test_two_columns_cannot_have_the_state(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, table(("Phone", "State", "Province"), (NEW_YORK, "CA", "ON")))
    assert meanings(alice) == ["number", "state", "variable"]
    assert "Several columns are chosen for “State or province”." in change(alice, m2="state")


def test_an_export_is_read_by_its_own_column_alone(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    rows = (("url", "contact", "tz_code", "additional_vars", "state"), ("u", NEW_YORK, "America/Denver", "{}", "CA"))
    look(alice, BOOK, table(*rows))
    assert meanings(alice)[1:] == ["number", "time_zone", "variable", "variable"]
    assert imported(alice, api) == [("America/Denver", {"state": "CA"})]


def test_do_not_call_lists_have_no_such_meanings(alice: Visitor, api: Caller) -> None:
    api.create("dnc-list", name="Never")
    shown = look(alice, "records/dnc-list/1/import/", table(("Phone", "State"), (NEW_YORK, "CA")))
    assert (meanings(alice), "State or province" in shown) == (["number", "leave_out"], False)
