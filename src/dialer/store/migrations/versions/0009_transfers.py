"""Transfers, call backs, figures of agents, and circuit breakers of gateways."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _add_tables()
    _add_columns()


def _add_tables() -> None:
    op.create_table(
        "call_back",
        sa.Column("id", BIG, nullable=False),
        sa.Column("due_ms", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["id"], ["callrequest.id"], name=op.f("fk_call_back_id_callrequest"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_call_back")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("call_back") as batch_op:
        batch_op.create_index(op.f("ix_call_back_due_ms"), ["due_ms"], unique=False)

    op.create_table(
        "transfer",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("callrequest_id", BIG, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("section_id", BIG, nullable=False),
        sa.Column("queue_id", BIG, nullable=True),
        sa.Column("agent_id", BIG, nullable=True),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("joined_ms", BIG, nullable=False),
        sa.Column("score_from_ms", BIG, nullable=False),
        sa.Column("offers", sa.Text(), nullable=False),
        sa.Column("parameters", sa.Text(), server_default="", nullable=False),
        sa.Column("started_ms", BIG, nullable=True),
        sa.Column("answered_ms", BIG, nullable=True),
        sa.Column("ended_ms", BIG, nullable=True),
        sa.Column("hold", BIG, nullable=False),
        sa.Column("call_rate", BIG, nullable=False),
        sa.Column("talk_limit_ms", BIG, nullable=False),
        sa.Column("is_abandoned", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agent.id"], name=op.f("fk_transfer_agent_id_agent"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["callrequest_id"],
            ["callrequest.id"],
            name=op.f("fk_transfer_callrequest_id_callrequest"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["queue_id"], ["queue.id"], name=op.f("fk_transfer_queue_id_queue"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfer")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("transfer") as batch_op:
        batch_op.create_index(op.f("ix_transfer_agent_id"), ["agent_id"], unique=False)
        batch_op.create_index(op.f("ix_transfer_callrequest_id"), ["callrequest_id"], unique=False)
        batch_op.create_index("ix_transfer_gateway_id_started_ms", ["gateway_id", "started_ms"], unique=False)
        batch_op.create_index(op.f("ix_transfer_queue_id"), ["queue_id"], unique=False)
        batch_op.create_index("ix_transfer_queue_id_ended_ms", ["queue_id", "ended_ms"], unique=False)
        batch_op.create_index("uq_transfer_callrequest_id_place", ["callrequest_id", "place"], unique=True)


def _add_columns() -> None:
    with op.batch_alter_table("agent") as batch_op:
        batch_op.add_column(sa.Column("figures", sa.Text(), server_default="", nullable=False))

    with op.batch_alter_table("callrequest", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("did_id", BIG, nullable=True))
        batch_op.create_index(op.f("ix_callrequest_did_id"), ["did_id"], unique=False)
        batch_op.create_foreign_key(op.f("fk_callrequest_did_id_did"), "did", ["did_id"], ["id"], ondelete="SET NULL")

    with op.batch_alter_table("campaign") as batch_op:
        batch_op.add_column(sa.Column("abandon_rate_max", BIG, server_default="300000", nullable=False))
        batch_op.add_column(sa.Column("live_answered", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("abandoned", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("pacing_figures", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("callerid_turns", sa.Text(), server_default="", nullable=False))

    for gateways in ("gateway", "sms_gateway"):
        with op.batch_alter_table(gateways) as batch_op:
            batch_op.add_column(sa.Column("failures", sa.Integer(), server_default="0", nullable=False))
            batch_op.add_column(sa.Column("rest_ms", BIG, server_default="0", nullable=False))
            batch_op.add_column(sa.Column("rests_until_ms", BIG, server_default="0", nullable=False))

    with op.batch_alter_table("queue") as batch_op:
        batch_op.add_column(sa.Column("last_agent_id", BIG, server_default="0", nullable=False))
        batch_op.add_column(sa.Column("no_agent_from_ms", BIG, server_default="0", nullable=False))

    with op.batch_alter_table("sms_message", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("callrequest_id", BIG, nullable=True))
        batch_op.create_index(op.f("ix_sms_message_callrequest_id"), ["callrequest_id"], unique=False)
        batch_op.create_foreign_key(
            op.f("fk_sms_message_callrequest_id_callrequest"),
            "callrequest",
            ["callrequest_id"],
            ["id"],
            ondelete="SET NULL",
        )
        batch_op.add_column(sa.Column("sms_campaign_id", BIG, nullable=True))
        batch_op.create_index(op.f("ix_sms_message_sms_campaign_id"), ["sms_campaign_id"], unique=False)
        batch_op.create_foreign_key(
            op.f("fk_sms_message_sms_campaign_id_campaign"),
            "campaign",
            ["sms_campaign_id"],
            ["id"],
            ondelete="SET NULL",
        )
        batch_op.drop_index("uq_sms_message_subscriber_id_attempt")
        batch_op.create_index(
            "uq_sms_message_subscriber_id_attempt",
            ["subscriber_id", "attempt"],
            unique=True,
            sqlite_where=sa.text("callrequest_id IS NULL"),
            postgresql_where=sa.text("callrequest_id IS NULL"),
        )

    op.execute("UPDATE sms_message SET sms_campaign_id = campaign_id")

    with op.batch_alter_table("survey_result") as batch_op:
        batch_op.add_column(sa.Column("record_file", sa.String(length=255), server_default="", nullable=False))
        batch_op.add_column(sa.Column("recording_duration", sa.Integer(), nullable=True))
