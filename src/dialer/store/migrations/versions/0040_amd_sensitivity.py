"""Sensitivity of the detection of answering machines."""

import sqlalchemy as sa
from alembic import op

revision = "0040_0036"
down_revision = "0038_0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaign", sa.Column("amd_sensitivity", sa.SmallInteger(), server_default="2", nullable=False))
