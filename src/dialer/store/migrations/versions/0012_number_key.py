"""The key with which erased numbers are hashed."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("service_state") as batch_op:
        batch_op.add_column(sa.Column("number_key", sa.LargeBinary(), nullable=True))
