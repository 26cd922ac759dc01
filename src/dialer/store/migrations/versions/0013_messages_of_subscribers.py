"""An index of messages by subscriber: without it, deleting a subscriber scans all messages."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_sms_message_subscriber_id"), "sms_message", ["subscriber_id"])
