"""Counts of the processes that have served a PostgreSQL database, which the end of each upgrade there creates."""

revision = "0043_0041"
down_revision = "0042_0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
