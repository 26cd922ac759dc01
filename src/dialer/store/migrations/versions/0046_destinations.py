"""The destinations of accounts: countries, and special numbers."""

import sqlalchemy as sa
from alembic import op

revision = "0046_0041"
down_revision = "0045_0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_account", sa.Column("allowed_countries", sa.String(), server_default="", nullable=False))
    op.add_column("user_account", sa.Column("allows_special", sa.Boolean(), server_default="0", nullable=False))
