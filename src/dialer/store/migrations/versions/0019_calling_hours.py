"""The calling hours that the service runs with, and the caller IDs that a gateway allows."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("service_state") as batch_op:
        batch_op.add_column(sa.Column("calling_hours", sa.String(length=11), nullable=True))
    for table in ("gateway", "sms_gateway"):
        with op.batch_alter_table(table) as batch_op:
            batch_op.add_column(sa.Column("allowed_callerids", sa.String(), server_default="", nullable=False))
