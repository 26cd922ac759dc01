"""Users and their money, and the state of the service."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_service_state()
    _create_user_account()
    _create_idempotent_response()
    _create_ledger_entry()
    _create_payment()


def _create_service_state() -> None:
    op.create_table(
        "service_state",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("now_ms", BIG, nullable=False),
        sa.Column("last_callrequest_id", BIG, nullable=False),
        sa.Column("last_cdr_id", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_service_state"),
        sqlite_autoincrement=True,
    )


def _create_user_account() -> None:
    op.create_table(
        "user_account",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("username", sa.String(length=150), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("first_name", sa.String(length=255), nullable=False),
        sa.Column("last_name", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("call_rate", BIG, nullable=False),
        sa.Column("sms_rate", BIG, nullable=False),
        sa.Column("balance", BIG, nullable=False),
        sa.Column("held", BIG, nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user_account"),
        sa.UniqueConstraint("username", name="uq_user_account_username"),
        sqlite_autoincrement=True,
    )


def _create_idempotent_response() -> None:
    op.create_table(
        "idempotent_response",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("path", sa.String(length=255), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status_code", sa.SmallInteger(), nullable=False),
        sa.Column("headers", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_idempotent_response_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_idempotent_response"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_idempotent_response_created_date", "idempotent_response", ["created_date"], unique=False)
    op.create_index(
        "uq_idempotent_response_user_id_path_key", "idempotent_response", ["user_id", "path", "key"], unique=True
    )
    op.create_index("ix_idempotent_response_user_id", "idempotent_response", ["user_id"], unique=False)


def _create_ledger_entry() -> None:
    op.create_table(
        "ledger_entry",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("amount", BIG, nullable=False),
        sa.Column("reference", sa.String(length=80), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_ledger_entry_user_id_user_account", ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_ledger_entry"),
        sa.UniqueConstraint("reference", name="uq_ledger_entry_reference"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ledger_entry_user_id", "ledger_entry", ["user_id"], unique=False)


def _create_payment() -> None:
    op.create_table(
        "payment",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("amount", BIG, nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_payment_user_id_user_account", ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_payment"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_payment_user_id", "payment", ["user_id"], unique=False)
