"""Orderings of lists: the pages of any records, in any order, however they are read, and whatever changes meanwhile."""

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from dialer.domain.numbers.search_keys import name_key
from dialer.resources.crud import list_queries
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, Contact, Phonebook, Subscriber
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, NOW_MS, Caller, Json

Rows = list[dict[str, Any]]

WAYS = [0, 1, 4, 5_000]
"""Limits of the records that are sorted for a page: with a low one, the index of the ordering is walked."""
NAMES = st.sampled_from(
    ["", "Ann", "ann", "Ánn", "Öd", "Zoë Smith", "John Smith", "smith", "Ⅷ", "ß", "O'Brien", "李雷"]
)
CONTACTS = st.lists(
    st.fixed_dictionaries({"full_name": NAMES, "number": st.integers(0, 5), "created_date": st.integers(0, 3)}),
    max_size=12,
)
KEYS: dict[str, Callable[[Json], Any]] = {
    "full_name": lambda row: name_key(row["full_name"]),
    "contact": lambda row: row["number"],
    "created_date": lambda row: row["created_date"],
    "id": lambda row: row["id"],
}
ORDERS = st.sampled_from([f"{sign}{field}" for field in sorted(KEYS) for sign in ("", "-")])
PROPERTY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def contacts(database: Database, book: int, drawn: Rows, first_id: int = 1) -> Rows:
    """Replace all contacts, and return their rows."""
    rows = []
    for place, row in enumerate(drawn):
        number = f"+1202555010{row['number']}"
        more = {"phonebook_id": book, "contact": number, "number": number, "zone": "", "updated_date": NOW_MS}
        rows.append({**row, **more, "id": first_id + place})

    def write(connection: Any) -> None:  # noqa: ANN401 - a connection
        if first_id == 1:  # A new example begins.
            connection.execute(delete(Contact))
        for row in rows:
            connection.execute(insert(Contact).values(row))

    database.write_now(write)
    return rows


def drop(database: Database, identity: int) -> None:
    statement = delete(Contact).where(Contact.id == identity)
    database.write_now(lambda connection: connection.execute(statement))


def in_order(rows: Rows, order: str) -> list[int]:
    key = KEYS[order.removeprefix("-")]
    return [row["id"] for row in sorted(rows, key=lambda row: (key(row), row["id"]), reverse=order.startswith("-"))]


def followed(caller: Caller, page: Json, link: str = "next") -> list[Json]:
    """Return a page and those after it, by their links."""
    pages = [page]
    while pages[-1][link]:
        pages.append(caller.get(pages[-1][link]))
    return pages


def ids(page: Json) -> list[int]:
    return [record["id"] for record in page["results"]]


