"""Deletion by filter: all records that the filters select, or none."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from dialer.resources.crud import deleting
from dialer.resources.crud.filters import filters_of
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from dialer.store.tables import Contact, Phonebook
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, FakeWorker, Json

DELETABLE = [resource for resource in RESOURCES if resource.write is not None and "DELETE" in resource.methods]


@pytest.fixture
def book(alice: Caller) -> Json:
    """Create a phonebook of Alice's with three contacts, ids 1 to 3."""
    book = alice.create("phonebook", name="friends")
    for place, name in enumerate(("Ann", "Ben", "Anna")):
        alice.create("contact", contact=f"+1202555010{place}", full_name=name, phonebook=book["url"])
    return book


def left(caller: Caller, path: str = "contact/") -> list[int]:
    return [record["id"] for record in caller.get(path)["results"]]


def cleared(caller: Caller, path: str) -> tuple[int, Json]:
    answer = caller.request("DELETE", path)
    return answer.status_code, answer.json()


@pytest.mark.usefixtures("book")
def test_what_the_filters_select_is_deleted_and_the_worker_is_told(alice: Caller, worker: FakeWorker) -> None:
    settled = worker.settled
    count = alice.get("contact/", search="ann")["count"]
    assert cleared(alice, f"contact/?search=ann&confirm={count}") == (200, {"deleted": 2})
    assert left(alice) == [2]
    assert worker.settled >= settled
    assert cleared(alice, "contact/?search=ann&confirm=0") == (200, {"deleted": 0})


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("confirm", [0, 1, 3])
def test_nothing_is_deleted_if_the_number_has_changed(alice: Caller, confirm: int) -> None:
    message = f"The filters select 2 records now, not {confirm}. Nothing was deleted. To delete them, send confirm=2."
    assert cleared(alice, f"contact/?search=ann&confirm={confirm}") == (409, {"detail": message})
    assert left(alice) == [1, 2, 3]


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("confirm=3", ["non_field_errors"]),
        ("search=&confirm=3", ["search"]),
        ("full_name=&confirm=3", ["full_name"]),
        ("phonebok_id=1&confirm=3", ["phonebok_id"]),
        ("phonebook_id=1&page=1&confirm=3", ["page"]),
        ("phonebook_id=1&ordering=id&confirm=3", ["ordering"]),
        ("phonebook_id=1", ["confirm"]),
        ("phonebook_id=1&confirm=three", ["confirm"]),
        ("phonebook_id=1&confirm=-1", ["confirm"]),
        ("phonebook_id=one&confirm=3", ["phonebook_id"]),
        ("phonebook_id=1&confirm=1001", ["confirm"]),
        ("", ["confirm"]),
    ],
)
def test_an_order_that_could_delete_too_much_is_refused(alice: Caller, query: str, fields: list[str]) -> None:
    status, errors = cleared(alice, f"contact/?{query}")
    assert (status, list(errors)) == (400, fields)
    assert left(alice) == [1, 2, 3]


def test_more_than_the_limit_is_refused_with_advice(alice: Caller, book: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "DELETED_AT_ONCE_MAX", 2)
    advice = (
        "At most 2 records are deleted at once, not 3. Narrow the filters, or delete the record that they belong to."
    )
    assert cleared(alice, f"contact/?phonebook_id={book['id']}&confirm=3") == (400, {"confirm": [advice]})


def test_if_one_record_is_still_used_none_is_deleted(estate: Estate) -> None:
    owner = estate.owner
    other = owner.create("dnc-list", name="other")
    owner.change(estate.campaign["url"], dnc=estate.dnc["url"])
    status, answer = cleared(owner, "dnc-list/?created_date_after=2000-01-01T00:00:00Z&confirm=2")
    used = f"dnc-list {estate.dnc['id']} cannot be deleted: Still used by campaigns {estate.campaign['id']}."
    assert (status, answer["detail"].startswith(used), answer["detail"].endswith(" Nothing was deleted.")) == (
        409,
        True,
        True,
    )
    assert left(owner, "dnc-list/") == [estate.dnc["id"], other["id"]]


def test_another_users_records_are_neither_counted_nor_deleted(both_estates: tuple[Estate, Estate]) -> None:
    alices, bobs = both_estates
    path = "contact/?search=%2B1202&confirm="
    assert cleared(bobs.owner, f"{path}2")[0] == 409
    assert cleared(bobs.owner, f"{path}1") == (200, {"deleted": 1})
    assert (len(left(alices.owner)), len(left(bobs.owner))) == (1, 0)


@pytest.mark.parametrize("resource", DELETABLE, ids=lambda resource: resource.path)
def test_every_list_whose_records_can_be_deleted_has_it(estate: Estate, resource: Any) -> None:  # noqa: ANN401 - a resource
    nothing = {"after": "2200-01-01T00:00:00Z", "min": "9000000"}
    bounds = {name: item.bound for name, item in filters_of(resource).items() if item.bound in nothing}
    for name, bound in bounds.items():
        path = f"{resource.path}/?{name}={nothing[bound]}&confirm=0"
        assert cleared(estate.admin, path) == (200, {"deleted": 0})
    assert cleared(estate.admin, f"{resource.path}/?confirm=0")[0] == 400


@pytest.mark.parametrize("path", ["cdr", "callrequest", "ledger", "payment"])
def test_records_that_nobody_deletes_cannot_be_deleted_by_filter(admin: Caller, path: str) -> None:
    assert admin.request("DELETE", f"{path}/?confirm=0").status_code == 405


def test_users_without_the_right_to_write_delete_nothing(estate: Estate) -> None:
    assert cleared(estate.owner, "gateway/?name=trunk&confirm=1")[0] == 403


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.sampled_from(["Ann", "Anna", "Ben", "Ada Ann"]), max_size=8),
    text=st.sampled_from(["ann", "anna", "b", "zoe"]),
    off_by=st.integers(-1, 1),
)
def test_exactly_the_records_of_the_list_are_deleted_and_only_if_they_are_as_many(
    alice: Caller, database: Database, names: list[str], text: str, off_by: int
) -> None:
    book = stored(database, Phonebook, user_id=2, name="friends")
    shared = {"phonebook_id": book, "contact": "1", "number": "1", "zone": ""}
    stamps = {"created_date": NOW_MS, "updated_date": NOW_MS}

    def write(connection: Any) -> None:  # noqa: ANN401 - a connection
        connection.execute(delete(Contact))
        for place, name in enumerate(names, 1):
            connection.execute(insert(Contact).values(id=place, full_name=name, **shared, **stamps))

    database.write_now(write)
    page = alice.get("contact/", search=text)
    selected = {record["id"] for record in page["results"]}
    confirm = max(0, page["count"] + off_by)
    status, _ = cleared(alice, f"contact/?search={text}&confirm={confirm}")
    is_right = confirm == len(selected)
    assert status == (200 if is_right else 409)
    everyone = set(range(1, len(names) + 1))
    assert set(left(alice)) == (everyone - selected if is_right else everyone)
