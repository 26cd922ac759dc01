"""Phonebooks, contacts, and lists of numbers not to call."""

from typing import Annotated

from sqlalchemy import select

from dialer.api.crud.fields import TEXT_MAX, Identity, JsonText, OwnUrl, PhoneNumber, Reference, Text, Timestamp
from dialer.api.crud.resource import Change, Resource, Rule, Values, table_of, touches_nothing
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import Errors
from dialer.app.contacts import add_contact, change_contact, delete_contact, delete_phonebook
from dialer.app.do_not_call import add_to_dnc, change_dnc_entry, delete_dnc_list, remove_from_dnc
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.zones import zone_of_number
from dialer.store.queries.do_not_call import forms_of
from dialer.store.tables import Contact, DncContact, DncList, Phonebook


class PhonebookWrite(Shape):
    """A named list of contacts."""

    name: Annotated[str, Text(255, min_length=1)]
    user: Annotated[int, Reference("users")] = 0
    description: Annotated[str, Text(TEXT_MAX)] = ""


class PhonebookRead(Shape):
    """A named list of contacts, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("phonebook")]
    name: Annotated[str, Text()]
    description: Annotated[str, Text(TEXT_MAX)]
    user: Annotated[str, Reference("users")]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class ContactWrite(Shape):
    """A person to call."""

    contact: Annotated[str, PhoneNumber()]
    phonebook: Annotated[int, Reference("phonebook")]
    full_name: Annotated[str, Text()] = ""
    additional_vars: Annotated[str, JsonText()] = "{}"


class ContactRead(Shape):
    """A person to call, as they are stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("contact")]
    phonebook: Annotated[str, Reference("phonebook")]
    contact: Annotated[str, PhoneNumber()]
    full_name: Annotated[str, Text()]
    additional_vars: Annotated[str, JsonText()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class DncListWrite(Shape):
    """A list of numbers that asked not to be called."""

    name: Annotated[str, Text(255, min_length=1)]
    user: Annotated[int, Reference("users")] = 0


class DncListRead(Shape):
    """A list of numbers that asked not to be called, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("dnc-list")]
    name: Annotated[str, Text()]
    user: Annotated[str, Reference("users")]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class DncContactWrite(Shape):
    """A number that asked not to be called."""

    phone_number: Annotated[str, PhoneNumber()]
    dnc: Annotated[int, Reference("dnc-list")]


class DncContactRead(Shape):
    """A number that asked not to be called, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("dnc-contact")]
    dnc: Annotated[str, Reference("dnc-list")]
    phone_number: Annotated[str, PhoneNumber()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


def normal_form(change: Change, name: str) -> str:
    """The normal form of the number in a field."""
    return normalise(change.values[name], change.unit.conventions.region)


def _contact_columns(change: Change) -> Values:
    number = normal_form(change, "contact")
    return {"number": number, "zone": zone_of_number(number)}


def _entry_number(change: Change) -> str:
    """The normal form of the number of an entry; of one whose number was erased, what stands for it."""
    if not change.is_new and change.values["phone_number"] == ERASED:
        return str(change.stored["number"])
    return normal_form(change, "phone_number")


def _once_on_a_list(change: Change) -> Errors:
    entry = table_of(DncContact).c
    query = select(entry.id).where(
        entry.dnc_id == change.values["dnc"],
        entry.number.in_(forms_of(change.unit.connection, [_entry_number(change)])),
        entry.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {"phone_number": ["This number is on the list already."]}


PHONEBOOKS = Resource(
    path="phonebook",
    model=Phonebook,
    read=PhonebookRead,
    write=PhonebookWrite,
    filters=("name",),
    remove=delete_phonebook,
    touches=touches_nothing,
)
CONTACTS = Resource(
    path="contact",
    model=Contact,
    read=ContactRead,
    write=ContactWrite,
    owner="phonebook",
    filters=("contact", "full_name"),
    columns=_contact_columns,
    insert=lambda change, columns: add_contact(change.unit, columns),
    update=lambda change, columns: change_contact(change.unit, change.record_id, columns),
    remove=delete_contact,
    exported=True,
)
DNC_LISTS = Resource(
    path="dnc-list",
    model=DncList,
    read=DncListRead,
    write=DncListWrite,
    filters=("name",),
    remove=delete_dnc_list,
    touches=touches_nothing,
)
DNC_CONTACTS = Resource(
    path="dnc-contact",
    model=DncContact,
    read=DncContactRead,
    write=DncContactWrite,
    owner="dnc",
    filters=("phone_number",),
    columns=lambda change: {"number": _entry_number(change)},
    rules=(Rule(("phone_number", "dnc"), _once_on_a_list),),
    insert=lambda change, columns: add_to_dnc(change.unit, columns),
    update=lambda change, columns: change_dnc_entry(change.unit, change.record_id, columns),
    remove=remove_from_dnc,
)
