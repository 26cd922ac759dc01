"""Calls that come in may be from somebody who is no subscriber, and so may the messages of these calls."""

import sqlalchemy as sa
from alembic import op

revision = "0036_0036"
down_revision = "0035_0029"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = ("callrequest", "sms_message")


def upgrade() -> None:
    for table in TABLES:
        last_id = _last_id(table)
        with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
            batch_op.alter_column("subscriber_id", existing_type=BIG, nullable=True)
        _keep_last_id(table, last_id)
    strangers = sa.text("subscriber_id IS NULL")
    op.create_index(
        "ix_callrequest_callers", "callrequest", ["callerid"], sqlite_where=strangers, postgresql_where=strangers
    )


def _last_id(table: str) -> int | None:
    """Return the highest id that was ever given: the copy of the table must not give it again."""
    if op.get_bind().dialect.name != "sqlite":
        return None  # Only SQLite copies tables.
    found = op.get_bind().execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table})
    return found.scalar_one_or_none()


def _keep_last_id(table: str, last_id: int | None) -> None:
    if last_id is not None:
        connection, values = op.get_bind(), {"name": table, "seq": last_id}
        connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
        connection.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), values)
