"""Use cases of rate cards: the prices of a user's calls by prefix."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.events import RateCardChanged
from dialer.app.work.touched_records import touched_account
from dialer.app.work.unit import UnitOfWork
from dialer.store.tables import RateCardLine, User


def add_rate(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a prefix to the rate card of a user, from its columns; return its row."""
    row = unit.connection.execute(insert(RateCardLine).values(values).returning(*RateCardLine.__table__.c)).one()
    _note_change(unit, row.user_id)
    return row


def change_rate(unit: UnitOfWork, line_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a prefix of a rate card.

    Raises:
        UnknownRecordError: there is no such rate.
    """
    user_id = _user_of(unit, line_id)
    unit.connection.execute(
        update(RateCardLine).where(RateCardLine.id == line_id).values({**values, "updated_date": unit.now_ms})
    )
    _note_change(unit, user_id)


def delete_rate(unit: UnitOfWork, line_id: int) -> None:
    """Remove a prefix from the rate card of its user.

    Raises:
        UnknownRecordError: there is no such rate.
    """
    user_id = _user_of(unit, line_id)
    unit.connection.execute(delete(RateCardLine).where(RateCardLine.id == line_id))
    _note_change(unit, user_id)


def _user_of(unit: UnitOfWork, line_id: int) -> int:
    user_id: int | None = unit.connection.scalar(select(RateCardLine.user_id).where(RateCardLine.id == line_id))
    if user_id is None:
        raise UnknownRecordError(f"There is no rate {line_id}.")
    return user_id


def _note_change(unit: UnitOfWork, user_id: int) -> None:
    """Give the rate card a new version, so that caches of it are read again."""
    version = User.rate_card_version
    unit.connection.execute(update(User).where(User.id == user_id).values(rate_card_version=version + 1))
    unit.note(touched_account(user_id), RateCardChanged(user_id))
