"""Callbacks of carriers about text messages."""

import sqlalchemy as sa
from alembic import op

revision = "0031_0029"
down_revision = "0030_0029"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "text_news",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("key", sa.String(length=36), server_default="", nullable=False),
        sa.Column("heard", sa.Text(), nullable=False),
        sa.Column("is_text", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("told_ms", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_news")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_text_news_is_text", "text_news", ["is_text", "id"])
