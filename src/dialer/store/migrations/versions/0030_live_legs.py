"""Legs of real carriers."""

import sqlalchemy as sa
from alembic import op

revision = "0030_0029"
down_revision = "0029"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "live_leg",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("key", sa.String(length=36), nullable=False),
        sa.Column("call_id", BIG, nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("dialling", sa.Text(), nullable=False),
        sa.Column("wanted_ms", BIG, nullable=False),
        sa.Column("handed_ms", BIG, nullable=True),
        sa.Column("heard_ms", BIG, nullable=True),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("handle", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_leg")),
        sa.UniqueConstraint("key", name=op.f("uq_live_leg_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_live_leg_call_id"), "live_leg", ["call_id"])
    op.create_table(
        "text_part",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("message_id", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["sms_message.id"], name=op.f("fk_text_part_message_id_sms_message"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_part")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_text_part_message_id"), "text_part", ["message_id"])
    op.create_index("uq_text_part_gateway_id_name", "text_part", ["gateway_id", "name"], unique=True)
    for table in ("gateway", "sms_gateway"):
        op.add_column(table, sa.Column("line_down", sa.String(length=255), server_default="", nullable=False))
    op.add_column("service_state", sa.Column("leg_key", sa.LargeBinary(), nullable=True))
