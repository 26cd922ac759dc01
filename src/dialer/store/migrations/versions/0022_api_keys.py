"""API keys."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default="1", nullable=False),
        sa.Column("expirationdate", BIG, nullable=True),
        sa.Column("last_used_date", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_api_key_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_api_key_user_id"), "api_key", ["user_id"])
    op.create_index("uq_api_key_secret_hash", "api_key", ["secret_hash"], unique=True)
