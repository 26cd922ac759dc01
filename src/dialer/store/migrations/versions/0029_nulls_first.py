"""PostgreSQL reads subscribers in the order of their last attempt, those without one first, from an index.

An index of SQLite begins with nulls already.
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP INDEX ix_subscriber_last_attempt")
        op.execute("CREATE INDEX ix_subscriber_last_attempt ON subscriber (last_attempt NULLS FIRST, id, campaign_id)")
