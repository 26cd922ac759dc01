"""The settings that the service runs with, for commands that run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("service_state") as batch_op:
        batch_op.add_column(sa.Column("clock", sa.String(length=8), nullable=True))
        batch_op.add_column(sa.Column("timezone", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("default_region", sa.String(length=2), nullable=True))
        batch_op.add_column(sa.Column("media_dir", sa.String(), nullable=True))
