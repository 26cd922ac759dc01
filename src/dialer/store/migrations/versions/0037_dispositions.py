"""Dispositions of calls, with notes and times of call-backs."""

import sqlalchemy as sa
from alembic import op

revision = "0037_0036"
down_revision = "0036_0036"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "call_disposition",
        sa.Column("id", BIG, nullable=False),
        sa.Column("callrequest_id", BIG, nullable=False),
        sa.Column("disposition", sa.String(length=40), nullable=False),
        sa.Column("note", sa.String(length=1000), server_default="", nullable=False),
        sa.Column("call_back_ms", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["callrequest_id"],
            ["callrequest.id"],
            name=op.f("fk_call_disposition_callrequest_id_callrequest"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_disposition")),
        sa.UniqueConstraint("callrequest_id", name=op.f("uq_call_disposition_callrequest_id")),
        sqlite_autoincrement=True,
    )
