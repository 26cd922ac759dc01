"""Sessions of the console."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "console_session",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("browser", sa.String(length=200), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("used_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_console_session_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_console_session"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_console_session_user_id", "console_session", ["user_id"], unique=False)
    op.create_index("uq_console_session_token_hash", "console_session", ["token_hash"], unique=True)
