"""The person at a number: their names, and the do-not-call lists that stop calls to them, or may."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, case, select
from sqlalchemy.orm import aliased

from dialer.console.words.language import gettext
from dialer.console.words.record_names import Option
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.versions import digest
from dialer.resources.crud.visibility import query_for, visible
from dialer.resources.records.consents import CONSENTS
from dialer.resources.records.contacts import CONTACTS, DNC_CONTACTS, DNC_LISTS
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.store.queries.do_not_call import forms_against
from dialer.store.tables import (
    ACCOUNT,
    HELD,
    Campaign,
    Consent,
    Contact,
    DncContact,
    DncList,
    NumberNote,
    Subscriber,
    User,
)

NAMES_MAX: Final = 5
"""The most names of one number that a page shows."""
ROWS_MAX: Final = 100
"""The newest contacts, and people of campaigns, whose names are read."""
ENTRIES_MAX: Final = 50
"""Entries of do-not-call lists that a page shows."""
LISTS_MAX: Final = 200
"""Do-not-call lists that a form offers."""
CONSENTS_MAX: Final = 50
"""Consents that a page shows, the newest ones."""
NOTES_SHOWN_MAX: Final = 20
"""Notes of one number that an admin sees: each account has one."""
_AUTHOR: Final = aliased(User)
_Rows: TypeAlias = Select[*tuple[Any, ...]]
_Row: TypeAlias = Row[*tuple[Any, ...]]
# Statements are built once, as building one takes longer than running it.
_NUMBERS: Final[BindParameter[Any]] = bindparam("numbers", expanding=True)
_NAMES: Final[Mapping[str, Select[str]]] = {
    CONTACTS.path: select(Contact.full_name).where(Contact.number.in_(_NUMBERS)).order_by(Contact.id.desc()),
    SUBSCRIBERS.path: select(Subscriber.full_name)
    .where(Subscriber.number.in_(_NUMBERS))
    .order_by(Subscriber.id.desc()),
}
_NOTES: Final = (
    select(NumberNote.user_id, User.username, NumberNote.text, _AUTHOR.username, NumberNote.updated_date)
    .join(User, User.id == NumberNote.user_id)
    .outerjoin(_AUTHOR, _AUTHOR.id == NumberNote.author_id)
    .where(NumberNote.number.in_(_NUMBERS))
    .order_by(NumberNote.updated_date.desc(), NumberNote.id)
    .limit(NOTES_SHOWN_MAX)
)
_NOTES_OF_USER: Final = _NOTES.where(NumberNote.user_id == bindparam("user"))


class NotedNumber(NamedTuple):
    """A note on a number, and the account that keeps it."""

    user_id: int
    username: str
    text: str
    author: str
    """The user who wrote it last; empty if that user is gone."""
    updated_ms: int


class ListEntry(NamedTuple):
    """An entry of a do-not-call list that stops calls to a number."""

    id: int
    list_id: int
    list_name: str
    since_ms: int
    is_held: bool
    """True if calls wait until somebody has looked at a text from the person."""


class ShownConsent(NamedTuple):
    """A consent of the person at a number. Times are in milliseconds."""

    id: int
    kind: str
    purposes: str
    """With blanks between them; empty for all."""
    seller: str
    given_ms: int
    expires_ms: int | None
    withdrawn_ms: int | None
    used_ms: int | None
    owner: str
    """The account that has it; empty for that of the viewer."""


class NumberCard(NamedTuple):
    """The facts about a number that belong to no campaign, as far as the viewer may see them."""

    names: list[str]
    """The names of the person, the newest first."""
    entries: list[ListEntry]
    accounts: list[Option]
    """The accounts whose own list does not have the number, named by what such a list holds for."""
    lists: list[Option]
    """The other lists that do not have the number; each with its owner, if that is another than the viewer."""
    note: NotedNumber | None
    """The note of the viewer's account on the number."""
    known: str
    """The version of that note."""
    notes: list[NotedNumber]
    """The notes of other accounts on it, which admins see."""
    consents: list[ShownConsent]
    """The consents of the person, the newest first."""


def read_card(unit: Unit, numbers: Collection[str], campaign_ids: Collection[int]) -> NumberCard:
    """Return the facts about a number, given by the normal forms that it may stand for.

    The accounts are the viewer's; for admins, those of the campaigns that are shown.
    """
    entries = _entries(unit, numbers)
    listed = {entry.list_id for entry in entries}
    accounts = _accounts(unit, listed, campaign_ids)
    lists = _lists(unit, listed, [one.id for one in accounts])
    notes = _notes(unit.connection, numbers, None if unit.actor.is_admin else unit.actor.sees_as)
    note = next((one for one in notes if one.user_id == unit.actor.sees_as), None)
    others = [one for one in notes if one is not note]
    names, consents = _names(unit, numbers), _consents(unit, numbers)
    return NumberCard(names, entries, accounts, lists, note, version_of_note(note), others, consents)


def own_note(unit: Unit, numbers: Collection[str]) -> NotedNumber | None:
    """Return the note of the viewer's account on a number, given by its normal forms; None if there is none."""
    return next(iter(_notes(unit.connection, numbers, unit.actor.sees_as)), None)


