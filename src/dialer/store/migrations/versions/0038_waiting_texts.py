"""Text messages of calls that wait for room on their gateway."""

import sqlalchemy as sa
from alembic import op

revision = "0038_0036"
down_revision = "0037_0036"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
OWNERS = (
    ("campaign_id", "campaign"),
    ("callrequest_id", "callrequest"),
    ("subscriber_id", "subscriber"),
    ("user_id", "user_account"),
)


def upgrade() -> None:
    op.create_table(
        "waiting_text",
        sa.Column("id", BIG, nullable=False),
        sa.Column("message_id", BIG, nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("callrequest_id", BIG, nullable=False),
        sa.Column("subscriber_id", BIG, nullable=True),
        sa.Column("contact_id", BIG, nullable=True),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("callid", sa.String(length=36), nullable=False),
        sa.Column("callerid", sa.String(length=80), nullable=False),
        sa.Column("phone_number", sa.String(length=64), nullable=False),
        sa.Column("text_message", sa.String(length=1_600), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{owner}.id"], name=op.f(f"fk_waiting_text_{column}_{owner}"), ondelete="CASCADE"
            )
            for column, owner in OWNERS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiting_text")),
        sa.UniqueConstraint("message_id", name=op.f("uq_waiting_text_message_id")),
        sqlite_autoincrement=True,
    )
    for column, _ in OWNERS:
        op.create_index(f"ix_waiting_text_{column}", "waiting_text", [column])
