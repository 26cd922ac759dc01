"""Zone keys of any length. Only PostgreSQL enforces lengths, and changes them without copying a table."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

COLUMNS = (
    ("contact", "zone"),
    ("subscriber", "zone"),
    ("cdr", "zone"),
    ("campaign_hour", "member"),
    ("user_hour", "member"),
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, column in COLUMNS:
            op.alter_column(table, column, type_=sa.Text())
