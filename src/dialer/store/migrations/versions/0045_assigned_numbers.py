"""DIDs wait for an admin; those of before are assigned."""

import sqlalchemy as sa
from alembic import op

revision = "0045_0041"
down_revision = "0044_0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("did", sa.Column("is_assigned", sa.Boolean(), server_default="1", nullable=False))
