"""Notes on numbers: what the people of an account want to remember of whoever has a number."""

from typing import Final

from sqlalchemy import select

from dialer.app.call_centre.dispositions import NOTE_MAX
from dialer.domain.numbers.normal_form import normalise
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.declaration import OWNER, STAMPS, own, read_only, shapes, writable, write_once
from dialer.resources.crud.fields import PhoneNumber, Text
from dialer.resources.crud.forms import form
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, FieldRule, Resource, Values, touches_nothing
from dialer.resources.words.errors import Errors
from dialer.store.queries.regions import region_of
from dialer.store.tables import NumberNote

_NUMBER_NOTE: Final = shapes(
    "NumberNote",
    NumberNote,
    {
        **own("number-note"),
        "user": OWNER,
        "number": write_once(
            PhoneNumber(),
            "The number, in any usual spelling. It is kept in normal form, by the country of the account. An account"
            " has one note on it.",
            example="+12025550100",
            hint="In any usual spelling.",
        ),
        "text": writable(
            Text(NOTE_MAX, min_length=1),
            "The note. Agents see it at the desk, and the page of the number shows it.",
            example="Prefers calls in the morning.",
            title="Note",
            hint="Agents see it at the desk.",
        ),
        "author": read_only(
            Reference("users"),
            "The user who wrote it last, who may have been deleted since; or null.",
            nullable=True,
            title="Written by",
        ),
        **STAMPS,
    },
    form=form(("", "number text user")),
    write_doc="A note of an account on the person who has a number.",
)


def _normal(change: Change) -> str:
    return normalise(change.values["number"], region_of(change.unit.connection, change.values["user"]))


def _columns(change: Change) -> Values:
    """Return the number in normal form, and who writes."""
    author = {"author_id": change.unit.actor.id}
    return author | {"number": _normal(change)} if change.is_new else author


def _once_in_an_account(change: Change) -> Errors:
    """Return an error if the account has another note on the number."""
    number = _normal(change)
    others = select(NumberNote.id).where(NumberNote.user_id == change.values["user"], NumberNote.number == number)
    if change.unit.connection.scalar(others.where(NumberNote.id != change.record_id)) is None:
        return {}
    said = Sentence("The account has a note on %(number)s already. Change that one.", number=number)
    return {"number": [said]}


NUMBER_NOTES = Resource(
    path="number-note",
    is_personal=True,
    shapes=_NUMBER_NOTE,
    filters=("number",),
    numbers=("number",),
    rules=(FieldRule(("number", "user"), _once_in_an_account),),
    columns=_columns,
    touches=touches_nothing,
    users_alone_change_it=True,
    exported=True,
)
