"""Use cases of consents: what people have agreed to, and what they have withdrawn."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, RowMapping, delete, exists, insert, select, update

from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import known_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.consent_words import NO_CONSENT
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import Campaign, Consent

CONSENTS_OF_NUMBER_MAX: Final = 100
"""The most consents of one number that an account has and that are not over."""
CONSENTS_KEPT_MAX: Final = 300
"""The most consents of one number, with those that are over. All are read when the number is to be dialled."""
_OF_RECORD: Final = frozenset({"id", "last_used_date", "created_date", "updated_date", "phone_number"})
"""The columns in which two consents may differ that say the same."""
_LINKS: Final = ("audio_file_id", "callrequest_id")
_KEPT: Final = Sentence("It was used or withdrawn, so it is kept as a proof.")
ConsentKey = tuple[int, str]
"""The account of a consent, and its number in normal form."""
Columns = Mapping[Any, Any]
"""The columns of a consent by their names."""


def add_consent(unit: UnitOfWork, values: Columns) -> Row[Any]:
    """Add a consent to an account, from its columns; return its row, or that of one that says the same."""
    key = values["user_id"], values["number"]
    same = same_consent(stored_consents(unit.connection, [key])[key], values)
    if same is not None:
        unit.note(NOTHING)
        found = select(*Consent.__table__.c).where(Consent.id == same["id"])
        return unit.connection.execute(found).one()
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


def change_consent(unit: UnitOfWork, consent_id: int, values: Columns) -> None:
    """Write columns of a consent. Of one that was used or withdrawn, only an end can be written, or an earlier one.

    Raises:
        UnknownRecordError: there is no such consent.
        RefusedError: it would be withdrawn later than it was, or a proof would be rewritten.
    """
    before = _read(unit, consent_id)
    withdrawn_ms = before["withdrawn_date"]
    if withdrawn_ms is not None and withdrawn_ms <= unit.now_ms:
        later_ms = values.get("withdrawn_date", withdrawn_ms)
        if later_ms is None or later_ms > withdrawn_ms:
            why = Sentence("The person has withdrawn it. If they agree again, add another consent.")
            raise RefusedError(why, code=ErrorCode.KEPT)
    if _is_proof(before):
        _refuse_to_rewrite(before, values, unit.now_ms)
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
    if _is_proof(before):
        raise RefusedError(_KEPT, code=ErrorCode.KEPT)
    unit.connection.execute(delete(Consent).where(Consent.id == consent_id))
    unit.note(needing_consent(unit, before["user_id"]))


def refuse_without_proof(connection: Connection, audio_file_id: int) -> None:
    """Raise RefusedError if an audio file is the recording of a consent that was used or withdrawn."""
    is_proof = Consent.last_used_date.is_not(None) | Consent.withdrawn_date.is_not(None)
    if connection.scalar(select(exists().where(Consent.audio_file_id == audio_file_id, is_proof))):
        raise RefusedError(_KEPT, code=ErrorCode.KEPT)


def stored_consents(connection: Connection, keys: Collection[ConsentKey]) -> dict[ConsentKey, list[Columns]]:
    """Return the columns of the consents of some numbers, in order, by account and number. Give at most 500."""
    found: dict[ConsentKey, list[Columns]] = {key: [] for key in keys}
    users, numbers = {user for user, _ in keys}, {number for _, number in keys}
    theirs = select(Consent.__table__).where(Consent.user_id.in_(users), Consent.number.in_(numbers))
    for row in connection.execute(theirs.order_by(Consent.id)).mappings():
        found.get((row["user_id"], row["number"]), []).append(row)
    return found


def same_consent(stored: Iterable[Columns], values: Columns) -> Columns | None:
    """Return the first consent of a number that says what new columns say; None if there is none.

    A link that the new columns do not have says nothing.
    """
    said = {name: value for name, value in values.items() if name not in _OF_RECORD}
    said = {name: value for name, value in said.items() if value is not None or name not in _LINKS}
    return next((one for one in stored if all(one[name] == value for name, value in said.items())), None)


def withdrawn_since(stored: Iterable[Columns], values: Columns) -> bool:
    """Return whether a consent with some columns was withdrawn at or after the moment at which it was given.

    A withdrawal counts for what was agreed to for the same purpose and the same firm. Of consents that have themselves
    ended by then, it says nothing new.
    """
    end_ms, purposes = values["withdrawn_date"], frozenset(values["purposes"].split())
    for one in stored:
        at_ms, theirs = one["withdrawn_date"], frozenset(one["purposes"].split())
        if (
            at_ms is None
            or max(at_ms, one["given_date"]) < values["given_date"]
            or (end_ms is not None and end_ms <= at_ms)
        ):
            continue
        is_for_firm = not one["seller"] or not values["seller"] or one["seller"] == values["seller"]
        if is_for_firm and (not theirs or not purposes or theirs & purposes):
            return True
    return False


def too_many_consents(stored: Sequence[Columns], values: Columns, now_ms: int) -> int:
    """Return the limit that a number with some consents has reached before a new one; 0 if there is room."""
    if len(stored) >= CONSENTS_KEPT_MAX:
        return CONSENTS_KEPT_MAX
    is_full = sum(not _is_over(one, now_ms) for one in stored) >= CONSENTS_OF_NUMBER_MAX
    return CONSENTS_OF_NUMBER_MAX if is_full and not _is_over(values, now_ms) else 0


def needing_consent(unit: UnitOfWork, user_id: int) -> Touched:
    """Return the campaigns of an account that need a consent, as touched records."""
    needs_one = Campaign.requires_consent != NO_CONSENT
    return known_campaigns(unit.connection, (Campaign.user_id == user_id) & needs_one)


def _is_over(consent: Columns, now_ms: int) -> bool:
    ends = (consent["withdrawn_date"], consent["expiration_date"])
    return any(at_ms is not None and at_ms <= now_ms for at_ms in ends)


def _is_proof(consent: Columns) -> bool:
    return consent["last_used_date"] is not None or consent["withdrawn_date"] is not None


def _refuse_to_rewrite(before: Columns, values: Columns, now_ms: int) -> None:
    """Raise RefusedError if a change of a proof is more than its first withdrawal, or an earlier end."""
    changed = {name for name, value in values.items() if name not in _OF_RECORD and before[name] != value}
    ends = set[str]()
    if before["withdrawn_date"] is None or before["withdrawn_date"] > now_ms:
        ends |= {"withdrawn_date", "withdrawn_how"}
    after_ms, before_ms = values.get("expiration_date"), before["expiration_date"]
    if after_ms is not None and (before_ms is None or after_ms < before_ms):
        ends.add("expiration_date")
    if changed - ends:
        raise RefusedError(_KEPT, code=ErrorCode.KEPT)


def _read(unit: UnitOfWork, consent_id: int) -> RowMapping:
    row = unit.connection.execute(select(Consent.__table__).where(Consent.id == consent_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no consent {consent_id}.")
    return row
