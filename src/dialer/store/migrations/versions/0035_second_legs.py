"""Legs of transfers over lines, and legs that were told to end."""

import sqlalchemy as sa
from alembic import op

revision = "0035_0029"
down_revision = "0034_0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("live_leg", sa.Column("place", sa.Integer(), server_default="0", nullable=False))
    op.add_column("live_leg", sa.Column("is_leaving", sa.Boolean(), server_default="0", nullable=False))
