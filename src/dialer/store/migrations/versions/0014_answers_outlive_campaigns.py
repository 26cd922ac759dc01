"""Answers stay when their campaign or subscriber is deleted, as CDRs do: `callid` leads from the one to the other."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLE = "survey_result"


def upgrade() -> None:
    last_id = _last_id()
    with op.batch_alter_table(TABLE, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("callid", sa.String(length=36), server_default="", nullable=False))
        for name, target in (("campaign_id", "campaign"), ("callrequest_id", "callrequest")):
            key = f"fk_{TABLE}_{name}_{target}"
            batch_op.alter_column(name, existing_type=BIG, nullable=True)
            batch_op.drop_constraint(key, type_="foreignkey")
            batch_op.create_foreign_key(key, target, [name], ["id"], ondelete="SET NULL")
    _keep_last_id(last_id)
    op.execute(
        "UPDATE survey_result SET callid ="
        " (SELECT callid FROM callrequest WHERE callrequest.id = survey_result.callrequest_id)"
    )
    op.create_index(op.f(f"ix_{TABLE}_callid"), TABLE, ["callid"])


def _last_id() -> int | None:
    """Return the highest id that was ever given: the copy of the table must not give it again."""
    if op.get_bind().dialect.name != "sqlite":
        return None  # Only SQLite copies tables.
    found = op.get_bind().execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": TABLE})
    return found.scalar_one_or_none()


def _keep_last_id(last_id: int | None) -> None:
    if last_id is not None:
        connection, values = op.get_bind(), {"name": TABLE, "seq": last_id}
        connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
        connection.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), values)
