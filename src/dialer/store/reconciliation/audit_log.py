"""Audit of the audit log: each entry has the hash of the one before. The oldest go, so any may be the first."""

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from dialer.store.reconciliation.differences import MISSING, ROWS_AT_ONCE, Difference
from dialer.store.rows.audit_chain import HASHED, ChainEnd, hash_of, hash_of_entry
from dialer.store.tables import AuditLog


def audit_chain(connection: Connection) -> Iterator[Difference]:
    """Yield the entries before which one was changed, removed or added."""
    after_id, link = 0, None
    query = select(AuditLog.id, *HASHED).order_by(AuditLog.id).limit(ROWS_AT_ONCE)
    while rows := connection.execute(query.where(AuditLog.id > after_id)).mappings().all():
        for row in rows:
            if link is not None and row["previous"] != link:
                yield Difference(f"audit-log {row['id']}", "the hash of the entry before", row["previous"], link)
            after_id, link = row["id"], hash_of(row)


def audit_noted(connection: Connection, noted: ChainEnd) -> Iterator[Difference]:
    """Yield a difference unless the log has an entry with the hash that somebody noted when it was the newest one."""
    found = hash_of_entry(connection, noted.entry)
    if found == noted.sha256:
        return
    if found:
        why = "as was noted: it or one before was changed"
    else:
        oldest, newest = connection.execute(select(func.min(AuditLog.id), func.max(AuditLog.id))).one()
        why = f"as was noted: {_where_it_lacks(noted.entry, oldest, newest)}"
    yield Difference(f"audit-log {noted.entry}", "SHA-256", found or MISSING, f"{noted.sha256}, {why}")


def _where_it_lacks(entry: int, oldest: int | None, newest: int | None) -> str:
    if oldest is None or newest is None:
        return "the log has no entry"
    if entry > newest:
        return f"the log was cut off, and ends with entry {newest}"
    if entry < oldest:
        return f"the log begins with entry {oldest}. If the noted one was too old and went, note a newer one"
    return "the entry was removed"
