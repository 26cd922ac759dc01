"""Queues and the agents who serve them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_agent()
    _create_queue()
    _create_tier()


def _create_agent() -> None:
    op.create_table(
        "agent",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("contact", sa.String(length=255), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("wrap_up_time", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.String(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_agent_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_agent"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_agent_user_id", "agent", ["user_id"], unique=False)


def _create_queue() -> None:
    op.create_table(
        "queue",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("strategy", sa.SmallInteger(), nullable=False),
        sa.Column("moh_sound", sa.String(length=255), nullable=False),
        sa.Column("record_template", sa.String(length=255), nullable=False),
        sa.Column("time_base_score", sa.String(length=16), nullable=False),
        sa.Column("tier_rules_apply", sa.Boolean(), nullable=False),
        sa.Column("tier_rule_wait_second", sa.Integer(), nullable=False),
        sa.Column("tier_rule_wait_multiply_level", sa.Boolean(), nullable=False),
        sa.Column("tier_rule_no_agent_no_wait", sa.Boolean(), nullable=False),
        sa.Column("discard_abandoned_after", sa.Integer(), nullable=False),
        sa.Column("abandoned_resume_allowed", sa.Boolean(), nullable=False),
        sa.Column("max_wait_time", sa.Integer(), nullable=False),
        sa.Column("max_wait_time_with_no_agent", sa.Integer(), nullable=False),
        sa.Column("max_wait_time_with_no_agent_time_reached", sa.Integer(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_queue_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_queue"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_queue_user_id", "queue", ["user_id"], unique=False)


def _create_tier() -> None:
    op.create_table(
        "tier",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("queue_id", BIG, nullable=False),
        sa.Column("agent_id", BIG, nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agent.id"], name="fk_tier_agent_id_agent", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["queue_id"], ["queue.id"], name="fk_tier_queue_id_queue", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tier"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tier_agent_id", "tier", ["agent_id"], unique=False)
    op.create_index("ix_tier_queue_id", "tier", ["queue_id"], unique=False)
    op.create_index("uq_tier_queue_id_agent_id", "tier", ["queue_id", "agent_id"], unique=True)