def version_of_note(note: NotedNumber | None) -> str:
    """Return the version of a note, by which a form knows that it was changed meanwhile; empty if there is none."""
    # The time alone is none where the clock of a service stands still.
    return "" if note is None else digest(msgspec.json.encode([note.updated_ms, note.text]))


def _names(unit: Unit, numbers: Collection[str]) -> list[str]:
    found = [name for one, query in _NAMES.items() for name in _seen(unit, one, query, numbers)]
    names = dict.fromkeys(" ".join(name.split()) for name in found)
    return [name for name in names if name][:NAMES_MAX]


def _seen(unit: Unit, path: str, query: Select[str], numbers: Collection[str]) -> list[str]:
    def build() -> _Rows:
        return query.where(visible(unit.resources[path], unit.actor, unit.resources)).limit(ROWS_MAX)

    return [name for (name,) in _read(unit, f"names of {path}", build, numbers=numbers)]


def _read(unit: Unit, name: str, build: Callable[[], _Rows], **asked: Collection[str | int]) -> Sequence[_Row]:
    """Return the rows of a query that is built once. Its parameters are lists, and the viewer."""
    values = {one: list(value) for one, value in asked.items()}
    query = query_for(unit.actor, f"card of a number: {name}", build)
    return unit.connection.execute(query, {**values, "me": unit.actor.id, "actor_id": unit.actor.sees_as}).all()


def _notes(connection: Connection, numbers: Collection[str], user_id: int | None) -> list[NotedNumber]:
    """Return the notes on a number, given by its normal forms, of an account; None stands for all accounts."""
    query = _NOTES if user_id is None else _NOTES_OF_USER
    rows = connection.execute(query, {"numbers": list(numbers), "user": user_id}).all()
    return [NotedNumber(account, name, text, writer or "", at) for account, name, text, writer, at in rows]


def _entries(unit: Unit, numbers: Collection[str]) -> list[ListEntry]:
    def build() -> _Rows:
        is_held = DncList.keeps_wishes_of == HELD
        columns = (DncContact.id, DncContact.dnc_id, DncList.name, DncContact.created_date, is_held)
        return (
            select(*columns)
            .join(DncList, DncList.id == DncContact.dnc_id)
            .where(DncContact.number.in_(_NUMBERS), visible(DNC_CONTACTS, unit.actor, unit.resources))
            .order_by(DncContact.id)
            .limit(ENTRIES_MAX)
        )

    forms = forms_against(unit.connection, numbers)
    return [ListEntry(*row) for row in _read(unit, "entries", build, numbers=forms)]


def _consents(unit: Unit, numbers: Collection[str]) -> list[ShownConsent]:
    def build() -> _Rows:
        return (
            select(
                Consent.id,
                Consent.kind,
                Consent.purposes,
                Consent.seller,
                Consent.given_date,
                Consent.expiration_date,
                Consent.withdrawn_date,
                Consent.last_used_date,
                case((User.id == bindparam("actor_id"), ""), else_=User.username),
            )
            .join(User, User.id == Consent.user_id)
            .where(Consent.number.in_(_NUMBERS), visible(CONSENTS, unit.actor, unit.resources))
            .order_by(Consent.given_date.desc(), Consent.id.desc())
            .limit(CONSENTS_MAX)
        )

    return [ShownConsent(*row) for row in _read(unit, "consents", build, numbers=numbers)]


def _accounts(unit: Unit, listed: Collection[int], campaign_ids: Collection[int]) -> list[Option]:
    """Return the accounts for all of whose campaigns the number may be called off, in order of name."""

    def build() -> _Rows:
        theirs = select(Campaign.user_id).where(Campaign.id.in_(bindparam("campaigns", expanding=True)))
        is_listed = DncList.id.in_(bindparam("listed", expanding=True))
        is_meant = User.id.in_(theirs) if unit.actor.is_admin else User.id == bindparam("me")
        have_it = select(DncList.user_id).where(is_listed, DncList.keeps_wishes_of == ACCOUNT)
        return select(User.id, User.username).where(is_meant, User.id.not_in(have_it)).order_by(User.username)

    rows = _read(unit, "accounts", build, listed=listed, campaigns=campaign_ids)
    return [Option(row.id, _all_campaigns(unit, row)) for row in rows]


def _all_campaigns(unit: Unit, user: _Row) -> str:
    if user.id == unit.actor.id:
        return gettext("For all my campaigns")
    return gettext("For all campaigns of %(user)s") % {"user": user.username}


def _lists(unit: Unit, listed: Collection[int], accounts: Sequence[int]) -> list[Option]:
    def build() -> _Rows:
        is_others = User.id != bindparam("me")
        is_of_nobody = DncList.user_id.not_in(bindparam("accounts", expanding=True))
        return (
            select(DncList.id, case((is_others, DncList.name + ", " + User.username), else_=DncList.name))
            .join(User, User.id == DncList.user_id)
            .where(visible(DNC_LISTS, unit.actor, unit.resources))
            .where(DncList.id.not_in(bindparam("listed", expanding=True)))
            .where((DncList.keeps_wishes_of == "") | (DncList.keeps_wishes_of == ACCOUNT) & is_of_nobody)
            .order_by(DncList.name, DncList.id)
            .limit(LISTS_MAX)
        )

    return [Option(*row) for row in _read(unit, "lists", build, listed=listed, accounts=accounts)]
