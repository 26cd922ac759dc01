"""Phonebooks and do-not-call lists."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_dnc_list()
    _create_phonebook()
    _create_contact()
    _create_dnc_contact()


def _create_dnc_list() -> None:
    op.create_table(
        "dnc_list",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_dnc_list_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_dnc_list"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dnc_list_user_id", "dnc_list", ["user_id"], unique=False)


def _create_phonebook() -> None:
    op.create_table(
        "phonebook",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_phonebook_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_phonebook"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_phonebook_user_id", "phonebook", ["user_id"], unique=False)


def _create_contact() -> None:
    op.create_table(
        "contact",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("phonebook_id", BIG, nullable=False),
        sa.Column("contact", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=16), nullable=False),
        sa.Column("zone", sa.String(length=255), nullable=False),
        sa.Column("full_name", sa.String(length=255), nullable=False),
        sa.Column("additional_vars", sa.Text(), server_default="", nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["phonebook_id"], ["phonebook.id"], name="fk_contact_phonebook_id_phonebook", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_contact"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_contact_phonebook_id", "contact", ["phonebook_id"], unique=False)
    op.create_index("ix_contact_phonebook_id_number", "contact", ["phonebook_id", "number"], unique=False)


def _create_dnc_contact() -> None:
    op.create_table(
        "dnc_contact",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("dnc_id", BIG, nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("number", sa.String(length=16), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(["dnc_id"], ["dnc_list.id"], name="fk_dnc_contact_dnc_id_dnc_list", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_dnc_contact"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dnc_contact_dnc_id", "dnc_contact", ["dnc_id"], unique=False)
    op.create_index("uq_dnc_contact_dnc_id_number", "dnc_contact", ["dnc_id", "number"], unique=True)
