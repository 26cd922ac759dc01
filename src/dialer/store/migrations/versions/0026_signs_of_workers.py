"""Signs by which workers see that another one has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("fleet_worker", sa.Column("mark", sa.String(length=255), server_default="", nullable=False))
