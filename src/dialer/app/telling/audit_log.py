"""The audit log: a listener of units of work."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, func, select

from dialer.app.work.events import (
    AgentStatusChanged,
    AppEvent,
    CallDisposed,
    CampaignEvent,
    NumberAllowed,
    NumberCalledOff,
    NumbersCalledOff,
    SignedIn,
)
from dialer.app.work.unit import RecordWritten, UnitOfWork
from dialer.store.backends.removal import REMOVABLE_MS
from dialer.store.rows.audit_chain import add_entries
from dialer.store.tables import SMS, AuditLog, Campaign

REMOVED_AT_ONCE: Final = 1_000
"""Old entries that one unit of work removes."""
_ACTIONS: Final[Mapping[type[AppEvent], str]] = {
    CallDisposed: "call_disposed",
    AgentStatusChanged: "agent_status_changed",
    NumberCalledOff: "number_called_off",
    NumberAllowed: "number_allowed",
    NumbersCalledOff: "numbers_called_off",
    SignedIn: "signed_in",
}
"""The actions of events that the log has always named otherwise than their types."""
_DIGITS: Final = re.compile(r"\+?\d(?:[^\w+]{0,3}\d){6,}")
_MASK: Final = "[number]"


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The user who acts, and the way of the request into the service."""

    via: str
    """`password`, `key`, `console`, `code`, `none` or `command line`."""
    actor_id: int | None = None
    actor: str = ""
    key_prefix: str = ""
    address: str = ""


COMMAND_LINE: Final = Origin(via="command line", actor="command line")


def masked(text: str) -> str:
    """Return a text with a mask in place of everything that may be a phone number: seven or more digits."""
    return _DIGITS.sub(_MASK, text)


def write_audit_log(unit: UnitOfWork, origin: Origin) -> None:
    """Write the changes of a unit of work into the audit log. Records that were written tell more than events."""
    entries = unit.written or [_entry(event, unit.connection) for event in unit.happened]
    write_entries(unit.connection, unit.now_ms, [(entry, origin) for entry in entries])


def write_entries(connection: Connection, now_ms: int, entries: Sequence[tuple[RecordWritten, Origin]]) -> None:
    """Write entries with their origins, each with the hash of the one before."""
    if entries:
        add_entries(connection, [_row(entry, origin, now_ms) for entry, origin in entries])


def was_noted(unit: UnitOfWork, event: AppEvent, actor_id: int, within_ms: int) -> bool:
    """Return whether a user has an entry of such an event about the same record in this time before now."""
    entry = _entry(event, unit.connection)
    is_it = (AuditLog.resource == entry.resource) & (AuditLog.record_id == entry.record_id)
    is_by = (AuditLog.action == entry.action) & (AuditLog.actor_id == actor_id)
    found = select(AuditLog.id).where(is_it, is_by, AuditLog.created_date > unit.now_ms - within_ms).limit(1)
    return unit.connection.scalar(found) is not None


def remove_old_entries(connection: Connection, before_ms: int) -> int:
    """Remove entries that are older than a moment, at most `REMOVED_AT_ONCE`, and return their number.

    Entries that the triggers of the table keep are left, because they would undo the change of the caller. Those after
    one that is kept are kept, too, as the chain would have a gap.
    """
    newest_ms = select(func.max(AuditLog.created_date)).scalar_subquery()
    is_kept = (AuditLog.created_date >= before_ms) | (AuditLog.created_date > newest_ms - REMOVABLE_MS)
    first_kept = select(AuditLog.id).where(is_kept).order_by(AuditLog.id).limit(1).scalar_subquery()
    is_old = AuditLog.id < func.coalesce(first_kept, 0)
    old = select(AuditLog.id).where(is_old).order_by(AuditLog.id).limit(REMOVED_AT_ONCE)
    return connection.execute(delete(AuditLog).where(AuditLog.id.in_(old))).rowcount


def _entry(event: AppEvent, connection: Connection) -> RecordWritten:
    action = _ACTIONS.get(type(event)) or event.type.replace(".", "_")
    resource = "" if event.subject is None else event.subject.resource
    if isinstance(event, CampaignEvent) and _is_of_texts(connection, event.campaign_id):
        resource = "sms-campaigns"
    values = msgspec.structs.asdict(event)
    return RecordWritten(action, resource, event.subject_id, event.account(connection), {}, values)


def _is_of_texts(connection: Connection, campaign_id: int) -> bool:
    return connection.scalar(select(Campaign.medium).where(Campaign.id == campaign_id)) == SMS


def _row(entry: RecordWritten, origin: Origin, now_ms: int) -> dict[str, Any]:
    return {
        "created_date": now_ms,
        "actor_id": origin.actor_id,
        "actor": masked(origin.actor),
        "via": origin.via,
        "key_prefix": origin.key_prefix,
        "address": origin.address,
        "action": entry.action,
        "resource": entry.resource,
        "record_id": entry.record_id,
        "user_id": origin.actor_id if entry.user_id is None else entry.user_id,
        "before": msgspec.json.encode(entry.before).decode(),
        "after": msgspec.json.encode(entry.after).decode(),
    }
