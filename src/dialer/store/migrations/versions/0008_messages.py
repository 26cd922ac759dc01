"""Text messages."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sms_message",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("subscriber_id", BIG, nullable=False),
        sa.Column("contact_id", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("callerid", sa.String(length=80), nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("text_message", sa.String(length=16000), nullable=False),
        sa.Column("parts", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("cost", BIG, nullable=False),
        sa.Column("hold", BIG, nullable=False),
        sa.Column("parameters", sa.String(), nullable=True),
        sa.Column("send_date", BIG, nullable=False),
        sa.Column("delivery_date", BIG, nullable=True),
        sa.Column("ended_ms", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_sms_message_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["subscriber_id"], ["subscriber.id"], name="fk_sms_message_subscriber_id_subscriber", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["contact_id"], ["contact.id"], name="fk_sms_message_contact_id_contact", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_sms_message_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sms_message"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sms_message_campaign_id_status", "sms_message", ["campaign_id", "status"], unique=False)
    op.create_index("ix_sms_message_contact_id", "sms_message", ["contact_id"], unique=False)
    op.create_index("ix_sms_message_gateway_id_send_date", "sms_message", ["gateway_id", "send_date"], unique=False)
    op.create_index(
        "ix_sms_message_on_its_way",
        "sms_message",
        ["campaign_id"],
        unique=False,
        sqlite_where=sa.text("ended_ms IS NULL"),
        postgresql_where=sa.text("ended_ms IS NULL"),
    )
    op.create_index("ix_sms_message_phone_number", "sms_message", ["phone_number"], unique=False)
    op.create_index("ix_sms_message_user_id", "sms_message", ["user_id"], unique=False)
    op.create_index("uq_sms_message_subscriber_id_attempt", "sms_message", ["subscriber_id", "attempt"], unique=True)
