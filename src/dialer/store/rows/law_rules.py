"""Rows of law among the contact rules: each start of the service writes them as their file has them."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from dialer.store.queries.contact_law import LawRow, law_rows
from dialer.store.tables import ContactRule


def keep_law_rows(connection: Connection, now_ms: int) -> None:
    """Add, change and remove the rows of law among the contact rules. A row that an admin has switched stays so.

    A row that the program no longer decides is off, whoever switched it on.
    """
    is_law = ContactRule.user_id.is_(None)
    stored = {row["row"]: row for row in connection.execute(select(ContactRule.__table__).where(is_law)).mappings()}
    for row in law_rows():
        before, columns = stored.pop(row.id, None), _columns(row)
        if before is None:
            stamps = {"created_date": now_ms, "updated_date": now_ms}
            connection.execute(insert(ContactRule).values(**columns, **stamps))
            continue
        if before["switched_date"] is not None and row.binds:
            columns["enabled"] = before["enabled"]
        changed = {name: value for name, value in columns.items() if before[name] != value}
        if changed:
            connection.execute(
                update(ContactRule).where(ContactRule.id == before["id"]).values(**changed, updated_date=now_ms)
            )
    if stored:
        connection.execute(delete(ContactRule).where(is_law, ContactRule.row.in_(stored)))


def _columns(row: LawRow) -> dict[str, Any]:
    return {
        "row": row.id,
        "name": row.name,
        "source": row.source,
        "enabled": row.is_on,
        "from_date": None if row.from_date is None else row.from_date.isoformat(),
        "until_date": None if row.until_date is None else row.until_date.isoformat(),
        "country": row.country,
        "state": row.state,
        "purposes": " ".join(row.purposes),
        "media": " ".join(row.media),
        "after": "" if row.after is None else row.after.value,
        "most": row.limit,
        "period": row.period,
        "unit": row.unit.value,
        "per": row.per,
        "scope": row.scope.value,
    }
