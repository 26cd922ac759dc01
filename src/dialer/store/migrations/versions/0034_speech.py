"""The reason why texts cannot be spoken in calls."""

import sqlalchemy as sa
from alembic import op

revision = "0034_0029"
down_revision = "0033_0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("service_state", sa.Column("speech_down", sa.String(length=255), nullable=True))
