"""Use cases of consents: what people have agreed to, and what they have withdrawn."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Row, RowMapping, delete, func, insert, select, update

from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import known_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.consent_words import NO_CONSENT
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import Touched
from dialer.store.tables import Campaign, Consent

CONSENTS_OF_NUMBER_MAX: Final = 100
"""The most consents of one number that an account has. All of them are read when the number is to be dialled."""


def add_consent(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a consent to an account, from its columns; return its row."""
    row = unit.connection.execute(insert(Consent).values(values).returning(*Consent.__table__.c)).one()
    unit.note(needing_consent(unit, row.user_id))
    return row


def add_consents(unit: UnitOfWork, rows: list[dict[str, Any]]) -> list[int]:
    """Add consents, from their columns; return their ids in the same order."""
    if not rows:
        return []
    added = insert(Consent).returning(Consent.id, sort_by_parameter_order=True)
    ids = list(unit.connection.scalars(added, rows))
    for user_id in {row["user_id"] for row in rows}:
        unit.note(needing_consent(unit, user_id))
    return ids


def change_consent(unit: UnitOfWork, consent_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a consent.

    Raises:
        UnknownRecordError: there is no such consent.
        RefusedError: it would be withdrawn later than it was, or not at all.
    """
    before = _read(unit, consent_id)
    withdrawn_ms = before["withdrawn_date"]
    if withdrawn_ms is not None and withdrawn_ms <= unit.now_ms:
        later_ms = values.get("withdrawn_date", withdrawn_ms)
        if later_ms is None or later_ms > withdrawn_ms:
            why = Sentence("The person has withdrawn it. If they agree again, add another consent.")
            raise RefusedError(why, code=ErrorCode.KEPT)
    changed = update(Consent).where(Consent.id == consent_id)
    unit.connection.execute(changed.values({**values, "updated_date": unit.now_ms}))
    for user_id in {before["user_id"], values.get("user_id", before["user_id"])}:
        unit.note(needing_consent(unit, user_id))


def delete_consent(unit: UnitOfWork, consent_id: int) -> None:
    """Delete a consent that proves nothing yet.

    Raises:
        UnknownRecordError: there is no such consent.
        RefusedError: it was used or withdrawn.
    """
    before = _read(unit, consent_id)
    if before["last_used_date"] is not None or before["withdrawn_date"] is not None:
        why = Sentence("It was used or withdrawn, so it is kept as a proof.")
        raise RefusedError(why, code=ErrorCode.KEPT)
    unit.connection.execute(delete(Consent).where(Consent.id == consent_id))
    unit.note(needing_consent(unit, before["user_id"]))


def consents_among(unit: UnitOfWork, user_id: int, number: str) -> int:
    """Return how many consents of a number an account has."""
    theirs = select(func.count()).where(Consent.user_id == user_id, Consent.number == number)
    return unit.connection.scalar(theirs) or 0


def needing_consent(unit: UnitOfWork, user_id: int) -> Touched:
    """Return the campaigns of an account that need a consent, as touched records."""
    needs_one = Campaign.requires_consent != NO_CONSENT
    return known_campaigns(unit.connection, (Campaign.user_id == user_id) & needs_one)


def _read(unit: UnitOfWork, consent_id: int) -> RowMapping:
    row = unit.connection.execute(select(Consent.__table__).where(Consent.id == consent_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no consent {consent_id}.")
    return row
