"""Sensitivity of the detection of answering machines."""

import sqlalchemy as sa
from alembic import op

revision = "0040_0039"
down_revision = "0039_0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaign", sa.Column("amd_sensitivity", sa.SmallInteger(), server_default="2", nullable=False))
