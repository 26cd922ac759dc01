"""Tests of the counts of names by phonebook: they equal a count of the contacts, whatever was done to these."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select

from dialer.app.contacts.contacts import add_contact, change_contact, delete_contact
from dialer.app.imports.bulk import NewContact, add_contacts
from dialer.app.work.unit import UnitOfWork
from dialer.domain.messages.templates import values_of
from dialer.domain.survey.placeholders import Having, KnownNames
from dialer.store.rows import contact_names
from dialer.store.rows.contact_names import count_added, count_removed, names_of_phonebooks
from dialer.store.tables import Contact
from tests.runtime.house import House

VARIABLES: Final = st.dictionaries(
    st.sampled_from(["plan", "City", "Order number", "{x}", ""]), st.sampled_from(["", "a", None])
)
CONTACTS: Final = st.lists(
    st.tuples(st.sampled_from(["", " ", "Ada", "Ada\tByron", " Ada  Byron "]), VARIABLES), max_size=5
)


@pytest.fixture
def books(house: House) -> House:
    """Return a house with the phonebooks 1 and 2, which have a contact each."""
    house.phonebook("+12025550100")
    house.phonebook("+12025550101")
    return house


def new(phonebook_id: int, full_name: str, variables: dict[str, Any], number: str = "+12025550177") -> NewContact:
    return NewContact(phonebook_id, number, number, "", full_name, json.dumps(variables))


def names(house: House, *phonebooks: int) -> KnownNames:
    return house.database.read_now(lambda connection: names_of_phonebooks(connection, phonebooks or (1, 2)))


def test_names_are_counted_as_contacts_come_change_and_go(books: House) -> None:
    def work(unit: UnitOfWork) -> None:
        add_contacts(unit, [new(1, "Ada Byron", {"plan": "gold"}), new(2, "", {"plan": "", "city": "Oslo"})])
        values = new(1, "Bob", {"plan": 7})._asdict() | {"created_date": 0, "updated_date": 0}
        row = add_contact(unit, values)
        change_contact(unit, row.id, {"additional_vars": '{"city": "Rome"}', "phonebook_id": 2})

    books.perform(work)
    found = names(books)
    assert found.is_complete
    assert {name: found.names.get(name) for name in ("plan", "city", "last_name")} == {
        "plan": Having(2, 1),
        "city": Having(2, 2),
        "last_name": Having(found.people, 1),
    }
    ids = [row["id"] for row in books.rows(Contact)]
    for contact_id in ids:
        books.perform(partial(delete_contact, contact_id=contact_id))
    assert names(books) == KnownNames(0, {}, is_complete=True)


def test_a_phonebook_with_too_many_names_is_not_judged(books: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_names, "NAMES_MAX", 10)
    books.perform(lambda unit: add_contacts(unit, [new(1, "", {"plan": "x"})]))
    many = {f"column_{number}": "x" for number in range(20)}
    books.perform(lambda unit: add_contacts(unit, [new(1, "", {**many, "plan": "y"})]))
    found = names(books, 1)
    assert (found.is_complete, found.names["plan"], "column_1" in found.names) == (False, Having(2, 2), False)
    assert names(books, 2).is_complete


def test_contacts_that_were_never_counted_leave_names_open(books: House) -> None:
    row = new(2, "Ada", {})._asdict() | {"user_id": 1, "created_date": 0, "updated_date": 0}
    for one in books.rows(Contact):
        books.perform(partial(delete_contact, contact_id=one["id"]))
    books.database.write_now(lambda connection: connection.execute(insert(Contact).values(row)))
    assert not names(books, 2).is_complete
    assert names(books, 1).is_complete


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a house for all examples, each of which makes phonebooks of its own."""
    one = House(tmp_path_factory.mktemp("names"))
    yield one
    one.database.close()


@given(CONTACTS, CONTACTS, st.data())
def test_the_counts_equal_a_count_of_the_contacts(
    shared: House,
    first: list[tuple[str, dict[str, Any]]],
    second: list[tuple[str, dict[str, Any]]],
    data: st.DataObject,
) -> None:
    books = (shared.phonebook(), shared.phonebook())
    rows = [new(book, *person) for book, persons in zip(books, (first, second), strict=True) for person in persons]
    for contact_id in shared.perform(lambda unit: add_contacts(unit, rows)):
        match data.draw(st.sampled_from(["keep", "delete", "change", "move"])):
            case "delete":
                shared.perform(partial(delete_contact, contact_id=contact_id))
            case "change":
                values: dict[str, Any] = {"full_name": "Eve", "additional_vars": '{"plan": "b"}'}
                shared.perform(partial(change_contact, contact_id=contact_id, values=values))
            case "move":
                shared.perform(partial(change_contact, contact_id=contact_id, values={"phonebook_id": books[1]}))
            case _:
                pass
    before = names(shared, *books)
    of_books = [row for row in shared.rows(Contact) if row["phonebook_id"] in books]
    texts = [values_of(row["full_name"], row["additional_vars"], "1") for row in of_books]
    assert before.people == len(texts)
    for name, having in before.names.items():
        assert having == Having(
            sum(name in one for one in texts), sum(bool(one.get(name, "").strip()) for one in texts)
        )
    shared.perform(partial(count_again, books=books))
    assert names(shared, *books) == before


def count_again(unit: UnitOfWork, books: tuple[int, int]) -> None:
    """Take back all counts, and count the contacts again."""
    connection = unit.connection
    of_books = Contact.phonebook_id.in_(books)
    count_removed(connection, select(Contact.id).where(of_books))
    assert names_of_phonebooks(connection, books).people == 0
    query = select(Contact.phonebook_id, Contact.full_name, Contact.additional_vars).where(of_books)
    for row in connection.execute(query).all():
        count_added(connection, row.phonebook_id, [(row.full_name, row.additional_vars)])
