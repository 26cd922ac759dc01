"""The writer of the audit log. It hears of a change from the events of its unit of work, in the same transaction."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, FromClause, delete, func, insert, select

from dialer.app.events import AppEvent, RecordWritten, SubscriberAdded
from dialer.app.unit import UnitOfWork
from dialer.store.tables import REMOVABLE_MS, Agent, AuditLog, Campaign, DncList, Phonebook, Queue

REMOVED_AT_ONCE: Final = 1_000
"""Old entries that one unit of work removes."""
UNLOGGED: Final[frozenset[type[AppEvent]]] = frozenset({SubscriberAdded})
"""Events that are too many for the log."""
SUBJECTS: Final[Mapping[str, str]] = {
    "campaign_id": "campaigns",
    "payment_id": "payment",
    "cdr_id": "cdr",
    "user_id": "users",
    "key_id": "api-key",
    "gateway_id": "gateway",
    "agent_id": "agent",
    "queue_id": "queue",
    "contact_id": "contact",
    "phonebook_id": "phonebook",
    "dnc_id": "dnc-list",
}
"""The resource of an event, by the name of its first field."""

_OWNED: Final[Mapping[str, FromClause]] = {
    "campaign_id": Campaign.__table__,
    "phonebook_id": Phonebook.__table__,
    "dnc_id": DncList.__table__,
    "agent_id": Agent.__table__,
    "queue_id": Queue.__table__,
}
"""The tables of subjects whose rows name their owner."""
_DIGITS: Final = re.compile(r"\+?\d(?:[^\w+]{0,3}\d){6,}")
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")
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
    """Write the changes of a unit of work into the audit log. Records that were written tell more than other events."""
    written = [entry for entry in unit.happened if isinstance(entry, RecordWritten)]
    found = written or list(_translated(unit))
    write_entries(unit.connection, unit.now_ms, [(entry, origin) for entry in found])


def write_entries(connection: Connection, now_ms: int, entries: Sequence[tuple[RecordWritten, Origin]]) -> None:
    """Write entries with their origins."""
    if entries:
        connection.execute(insert(AuditLog), [_row(entry, origin, now_ms) for entry, origin in entries])


def remove_old_entries(connection: Connection, before_ms: int) -> int:
    """Remove entries that are older than a moment, at most `REMOVED_AT_ONCE`, and return their number.

    Entries that the triggers of the table keep are left, because they would undo the change of the caller.
    """
    newest_ms = select(func.max(AuditLog.created_date)).scalar_subquery()
    is_old = (AuditLog.created_date < before_ms) & (AuditLog.created_date <= newest_ms - REMOVABLE_MS)
    old = select(AuditLog.id).where(is_old).limit(REMOVED_AT_ONCE)
    return connection.execute(delete(AuditLog).where(AuditLog.id.in_(old))).rowcount


def _translated(unit: UnitOfWork) -> Iterator[RecordWritten]:
    """Yield entries for events that name a record by its id."""
    for event in unit.happened:
        if type(event) in UNLOGGED:
            continue
        values: dict[str, Any] = msgspec.structs.asdict(event)
        first = next(iter(values))
        action = _CAPITAL.sub("_", type(event).__name__).lower()
        record_id = values[first] if first in SUBJECTS else None
        owner = values["user_id"] if "user_id" in values else _owner(unit.connection, first, record_id)
        yield RecordWritten(action, SUBJECTS.get(first, ""), record_id, owner, {}, values)


def _owner(connection: Connection, first: str, record_id: int | None) -> int | None:
    """Return the user who owns the subject of an event; None if the subject is deleted or belongs to no user."""
    table = _OWNED.get(first)
    return None if table is None else connection.scalar(select(table.c.user_id).where(table.c.id == record_id))


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
