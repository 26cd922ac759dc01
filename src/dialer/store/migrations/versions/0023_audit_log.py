"""The audit log; its triggers are created after every upgrade."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("actor_id", BIG, nullable=True),
        sa.Column("actor", sa.String(length=150), nullable=False),
        sa.Column("via", sa.String(length=16), nullable=False),
        sa.Column("key_prefix", sa.String(length=16), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("resource", sa.String(length=40), nullable=False),
        sa.Column("record_id", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=True),
        sa.Column("before", sa.Text(), server_default="", nullable=False),
        sa.Column("after", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_log_created_date"), "audit_log", ["created_date"])
    op.create_index("ix_audit_log_user_id", "audit_log", ["user_id"])
