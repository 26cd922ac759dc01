"""Use cases that add many contacts, or many numbers that must not be called, in one unit of work."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, bindparam, func, select

from dialer.app.work.events import ContactsImported, NumbersCalledOff
from dialer.app.work.touched_records import touched_campaigns, users_of_dnc
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.entries import entry_doubt
from dialer.domain.numbers.search_keys import name_key
from dialer.domain.words.proof import WishSource
from dialer.store.database.bulk import ASKED_AT_ONCE, Bulk, bulk_insert
from dialer.store.database.touched import NOTHING
from dialer.store.rows.contact_names import count_added
from dialer.store.rows.joining.contact_collection import collect_phonebook
from dialer.store.rows.wishes import withdraw_listed
from dialer.store.tables import Contact, DncContact, DncList, Phonebook

_STAMPS: Final = ("created_date", "updated_date")


class NewContact(NamedTuple):
    """The columns of a contact that is added to a phonebook."""

    phonebook_id: int
    contact: str
    number: str
    zone: str
    full_name: str
    additional_vars: str
    tz_code: str = ""


class NewEntry(NamedTuple):
    """The columns of a number that is put on a do-not-call list."""

    dnc_id: int
    phone_number: str
    number: str
    said: str = ""
    """An earlier proof, in words."""


_ADD_CONTACTS: Final = bulk_insert(Contact.__table__, *NewContact._fields, "full_name_key", "user_id", *_STAMPS)
_ADD_ENTRIES: Final = bulk_insert(DncContact.__table__, *NewEntry._fields, "source", "doubt", "user_id", *_STAMPS)
_FIRST_WITH: Final = (
    select(Contact.number, func.min(Contact.id).label("first_id"))
    .where(
        Contact.phonebook_id == bindparam("phonebook"),
        Contact.number.in_(bindparam("numbers", expanding=True)),
    )
    .group_by(Contact.number)
)


def first_contacts(connection: Connection, phonebook_id: int, numbers: Collection[str]) -> dict[str, int]:
    """Return the ids of the earliest contacts of a phonebook that have some numbers, by number."""
    all_numbers, first_ids = list(numbers), dict[str, int]()
    for start in range(0, len(all_numbers), ASKED_AT_ONCE):
        some = {"phonebook": phonebook_id, "numbers": all_numbers[start : start + ASKED_AT_ONCE]}
        first_ids |= {row.number: row.first_id for row in connection.execute(_FIRST_WITH, some)}
    return first_ids


def add_contacts(unit: UnitOfWork, rows: Sequence[NewContact]) -> list[int]:
    """Add contacts to phonebooks, and return their ids. They become subscribers of started campaigns."""
    owners = _owners(unit.connection, Phonebook.__table__, [row.phonebook_id for row in rows])
    stored = [(*row, name_key(row.full_name), owners[row.phonebook_id], unit.now_ms, unit.now_ms) for row in rows]
    ids = _insert(unit, _ADD_CONTACTS, Contact.__table__, stored)
    people: dict[int, list[tuple[str, str]]] = {}
    for row in rows:
        people.setdefault(row.phonebook_id, []).append((row.full_name, row.additional_vars))
    for phonebook_id, added in people.items():
        count_added(unit.connection, phonebook_id, added)
        campaign_ids = collect_phonebook(unit.connection, phonebook_id, unit.now_ms)
        unit.note(touched_campaigns(*campaign_ids), ContactsImported(phonebook_id, len(added)))
    return ids


def add_entries(unit: UnitOfWork, rows: Sequence[NewEntry], source: str = WishSource.API) -> list[int]:
    """Put numbers on do-not-call lists that do not have them yet, and return the ids of the entries."""
    owners = _owners(unit.connection, DncList.__table__, [row.dnc_id for row in rows])
    stored = [
        (*row, str(source), entry_doubt(row.number).value, owners[row.dnc_id], unit.now_ms, unit.now_ms) for row in rows
    ]
    ids = _insert(unit, _ADD_ENTRIES, DncContact.__table__, stored)
    numbers: dict[int, list[str]] = {}
    for row in rows:
        numbers.setdefault(row.dnc_id, []).append(row.number)
    for dnc_id, listed in numbers.items():
        withdraw_listed(unit.connection, dnc_id, listed, str(source), unit.now_ms)
        unit.note(users_of_dnc(unit.connection, dnc_id), NumbersCalledOff(dnc_id, len(listed)))
    return ids


def _insert(unit: UnitOfWork, statement: Bulk, table: Table, rows: list[tuple[Any, ...]]) -> list[int]:
    """Insert rows, and return their ids in order: a unit of work that writes is the only one, and ids only grow."""
    unit.note(NOTHING)
    if not rows:
        return []
    connection = unit.connection
    last = connection.scalar(select(func.max(table.c.id))) or 0
    statement.run(connection, rows)
    return list(connection.scalars(select(table.c.id).where(table.c.id > last).order_by(table.c.id)))


def _owners(connection: Connection, parents: Table, ids: Collection[int]) -> dict[int, int]:
    """Return the accounts of parent records by their ids."""
    query = select(parents.c.id, parents.c.user_id).where(parents.c.id.in_(set(ids)))
    return {row.id: row.user_id for row in connection.execute(query)}
