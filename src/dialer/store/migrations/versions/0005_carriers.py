"""Gateways and caller IDs."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_callerid_group()
    _create_gateway()
    _create_sms_gateway()
    _create_callerid()


def _create_callerid_group() -> None:
    op.create_table(
        "callerid_group",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_callerid_group"),
        sqlite_autoincrement=True,
    )


def _create_gateway() -> None:
    op.create_table(
        "gateway",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("addprefix", sa.String(length=60), nullable=False),
        sa.Column("removeprefix", sa.String(length=60), nullable=False),
        sa.Column("protocol", sa.String(length=16), nullable=False),
        sa.Column("max_channels", sa.Integer(), server_default="0", nullable=False),
        sa.Column("max_cps", sa.Integer(), server_default="0", nullable=False),
        sa.Column("parameters", sa.String(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_gateway"),
        sqlite_autoincrement=True,
    )


def _create_sms_gateway() -> None:
    op.create_table(
        "sms_gateway",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("addprefix", sa.String(length=60), nullable=False),
        sa.Column("removeprefix", sa.String(length=60), nullable=False),
        sa.Column("protocol", sa.String(length=16), nullable=False),
        sa.Column("max_cps", sa.Integer(), server_default="0", nullable=False),
        sa.Column("parameters", sa.String(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sms_gateway"),
        sqlite_autoincrement=True,
    )


def _create_callerid() -> None:
    op.create_table(
        "callerid",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("callerid_group_id", BIG, nullable=False),
        sa.Column("areacode", sa.String(length=32), nullable=False),
        sa.Column("callerid_num", sa.String(length=80), nullable=False),
        sa.Column("callerid_name", sa.String(length=255), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["callerid_group_id"],
            ["callerid_group.id"],
            name="fk_callerid_callerid_group_id_callerid_group",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_callerid_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_callerid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_callerid_callerid_group_id", "callerid", ["callerid_group_id"], unique=False)
    op.create_index("ix_callerid_user_id", "callerid", ["user_id"], unique=False)
