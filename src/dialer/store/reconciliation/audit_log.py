"""Audit of the audit log: each entry has the hash of the one before. The oldest go, so any may be the first."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from dialer.store.reconciliation.differences import ROWS_AT_ONCE, Difference
from dialer.store.rows.audit_chain import HASHED, hash_of
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
