"""Phonebooks, contacts, and lists of numbers not to call."""

from typing import Final

from sqlalchemy import ColumnElement, bindparam, case, select, update

from dialer.api.crud.declaration import NAME, OWNER, STAMPS, own, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, JsonText, PhoneNumber, Text
from dialer.api.crud.records import refuse_while_in
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, Resource, Rule, Unit, Values, table_of
from dialer.api.http.errors import Errors
from dialer.api.records.emergency import no_emergency_number
from dialer.domain.enums import CampaignStatus, SubscriberStatus
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.states import OPEN_SUBSCRIBERS
from dialer.domain.zones import zone_of_number
from dialer.store import collecting
from dialer.store.bulk import Prepared
from dialer.store.queries.do_not_call import forms_of
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, DncContact, DncList, Phonebook, Subscriber

CONTACT_DELETED: Final = "contact_deleted"
"""The reason of a subscriber whose contact has gone."""
OPEN_CAMPAIGNS: Final = (CampaignStatus.NEW, CampaignStatus.START, CampaignStatus.PAUSE)

_contact = table_of(Contact).c
_WITH_NUMBER: Final = Prepared(
    select(_contact.id)
    .where(_contact.phonebook_id == bindparam("phonebook_id"), _contact.number == bindparam("number"))
    .order_by(_contact.id)
    .limit(1)
)
"""The first contact of a phonebook that has a number."""

_PHONEBOOK: Final = shapes(
    "Phonebook",
    {
        **own("phonebook"),
        "name": NAME,
        "description": writable(Text(TEXT_MAX), default=""),
        "user": OWNER,
        **STAMPS,
    },
    write_doc="A named list of contacts.",
)

_CONTACT: Final = shapes(
    "Contact",
    {
        **own("contact"),
        "phonebook": writable(Reference("phonebook")),
        "contact": writable(PhoneNumber()),
        "full_name": writable(Text(), default=""),
        "additional_vars": writable(JsonText(), default="{}"),
        **STAMPS,
    },
    write_doc="A person to call.",
    read_doc="A person to call, as they are stored.",
)

_DNC_LIST: Final = shapes(
    "DncList",
    {
        **own("dnc-list"),
        "name": NAME,
        "user": OWNER,
        **STAMPS,
    },
    write_doc="A list of numbers that asked not to be called.",
)

_DNC_CONTACT: Final = shapes(
    "DncContact",
    {
        **own("dnc-contact"),
        "dnc": writable(Reference("dnc-list")),
        "phone_number": writable(PhoneNumber()),
        **STAMPS,
    },
    write_doc="A number that asked not to be called.",
)


def normal_form(change: Change, name: str) -> str:
    """The normal form of the number in a field."""
    return normalise(change.values[name], change.unit.conventions.region)


def _contact_columns(change: Change) -> Values:
    number = normal_form(change, "contact")
    return {"number": number, "zone": zone_of_number(number)}


def _first_with_number(unit: Unit, columns: Values) -> int | None:
    found = _WITH_NUMBER.run(unit.connection, columns)
    return found[0] if found else None


def _collect(change: Change) -> None:
    """A contact that is new, or new in its phonebook, is called by the started campaigns that name it."""
    is_called = collecting.collect_contact(change.unit.connection, change.record_id, change.unit.now_ms)
    change.unit.effect.moves_nothing = change.is_new and not is_called


def _refuse_while_called(unit: Unit, phonebook_id: int) -> None:
    campaign, named = table_of(Campaign).c, table_of(CampaignPhonebook).c
    names_it = campaign.id.in_(select(named.campaign_id).where(named.phonebook_id == phonebook_id))
    refuse_while_in(unit, table_of(Campaign), names_it & campaign.status.in_(OPEN_CAMPAIGNS))


def _release_phonebook(unit: Unit, stored: Values) -> None:
    _refuse_while_called(unit, stored["id"])
    contact = table_of(Contact).c
    members = select(contact.id).where(contact.phonebook_id == stored["id"])
    _abandon(unit, table_of(Subscriber).c.contact_id.in_(members))


def _release_contact(unit: Unit, stored: Values) -> None:
    _abandon(unit, table_of(Subscriber).c.contact_id == stored["id"])


def _abandon(unit: Unit, of_contact: ColumnElement[bool]) -> None:
    """Nobody calls a contact that was deleted: its subscribers are ABORT, or will be when the present call ends."""
    subscriber = table_of(Subscriber)
    is_calling = subscriber.c.status == SubscriberStatus.IN_PROCESS
    unit.connection.execute(
        update(subscriber)
        .where(of_contact, subscriber.c.status.in_(OPEN_SUBSCRIBERS))
        .values(
            status=case((is_calling, subscriber.c.status), else_=SubscriberStatus.ABORT),
            status_reason=case((is_calling, subscriber.c.status_reason), else_=CONTACT_DELETED),
            halt_reason=case((is_calling, CONTACT_DELETED), else_=subscriber.c.halt_reason),
            updated_date=unit.now_ms,
        )
    )


def _refuse_while_excluding(unit: Unit, stored: Values) -> None:
    """A list that protects people from an unfinished campaign stays."""
    campaign = table_of(Campaign).c
    names_it = campaign.dnc_id == stored["id"]
    refuse_while_in(unit, table_of(Campaign), names_it & campaign.status.in_(OPEN_CAMPAIGNS))


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
    shapes=_PHONEBOOK,
    filters=("name",),
    before_delete=_release_phonebook,
    moves_dialling=True,
)
CONTACTS = Resource(
    path="contact",
    model=Contact,
    shapes=_CONTACT,
    owner="phonebook",
    filters=("contact", "full_name"),
    rules=(no_emergency_number("contact"),),
    columns=_contact_columns,
    first_like=_first_with_number,
    written=_collect,
    written_touches_row=False,
    before_delete=_release_contact,
    moves_dialling=True,
    exported=True,
)
DNC_LISTS = Resource(
    path="dnc-list",
    model=DncList,
    shapes=_DNC_LIST,
    filters=("name",),
    before_delete=_refuse_while_excluding,
)
DNC_CONTACTS = Resource(
    path="dnc-contact",
    model=DncContact,
    shapes=_DNC_CONTACT,
    owner="dnc",
    filters=("phone_number",),
    columns=lambda change: {"number": _entry_number(change)},
    rules=(Rule(("phone_number", "dnc"), _once_on_a_list),),
    moves_dialling=True,
)
