"""Recordings and survey templates."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_audio_file()
    _create_survey_template()
    _create_section_template()
    _create_branching_template()


def _create_audio_file() -> None:
    op.create_table(
        "audio_file",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("audio_file", sa.String(length=255), nullable=False),
        sa.Column("format", sa.String(length=16), nullable=False),
        sa.Column("size", BIG, nullable=False),
        sa.Column("duration_ms", BIG, nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_audio_file_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_audio_file"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audio_file_user_id", "audio_file", ["user_id"], unique=False)


def _create_survey_template() -> None:
    op.create_table(
        "survey_template",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.String(length=16000), nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_survey_template_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_survey_template"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_survey_template_user_id", "survey_template", ["user_id"], unique=False)


def _create_section_template() -> None:
    op.create_table(
        "section_template",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("survey_id", BIG, nullable=False),
        sa.Column("order", sa.Integer(), nullable=False),
        sa.Column("type", sa.SmallInteger(), nullable=False),
        sa.Column("question", sa.String(length=500), nullable=False),
        sa.Column("script", sa.String(length=1600), nullable=False),
        sa.Column("audiofile_id", BIG, nullable=True),
        sa.Column("invalid_audiofile_id", BIG, nullable=True),
        sa.Column("retries", sa.Integer(), nullable=True),
        sa.Column("timeout", sa.Integer(), nullable=False),
        *(sa.Column(f"key_{digit}", sa.String(length=100), nullable=True) for digit in range(10)),
        sa.Column("rating_laps", sa.Integer(), nullable=False),
        sa.Column("validate_number", sa.Boolean(), nullable=False),
        sa.Column("number_digits", sa.Integer(), nullable=False),
        sa.Column("min_number", BIG, nullable=False),
        sa.Column("max_number", BIG, nullable=False),
        sa.Column("phonenumber", sa.String(length=64), nullable=True),
        sa.Column("conference", sa.String(length=50), nullable=True),
        sa.Column("sms_text", sa.String(length=1600), nullable=True),
        sa.Column("confirm_script", sa.String(length=1600), nullable=True),
        sa.Column("confirm_key", sa.String(length=1), nullable=True),
        sa.Column("completed", sa.Boolean(), nullable=False),
        sa.Column("queue_id", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["audiofile_id"], ["audio_file.id"], name="fk_section_template_audiofile_id_audio_file", ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["invalid_audiofile_id"],
            ["audio_file.id"],
            name="fk_section_template_invalid_audiofile_id_audio_file",
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["queue_id"], ["queue.id"], name="fk_section_template_queue_id_queue", ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["survey_id"],
            ["survey_template.id"],
            name="fk_section_template_survey_id_survey_template",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_section_template"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_section_template_audiofile_id", "section_template", ["audiofile_id"], unique=False)
    op.create_index(
        "ix_section_template_invalid_audiofile_id", "section_template", ["invalid_audiofile_id"], unique=False
    )
    op.create_index("ix_section_template_queue_id", "section_template", ["queue_id"], unique=False)
    op.create_index("ix_section_template_survey_id", "section_template", ["survey_id"], unique=False)


def _create_branching_template() -> None:
    op.create_table(
        "branching_template",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("section_id", BIG, nullable=False),
        sa.Column("keys", sa.String(length=150), nullable=False),
        sa.Column("goto_id", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["goto_id"],
            ["section_template.id"],
            name="fk_branching_template_goto_id_section_template",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["section_id"],
            ["section_template.id"],
            name="fk_branching_template_section_id_section_template",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_branching_template"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_branching_template_goto_id", "branching_template", ["goto_id"], unique=False)
    op.create_index("ix_branching_template_section_id", "branching_template", ["section_id"], unique=False)
    op.create_index("uq_branching_template_section_id_keys", "branching_template", ["section_id", "keys"], unique=True)
