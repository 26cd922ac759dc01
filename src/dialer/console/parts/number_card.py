"""The person at a number: their names, and the do-not-call lists that stop calls to them, or may."""

from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Select, case, select

from dialer.console.words.record_names import Option
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.visibility import visible
from dialer.resources.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.store.queries.do_not_call import forms_against
from dialer.store.tables import ACCOUNT, Contact, DncContact, DncList, Subscriber, User

NAMES_MAX: Final = 5
"""The most names of one number that a page shows."""
ROWS_MAX: Final = 100
"""The newest contacts, and people of campaigns, whose names are read."""
ENTRIES_MAX: Final = 50
"""Entries of do-not-call lists that a page shows."""
LISTS_MAX: Final = 200
"""Do-not-call lists that a form offers."""


class ListEntry(NamedTuple):
    """An entry of a do-not-call list that stops calls to a number."""

    id: int
    list_id: int
    list_name: str
    since_ms: int


class NumberCard(NamedTuple):
    """The facts about a number that belong to no campaign, as far as the viewer may see them."""

    names: list[str]
    """The names of the person, the newest first."""
    entries: list[ListEntry]
    lists: list[Option]
    """The lists that do not have the number, without the viewer's own list; each with its owner, if that is another."""
    is_on_own: bool
    """True if the viewer's own list has the number."""


def read_card(unit: Unit, numbers: Collection[str]) -> NumberCard:
    """Return the facts about a number, given by the normal forms that it may stand for."""
    entries = _entries(unit, numbers)
    listed = {entry.list_id for entry in entries}
    is_own = (DncList.user_id == unit.actor.id) & (DncList.keeps_wishes_of == ACCOUNT)
    own = unit.connection.scalar(select(DncList.id).where(is_own))
    return NumberCard(_names(unit, numbers), entries, _lists(unit, listed), own in listed)


def _names(unit: Unit, numbers: Collection[str]) -> list[str]:
    of_contacts = select(Contact.full_name).where(Contact.number.in_(numbers)).order_by(Contact.id.desc())
    of_people = select(Subscriber.full_name).where(Subscriber.number.in_(numbers)).order_by(Subscriber.id.desc())
    found = [*_seen(unit, CONTACTS, of_contacts), *_seen(unit, SUBSCRIBERS, of_people)]
    names = dict.fromkeys(" ".join(name.split()) for name in found)
    return [name for name in names if name][:NAMES_MAX]


def _seen(unit: Unit, resource: Resource, query: Select[str]) -> list[str]:
    seen = visible(resource, unit.actor, unit.resources)
    return list(unit.connection.scalars(query.where(seen).limit(ROWS_MAX)))


def _entries(unit: Unit, numbers: Collection[str]) -> list[ListEntry]:
    query = (
        select(DncContact.id, DncContact.dnc_id, DncList.name, DncContact.created_date)
        .join(DncList, DncList.id == DncContact.dnc_id)
        .where(DncContact.number.in_(forms_against(unit.connection, numbers)))
        .where(visible(DNC_CONTACTS, unit.actor, unit.resources))
        .order_by(DncContact.id)
        .limit(ENTRIES_MAX)
    )
    return [ListEntry(*row) for row in unit.connection.execute(query)]


def _lists(unit: Unit, listed: Collection[int]) -> list[Option]:
    is_others = User.id != unit.actor.id
    query = (
        select(DncList.id, case((is_others, DncList.name + ", " + User.username), else_=DncList.name))
        .join(User, User.id == DncList.user_id)
        .where(visible(DNC_LISTS, unit.actor, unit.resources), DncList.id.not_in(listed))
        .where((DncList.keeps_wishes_of == "") | (DncList.keeps_wishes_of == ACCOUNT) & is_others)
        .order_by(DncList.name, DncList.id)
        .limit(LISTS_MAX)
    )
    return [Option(*row) for row in unit.connection.execute(query)]
