"""Notes on numbers: what the people of an account want to remember of whoever has a number."""

from sqlalchemy import Connection, delete, insert, select, update

from dialer.store.tables import NumberNote


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
