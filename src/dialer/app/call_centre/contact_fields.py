"""The columns of contacts that agents fill in during calls: what is there, and what is written."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.app.campaigns.subscribers import lost_contact, write_variables
from dialer.app.contacts.contacts import change_contact
from dialer.app.imports.variables import VARIABLES_MAX
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.app.work.events import PersonFilledIn
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.agent_fields import VALUE_MAX, AgentField, offered_fields
from dialer.domain.messages.templates import values_of
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.sentences import Grouped, Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.tables import CallRequest, Campaign, Contact, Subscriber

IS_CONTACT: Final = (Contact.id == Subscriber.contact_id) & (Contact.user_id == Campaign.user_id)
"""The join of a call's contact. One that was moved to another account is none."""
FIELD_COLUMNS: Final = (
    Campaign.agent_fields,
    Subscriber.id.label("person_id"),
    Subscriber.duplicate_contact.label("person_number"),
    Subscriber.phonebook_id.label("person_phonebook_id"),
    Subscriber.additional_vars.label("person_vars"),
    Campaign.user_id.label("campaign_user_id"),
    Contact.id.label("known_contact_id"),
    Contact.additional_vars.label("contact_vars"),
)
"""The columns from which the fields of a call are made, in a query that joins `IS_CONTACT`."""


GONE: Final = "The contact was erased or deleted, or has another number, so nothing is written to it."
UNREADABLE: Final = (
    "The additional variables of the contact are no JSON object, so no column can be filled in. Ask your manager to"
    " correct them."
)


class FilledField(NamedTuple):
    """A column that the agent of a call may fill in."""

    column: str
    choices: tuple[str, ...]
    """The values among which the agent chooses; none if they write one."""
    value: str
    """The value that is there; empty for none."""


class FieldsOfCall(NamedTuple):
    """The columns that the agent of a call may fill in; none for a caller who is no subscriber."""

    fields: Sequence[FilledField] = ()
    problem: str = ""
    """The reason why nothing can be written to the contact; empty if it can be, or if nothing is asked."""


NO_FIELDS: Final = FieldsOfCall()
_GONE: Final = FieldsOfCall(problem=GONE)
_UNREADABLE: Final = FieldsOfCall(problem=UNREADABLE)


class _Person(NamedTuple):
    """The values of `FIELD_COLUMNS`."""

    agent_fields: str
    subscriber_id: int | None
    number: str
    phonebook_id: int | None
    variables: str
    user_id: int
    """The account of the campaign."""
    contact_id: int | None
    contact_variables: str | None

    @property
    def is_gone(self) -> bool:
        return lost_contact(self.contact_id, self.phonebook_id) or self.number == ERASED

    @property
    def known(self) -> str:
        """The variables that are there now, as JSON text."""
        return self.variables if self.contact_variables is None else self.contact_variables


def fields_in(values: Sequence[Any]) -> FieldsOfCall:
    """Return what an agent may fill in, from the values of `FIELD_COLUMNS`."""
    person = _Person(*values)
    if not person.agent_fields or person.subscriber_id is None:
        return NO_FIELDS
    if person.is_gone:
        return _GONE
    if not _is_object(person.known):
        return _UNREADABLE
    known = values_of("", person.known)
    offered = offered_fields(person.agent_fields)
    return FieldsOfCall([FilledField(*field, known.get(field.column, "")) for field in offered])


def fields_of_call(connection: Connection, callrequest_id: int) -> FieldsOfCall:
    """Return what the agent of a call may fill in; nothing if there is no such call."""
    person = _read(connection, callrequest_id)
    return NO_FIELDS if person is None else fields_in(person)


def fill_in(unit: UnitOfWork, callrequest_id: int, given: Mapping[str, str]) -> None:
    """Write columns of the contact with whom a call was, and of their place in the campaign. Others stay as they are.

    A value that is there already is no change. A subscriber who never was a contact keeps the values alone. One whose
    own variables are not readable keeps them as they are, and the contact has the values.

    Raises:
        InvalidFieldsError: agents fill in no such column, or a value is too long, or none of its choices.
        RefusedError: the contact was erased or deleted, or has another number, or its variables are not readable, or
            the caller is no subscriber.
    """
    person = _read(unit.connection, callrequest_id) if given else None
    if person is not None:
        _require_contact(person)
        _write(unit, callrequest_id, person, given)


