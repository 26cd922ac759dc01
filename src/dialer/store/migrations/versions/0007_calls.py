"""Call requests, CDRs and survey results."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_callrequest()
    _create_cdr()
    _create_survey_result()


def _create_callrequest() -> None:
    op.create_table(
        "callrequest",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("subscriber_id", BIG, nullable=False),
        sa.Column("contact_id", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("callid", sa.String(length=36), nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("callerid", sa.String(length=80), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("status_reason", sa.String(length=40), nullable=False),
        sa.Column("started_ms", BIG, nullable=False),
        sa.Column("ended_ms", BIG, nullable=True),
        sa.Column("hangup_cause_q850", sa.Integer(), nullable=True),
        sa.Column("ring_limit_ms", BIG, nullable=False),
        sa.Column("talk_limit_ms", BIG, nullable=False),
        sa.Column("hold", BIG, nullable=False),
        sa.Column("call_rate", BIG, nullable=False),
        sa.Column("amd", sa.SmallInteger(), nullable=False),
        sa.Column("parameters", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_callrequest_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["subscriber_id"], ["subscriber.id"], name="fk_callrequest_subscriber_id_subscriber", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_callrequest_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_callrequest"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_callrequest_calling",
        "callrequest",
        ["campaign_id"],
        unique=False,
        sqlite_where=sa.text("status = 7"),
        postgresql_where=sa.text("status = 7"),
    )
    op.create_index("ix_callrequest_campaign_id_status", "callrequest", ["campaign_id", "status"], unique=False)
    op.create_index("ix_callrequest_gateway_id_started_ms", "callrequest", ["gateway_id", "started_ms"], unique=False)
    op.create_index("ix_callrequest_user_id", "callrequest", ["user_id"], unique=False)
    op.create_index("uq_callrequest_subscriber_id_attempt", "callrequest", ["subscriber_id", "attempt"], unique=True)


def _create_cdr() -> None:
    op.create_table(
        "cdr",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("callid", sa.String(length=36), nullable=False),
        sa.Column("callerid", sa.String(length=80), nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("starting_date", BIG, nullable=False),
        sa.Column("duration", sa.Integer(), nullable=False),
        sa.Column("billsec", sa.Integer(), nullable=False),
        sa.Column("call_cost", BIG, nullable=False),
        sa.Column("billed_duration", sa.Integer(), nullable=False),
        sa.Column("hangup_cause_q850", sa.Integer(), nullable=False),
        sa.Column("leg_type", sa.SmallInteger(), nullable=False),
        sa.Column("amd_status", sa.SmallInteger(), nullable=False),
        sa.Column("callrequest_id", BIG, nullable=True),
        sa.Column("campaign_id", BIG, nullable=True),
        sa.Column("subscriber_id", BIG, nullable=False),
        sa.Column("contact_id", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["callrequest_id"], ["callrequest.id"], name="fk_cdr_callrequest_id_callrequest", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_cdr_campaign_id_campaign", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_cdr_user_id_user_account", ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_cdr"),
        sa.UniqueConstraint("callid", name="uq_cdr_callid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_cdr_callrequest_id", "cdr", ["callrequest_id"], unique=False)
    op.create_index("ix_cdr_campaign_id", "cdr", ["campaign_id"], unique=False)
    op.create_index("ix_cdr_phone_number", "cdr", ["phone_number"], unique=False)
    op.create_index("ix_cdr_starting_date", "cdr", ["starting_date"], unique=False)
    op.create_index("ix_cdr_user_id", "cdr", ["user_id"], unique=False)


def _create_survey_result() -> None:
    op.create_table(
        "survey_result",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("callrequest_id", BIG, nullable=False),
        sa.Column("section_id", BIG, nullable=False),
        sa.Column("section_type", sa.SmallInteger(), nullable=False),
        sa.Column("question", sa.String(length=500), nullable=False),
        sa.Column("response", sa.String(length=255), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["callrequest_id"],
            ["callrequest.id"],
            name="fk_survey_result_callrequest_id_callrequest",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_survey_result_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_survey_result_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_survey_result"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_survey_result_callrequest_id", "survey_result", ["callrequest_id"], unique=False)
    op.create_index("ix_survey_result_campaign_id", "survey_result", ["campaign_id"], unique=False)
    op.create_index("ix_survey_result_section_id", "survey_result", ["section_id"], unique=False)
    op.create_index("ix_survey_result_user_id", "survey_result", ["user_id"], unique=False)
