"""Counts of requests and of wrong passwords that several processes share."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "request_allowance",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("restored_us", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_request_allowance")),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_request_allowance_subject", "request_allowance", ["subject"], unique=True)
    op.create_table(
        "wrong_password",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_ms", BIG, nullable=False),
        sa.Column("last_ms", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wrong_password")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_wrong_password_last_ms"), "wrong_password", ["last_ms"])
    op.create_index("uq_wrong_password_subject", "wrong_password", ["subject"], unique=True)