def fill_in_what_fits(
    unit: UnitOfWork, callrequest_id: int, typed: Mapping[str, str], seen: Mapping[str, str]
) -> dict[str, str]:
    """Write columns as `fill_in` does, as far as that is possible, and return the others as they were typed.

    Others are columns that agents fill in no longer, and all columns if nothing can be written to the contact, but for
    an erased person, of whom nothing is kept. So are those that somebody else has changed to a third value since the
    agent has `seen` them.

    Raises:
        InvalidFieldsError: a value is too long, or none of its choices.
    """
    person = _read(unit.connection, callrequest_id) if typed else None
    if person is None or person.number == ERASED:
        return {}
    if person.subscriber_id is None or fields_in(person).problem:
        return dict(typed)
    offered = {field.column for field in offered_fields(person.agent_fields)}
    known = values_of("", person.known)
    left = {
        column: text
        for column, text in typed.items()
        if column not in offered or _was_changed(known.get(column, ""), seen.get(column), text)
    }
    _write(unit, callrequest_id, person, {column: text for column, text in typed.items() if column not in left})
    return left


def _was_changed(now: str, seen: str | None, typed: str) -> bool:
    """Return whether somebody has changed a value since it was seen, to another one than what is typed now."""
    return seen is not None and _plain(now) not in {_plain(seen), _plain(typed)}


def _write(unit: UnitOfWork, callrequest_id: int, person: _Person, given: Mapping[str, str]) -> None:
    changed = _changed(person, given)
    if not changed or person.subscriber_id is None:
        return
    if person.contact_id is not None:
        of_contact = _with(person.contact_variables or "", changed)
        change_contact(unit, person.contact_id, {"additional_vars": of_contact})
    if person.contact_id is None or _is_object(person.variables):
        write_variables(unit, person.subscriber_id, _with(person.variables, changed))
    event = PersonFilledIn(person.subscriber_id, person.user_id, callrequest_id, len(changed))
    unit.note(NOTHING, event)


def _read(connection: Connection, callrequest_id: int) -> _Person | None:
    query = (
        select(*FIELD_COLUMNS)
        .select_from(CallRequest)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .outerjoin(Contact, IS_CONTACT)
        .where(CallRequest.id == callrequest_id)
    )
    row = connection.execute(query).first()
    return None if row is None else _Person(*row)


def _require_contact(person: _Person) -> None:
    if person.subscriber_id is None:
        raise RefusedError(
            "The caller is in no phonebook of the campaign, so nothing can be filled in.", code=ErrorCode.NO_CONTACT
        )
    if person.is_gone:
        raise RefusedError(GONE, code=ErrorCode.NO_CONTACT)


def _changed(person: _Person, given: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are new."""
    offered = {field.column: field for field in offered_fields(person.agent_fields)}
    known, changed, wrong = values_of("", person.known), dict[str, str](), list[str]()
    for column, text in given.items():
        value = _plain(text)
        if column in offered and value == _plain(known.get(column, "")):
            continue
        problem = _problem(offered, column, value)
        if problem:
            wrong.append(problem)
        changed[column] = value
    if wrong:
        raise InvalidFieldsError({"fields": wrong})
    return changed


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _problem(offered: Mapping[str, AgentField], column: str, value: str) -> str:
    """Return what is wrong with a value; empty for nothing."""
    if column not in offered:
        return unknown_column(column, offered)
    if len(value) > VALUE_MAX:
        return too_long(column)
    choices = offered[column].choices
    if value and choices and value not in choices:
        return Sentence(
            "%(column)s cannot be %(value)r. Choose one of these: %(choices)s.",
            column=column,
            value=value,
            choices=", ".join(choices),
        )
    return ""


def unknown_column(column: str, offered: Iterable[str]) -> Sentence:
    """Say that agents fill in no such column, and which they do."""
    return Sentence(
        "Agents of the campaign fill in no column %(column)r. Choose one of these: %(columns)s.",
        column=column[:VALUE_MAX],
        columns=", ".join(offered),
    )


def too_long(column: str) -> Sentence:
    """Say that a value has too many characters."""
    return Sentence("%(column)s has more than %(most)s characters.", column=column, most=VALUE_MAX)


def _object_in(text: str) -> dict[str, Any]:
    found = json.loads(text or "{}")
    if not isinstance(found, dict):
        raise ValueError(text)  # noqa: TRY004 - a text without an object is no wrong type
    return found


def _is_object(text: str) -> bool:
    """Return whether variables can be read, and written again with new ones among them."""
    try:
        json.dumps(_object_in(text), allow_nan=False)
    except ValueError:
        return False
    return True


def _with(variables: str, changed: Mapping[str, str]) -> str:
    """Return the column of variables with the new ones among them.

    Raises:
        InvalidFieldsError: they are too long together.
        RefusedError: what is stored is no JSON object, so that it could not be kept.
    """
    try:
        both = {**_object_in(variables), **changed}
        text = json.dumps(both, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        raise RefusedError(UNREADABLE) from None
    if len(text) > VARIABLES_MAX:
        wrong = Sentence(
            "All columns of the contact together have more than %(most)s characters.", most=Grouped(VARIABLES_MAX)
        )
        raise InvalidFieldsError({"fields": [wrong]})
    return text
