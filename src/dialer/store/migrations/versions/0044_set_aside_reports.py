"""Reports of lines that could not be handled, each with the reason."""

import sqlalchemy as sa
from alembic import op

revision = "0044_0041"
down_revision = "0041_0041"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SOUGHT = ("at_ms", "key", "number")


def upgrade() -> None:
    op.create_table(
        "set_aside_report",
        sa.Column("id", BIG, nullable=False),
        sa.Column("identity", sa.String(length=36), nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("number", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("ends_leg", sa.Boolean(), nullable=False),
        sa.Column("at_ms", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_set_aside_report")),
        sa.UniqueConstraint("identity", name=op.f("uq_set_aside_report_identity")),
        sqlite_autoincrement=True,
    )
    for column in SOUGHT:
        op.create_index(f"ix_set_aside_report_{column}", "set_aside_report", [column])
