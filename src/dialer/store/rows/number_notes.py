"""Notes on numbers: what the people of an account want to remember of whoever has a number."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Label, SQLColumnExpression, delete, insert, select, update
from sqlalchemy.orm import aliased

from dialer.store.queries.selection import is_of
from dialer.store.tables import NumberNote, User

NOTES_SHOWN_MAX: Final = 20
"""Notes of one number that an admin sees: each account has one."""
_AUTHOR: Final = aliased(User)


class NotedNumber(NamedTuple):
    """A note on a number, and the account that keeps it."""

    user_id: int
    username: str
    text: str
    author: str
    """Who wrote it last; empty if that user is gone."""
    updated_ms: int


def note_on(number: SQLColumnExpression[Any], user_id: SQLColumnExpression[int]) -> Label[Any]:
    """Return the note of an account on a number as a column `noted` of a query; null for none."""
    query = select(NumberNote.text).where(NumberNote.user_id == user_id, NumberNote.number == number)
    return query.scalar_subquery().label("noted")


def read_notes(connection: Connection, numbers: Collection[str], user_id: int | None) -> list[NotedNumber]:
    """Return the notes on a number, given by its normal forms, of an account; None stands for all accounts."""
    query = (
        select(NumberNote.user_id, User.username, NumberNote.text, _AUTHOR.username, NumberNote.updated_date)
        .join(User, User.id == NumberNote.user_id)
        .outerjoin(_AUTHOR, _AUTHOR.id == NumberNote.author_id)
        .where(NumberNote.number.in_(numbers), is_of(NumberNote.user_id, user_id))
        .order_by(NumberNote.updated_date.desc(), NumberNote.id)
    )
    rows = connection.execute(query.limit(NOTES_SHOWN_MAX)).all()
    return [NotedNumber(account, name, text, writer or "", at) for account, name, text, writer, at in rows]


def write_note(connection: Connection, noted: tuple[int, str], text: str, author_id: int, now_ms: int) -> None:
    """Keep the note of an account on a number in normal form, in place of an earlier one; an empty text ends it."""
    user_id, number = noted
    is_it = (NumberNote.user_id == user_id) & (NumberNote.number == number)
    if not text:
        connection.execute(delete(NumberNote).where(is_it))
        return
    values = {"text": text, "author_id": author_id, "updated_date": now_ms}
    found = connection.scalar(select(NumberNote.id).where(is_it))
    if found is None:
        connection.execute(insert(NumberNote).values(user_id=user_id, number=number, created_date=now_ms, **values))
    else:
        connection.execute(update(NumberNote).where(NumberNote.id == found).values(values))