@pytest.fixture
def book(database: Database) -> int:
    return stored(database, Phonebook, user_id=2, name="friends")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Set the limit of the records that are sorted for a page."""
    monkeypatch.setattr(list_queries, "SORTED_MAX", request.param)
    return int(request.param)


@pytest.mark.usefixtures("way")
@PROPERTY
@given(drawn=CONTACTS, order=ORDERS, size=st.integers(1, 5))
def test_pages_are_the_sorted_records_forwards_and_backwards(
    alice: Caller, database: Database, book: int, drawn: Rows, order: str, size: int
) -> None:
    rows = contacts(database, book, drawn)
    pages = followed(alice, alice.get("contact/", ordering=order, page_size=size))
    assert [identity for page in pages for identity in ids(page)] == in_order(rows, order)
    assert {page["count"] for page in pages} == {len(rows)}
    assert list(map(ids, followed(alice, pages[-1], "previous"))) == list(map(ids, reversed(pages)))
    for number, page in enumerate(pages, 1):
        assert ids(alice.get("contact/", ordering=order, page_size=size, page=number)) == ids(page)
    whole = alice.request("GET", f"contact/?ordering={order}&format=ndjson").text
    assert [json.loads(line)["id"] for line in whole.splitlines()] == in_order(rows, order)


@pytest.mark.usefixtures("way")
@PROPERTY
@given(drawn=CONTACTS, added=CONTACTS, gone=st.sets(st.integers(1, 12)), order=ORDERS)
def test_whatever_comes_and_goes_no_record_comes_twice_and_none_that_stays_is_missed(
    alice: Caller, database: Database, book: int, drawn: Rows, added: Rows, gone: set[int], order: str
) -> None:
    staying = {row["id"] for row in contacts(database, book, drawn)} - gone
    found, target, leaving = [], f"{BASE}/contact/?ordering={order}&page_size=2", sorted(gone)
    while target:
        page = alice.get(target)
        found += ids(page)
        target = page["next"]
        if added:
            contacts(database, book, added[:1], first_id=100 - len(added))
            added = added[1:]
        if leaving:
            drop(database, leaving.pop())
    assert len(found) == len(set(found))
    assert staying <= set(found)


@pytest.mark.usefixtures("way")
def test_records_without_a_value_come_first_and_last_in_the_other_direction(alice: Caller, database: Database) -> None:
    dates = {"startingdate": 0, "expirationdate": 1}
    campaign = stored(database, Campaign, user_id=2, name="one", campaign_code="A", object_id=1, **dates)
    for place, last_attempt in enumerate([5, None, 3, None, 5, None]):
        number = f"+1202555010{place}"
        values = {"duplicate_contact": number, "number": number, "zone": "", "last_attempt": last_attempt}
        stored(database, Subscriber, campaign_id=campaign, **values)
    for ordering, wanted in (("last_attempt", [2, 4, 6, 3, 1, 5]), ("-last_attempt", [5, 1, 3, 6, 4, 2])):
        found: list[int] = []
        answer = alice.request("GET", f"subscriber-list/?ordering={ordering}&page_size=2")
        while True:
            found += [record["id"] for record in answer.json()]
            if "next" not in answer.links:
                break
            answer = alice.request("GET", answer.links["next"]["url"])
        assert found == wanted
        before = alice.request("GET", answer.links["prev"]["url"])
        assert [record["id"] for record in before.json()] == wanted[2:4]
        whole = alice.request("GET", f"subscriber-list/?ordering={ordering}&format=ndjson")
        assert [record["id"] for record in map(json.loads, whole.text.splitlines())] == wanted


def test_a_short_list_is_ordered_by_several_fields(alice: Caller) -> None:
    for name in ("b", "A", "a", "B"):
        alice.create("phonebook", name=name)
    assert ids(alice.get("phonebook/", ordering="name,-id")) == [3, 2, 4, 1]
    assert ids(alice.get("phonebook/", ordering="-name, id")) == [1, 4, 2, 3]
    pages = followed(alice, alice.get("phonebook/", ordering="created_date,-name", page_size=1))
    assert [ids(page) for page in pages] == [[1], [4], [2], [3]]


def test_an_ordering_that_is_not_offered_is_refused_with_those_that_are(alice: Caller) -> None:
    known = "Use one of: id, full_name, contact, created_date."
    for given_, shown in (("additional_vars", "additional_vars"), ("-zone", "zone"), ("full_name,", "")):
        message = f'"{shown}" cannot order this list. {known}'
        assert alice.refused("GET", f"contact/?ordering={given_}") == (400, {"ordering": [message]})
    twice = {"ordering": ["A field is given twice. Give each field once."]}
    assert alice.refused("GET", "phonebook/?ordering=name,-name") == (400, twice)
    many = {"ordering": ["Order this list by at most 1 of: id, full_name, contact, created_date."]}
    assert alice.refused("GET", "contact/?ordering=full_name,contact") == (400, many)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_every_ordering_of_every_list_is_answered(estate: Estate, resource: Any) -> None:  # noqa: ANN401 - a resource
    for field in resource.orderings:
        for ordering in (field, f"-{field}"):
            assert estate.admin.request("GET", f"{resource.path}/?ordering={ordering}").status_code == 200


@PROPERTY
@given(
    text=st.text(max_size=40) | st.text("ab0123456789-_WyJ", max_size=40),
    ordering=st.sampled_from(["", "full_name", "-created_date", "contact", "-id"]),
)
def test_any_text_as_a_cursor_is_a_page_or_not_found(alice: Caller, book: int, text: str, ordering: str) -> None:
    assert book
    answer = alice.request("GET", f"contact/?ordering={ordering}&page=2&cursor={quote(text, errors='ignore')}")
    assert answer.status_code in {200, 404}


@pytest.mark.parametrize(
    "values", ['["\\ud800",1]', '["\\u0000",0]', "[null,1]", "[1,1]", '["a",1,1]', '["a",true]', '["a",1e400]', "9"]
)
def test_a_damaged_cursor_is_not_found(alice: Caller, values: str) -> None:

    cursor = "a" + base64.urlsafe_b64encode(values.encode()).decode().rstrip("=")
    answer = alice.refused("GET", f"contact/?ordering=full_name&page=2&cursor={cursor}")
    assert answer == (404, {"detail": "Invalid page."})


def test_a_cursor_of_another_ordering_is_not_found(alice: Caller, database: Database, book: int) -> None:
    contacts(database, book, [{"full_name": str(n), "number": n % 6, "created_date": n} for n in range(12)])
    cursor = alice.get("contact/", ordering="full_name")["next"].partition("cursor=")[2]
    for ordering in ("created_date", ""):
        answer = alice.refused("GET", f"contact/?ordering={ordering}&page=2&cursor={cursor}")
        assert answer == (404, {"detail": "Invalid page."})
