"""Second factors of users, their recovery codes, and sign-ins that wait for a code."""

import sqlalchemy as sa
from alembic import op

revision = "0042_0041"
down_revision = "0041_0041"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "second_factor",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("secret", sa.String(), nullable=True),
        sa.Column("last_step", BIG, server_default="0", nullable=False),
        sa.Column("confirmed_date", BIG, nullable=True),
        sa.Column("created_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_second_factor_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_second_factor"),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_second_factor_user_id", "second_factor", ["user_id"], unique=True)
    op.create_table(
        "recovery_code",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("code_hash", sa.LargeBinary(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name="fk_recovery_code_user_id_user_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_recovery_code"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_recovery_code_user_id", "recovery_code", ["user_id"], unique=False)
    op.add_column("console_session", sa.Column("is_pending", sa.Boolean(), server_default="0", nullable=False))
