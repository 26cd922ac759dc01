"""The number that was given to the carrier, for each call and message."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("callrequest") as batch_op:
        batch_op.add_column(sa.Column("dialled_number", sa.String(length=80), server_default="", nullable=False))

    with op.batch_alter_table("sms_message") as batch_op:
        batch_op.add_column(sa.Column("dialled_number", sa.String(length=80), server_default="", nullable=False))
