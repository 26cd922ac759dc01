"""The chain of the audit log: each entry has the hash of the one before, so that a changed or missing one is found.

Entries are written one unit of work after another, so their ids are in the order of the chain.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, func, insert, select

from dialer.store.tables import AuditLog

_HASHED: Final = (
    *("previous", "created_date", "actor_id", "actor", "via", "key_prefix", "address"),
    *("action", "resource", "record_id", "user_id", "before", "after"),
)
HASHED: Final = [AuditLog.__table__.c[name] for name in _HASHED]
"""The columns of an entry that its hash covers: all but the id, which is not known before the entry is written."""
_NEWEST: Final = select(*HASHED).where(AuditLog.id == select(func.max(AuditLog.id)).scalar_subquery())


class ChainEnd(NamedTuple):
    """An entry of the log, up to which a chain goes: its id, and its hash. 0 and an empty text for an empty log."""

    entry: int
    sha256: str


def hash_of(entry: Mapping[Any, Any]) -> str:
    """Return the hash of an entry, given by the names of its columns."""
    return sha256(msgspec.json.encode([entry[name] for name in _HASHED])).hexdigest()


def add_entries(connection: Connection, entries: Sequence[dict[str, Any]]) -> None:
    """Write entries of the audit log, chained to the newest one that is there."""
    newest = connection.execute(_NEWEST).mappings().first()
    link, rows = "" if newest is None else hash_of(newest), []
    for entry in entries:
        rows.append({**entry, "previous": link})
        link = hash_of(rows[-1])
    if rows:
        connection.execute(insert(AuditLog), rows)


def hash_of_entry(connection: Connection, entry_id: int) -> str:
    """Return the hash of an entry; empty if there is none."""
    entry = connection.execute(select(*HASHED).where(AuditLog.id == entry_id)).mappings().first()
    return "" if entry is None else hash_of(entry)


def end_of_chain(connection: Connection) -> ChainEnd:
    """Return the newest entry."""
    newest = connection.scalar(select(func.max(AuditLog.id))) or 0
    return ChainEnd(newest, hash_of_entry(connection, newest))
