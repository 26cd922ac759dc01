"""Campaigns, their sealed surveys, and their subscribers."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_campaign()
    _create_campaign_phonebook()
    _create_did()
    _create_sealed_survey()
    _create_subscriber()


def _campaign_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("medium", sa.String(length=8), server_default="voice", nullable=False),
        sa.Column("campaign_code", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("callerid", sa.String(length=80), nullable=False),
        sa.Column("callerid_group_id", BIG, nullable=True),
        sa.Column("startingdate", BIG, nullable=False),
        sa.Column("expirationdate", BIG, nullable=False),
        sa.Column("daily_start_time", sa.String(length=8), nullable=False),
        sa.Column("daily_stop_time", sa.String(length=8), nullable=False),
        sa.Column("monday", sa.Boolean(), nullable=False),
        sa.Column("tuesday", sa.Boolean(), nullable=False),
        sa.Column("wednesday", sa.Boolean(), nullable=False),
        sa.Column("thursday", sa.Boolean(), nullable=False),
        sa.Column("friday", sa.Boolean(), nullable=False),
        sa.Column("saturday", sa.Boolean(), nullable=False),
        sa.Column("sunday", sa.Boolean(), nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.Column("max_aleg", sa.Integer(), server_default="0", nullable=False),
        sa.Column("max_xfer", sa.Integer(), server_default="0", nullable=False),
        sa.Column("dial_method", sa.SmallInteger(), nullable=False),
        sa.Column("agent_dial_rate", BIG, nullable=False),
        sa.Column("callmaxduration", sa.Integer(), nullable=False),
        sa.Column("maxretry", sa.Integer(), nullable=False),
        sa.Column("intervalretry", sa.Integer(), nullable=False),
        sa.Column("completion_maxretry", sa.Integer(), nullable=False),
        sa.Column("completion_intervalretry", sa.Integer(), nullable=False),
        sa.Column("calltimeout", sa.Integer(), nullable=False),
        sa.Column("aleg_gateway_id", BIG, nullable=True),
        sa.Column("sms_gateway_id", BIG, nullable=True),
        sa.Column("text_message", sa.String(length=1600), server_default="", nullable=False),
        sa.Column("object_id", BIG, nullable=False),
        sa.Column("extra_data", sa.String(length=120), nullable=False),
        sa.Column("voicemail", sa.Boolean(), nullable=False),
        sa.Column("amd_behavior", sa.SmallInteger(), nullable=False),
        sa.Column("voicemail_audiofile_id", BIG, nullable=True),
        sa.Column("dnc_id", BIG, nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("status_reason", sa.String(length=40), nullable=False),
        sa.Column("totalcontact", sa.Integer(), server_default="0", nullable=False),
        sa.Column("completed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("calls", sa.Integer(), server_default="0", nullable=False),
        sa.Column("answered", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cost", BIG, nullable=False),
        sa.Column("next_dial_us", BIG, nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
    ]


def _create_campaign() -> None:
    op.create_table(
        "campaign",
        *_campaign_columns(),
        sa.ForeignKeyConstraint(
            ["aleg_gateway_id"], ["gateway.id"], name="fk_campaign_aleg_gateway_id_gateway", ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["callerid_group_id"],
            ["callerid_group.id"],
            name="fk_campaign_callerid_group_id_callerid_group",
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(["dnc_id"], ["dnc_list.id"], name="fk_campaign_dnc_id_dnc_list", ondelete="RESTRICT"),
        sa.ForeignKeyConstraint(
            ["sms_gateway_id"], ["sms_gateway.id"], name="fk_campaign_sms_gateway_id_sms_gateway", ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_campaign_user_id_user_account", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["voicemail_audiofile_id"],
            ["audio_file.id"],
            name="fk_campaign_voicemail_audiofile_id_audio_file",
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_campaign"),
        sa.UniqueConstraint("campaign_code", name="uq_campaign_campaign_code"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_campaign_aleg_gateway_id", "campaign", ["aleg_gateway_id"], unique=False)
    op.create_index("ix_campaign_callerid_group_id", "campaign", ["callerid_group_id"], unique=False)
    op.create_index("ix_campaign_dnc_id", "campaign", ["dnc_id"], unique=False)
    op.create_index("ix_campaign_object_id", "campaign", ["object_id"], unique=False)
    op.create_index("ix_campaign_sms_gateway_id", "campaign", ["sms_gateway_id"], unique=False)
    op.create_index("ix_campaign_status", "campaign", ["status"], unique=False)
    op.create_index("ix_campaign_user_id", "campaign", ["user_id"], unique=False)
    op.create_index("ix_campaign_voicemail_audiofile_id", "campaign", ["voicemail_audiofile_id"], unique=False)


def _create_campaign_phonebook() -> None:
    op.create_table(
        "campaign_phonebook",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("phonebook_id", BIG, nullable=False),
        sa.Column("collected_contact_id", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_campaign_phonebook_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["phonebook_id"], ["phonebook.id"], name="fk_campaign_phonebook_phonebook_id_phonebook", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_campaign_phonebook"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_campaign_phonebook_campaign_id", "campaign_phonebook", ["campaign_id"], unique=False)
    op.create_index("ix_campaign_phonebook_phonebook_id", "campaign_phonebook", ["phonebook_id"], unique=False)
    op.create_index(
        "uq_campaign_phonebook_campaign_id_phonebook_id",
        "campaign_phonebook",
        ["campaign_id", "phonebook_id"],
        unique=True,
    )


def _create_did() -> None:
    op.create_table(
        "did",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("did_number", sa.String(length=64), nullable=False),
        sa.Column("campaign_id", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_did_campaign_id_campaign", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_did_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_did"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_did_campaign_id", "did", ["campaign_id"], unique=False)
    op.create_index("ix_did_user_id", "did", ["user_id"], unique=False)


def _create_sealed_survey() -> None:
    op.create_table(
        "sealed_survey",
        sa.Column("id", BIG, nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["campaign.id"], name="fk_sealed_survey_id_campaign", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_sealed_survey"),
        sqlite_autoincrement=True,
    )


def _create_subscriber() -> None:
    op.create_table(
        "subscriber",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("contact_id", BIG, nullable=True),
        sa.Column("duplicate_contact", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=16), nullable=False),
        sa.Column("zone", sa.String(length=255), nullable=False),
        sa.Column("full_name", sa.String(length=255), nullable=False),
        sa.Column("gmt_offset", sa.String(length=8), nullable=False),
        sa.Column("tz_code", sa.String(length=64), nullable=False),
        sa.Column("additional_vars", sa.Text(), server_default="", nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("status_reason", sa.String(length=40), nullable=False),
        sa.Column("halt_reason", sa.String(length=40), nullable=False),
        sa.Column("count_attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("completion_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_attempt", BIG, nullable=True),
        sa.Column("due_ms", BIG, nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_subscriber_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["contact_id"], ["contact.id"], name="fk_subscriber_contact_id_contact", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_subscriber"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_subscriber_contact_id", "subscriber", ["contact_id"], unique=False)
    op.create_index(
        "ix_subscriber_hopper", "subscriber", ["campaign_id", "status", "zone", "due_ms", "id"], unique=False
    )
    op.create_index("uq_subscriber_campaign_id_number", "subscriber", ["campaign_id", "number"], unique=True)
