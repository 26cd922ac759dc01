"""Rate cards, and the rate that every call was charged at."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _add_cards()
    _add_rates()
    _remember_rates()


def _add_cards() -> None:
    op.create_table(
        "rate_card_line",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("prefix", sa.String(length=15), nullable=False),
        sa.Column("rate", BIG, nullable=False),
        sa.Column("connection_fee", BIG, nullable=False),
        sa.Column("first_increment", sa.Integer(), nullable=False),
        sa.Column("next_increment", sa.Integer(), nullable=False),
        sa.Column("created_date", BIG, nullable=False),
        sa.Column("updated_date", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_rate_card_line_user_id_user_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rate_card_line")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("rate_card_line") as batch_op:
        batch_op.create_index("uq_rate_card_line_user_id_prefix", ["user_id", "prefix"], unique=True)
    with op.batch_alter_table("user_account") as batch_op:
        batch_op.add_column(sa.Column("rate_card_version", BIG, server_default="0", nullable=False))


def _add_rates() -> None:
    with op.batch_alter_table("cdr") as batch_op:
        batch_op.add_column(sa.Column("call_rate", BIG, nullable=True))
    for table in ("callrequest", "transfer", "cdr"):
        with op.batch_alter_table(table) as batch_op:
            batch_op.add_column(sa.Column("connection_fee", BIG, server_default="0", nullable=False))
            batch_op.add_column(sa.Column("first_increment", sa.Integer(), server_default="60", nullable=False))
            batch_op.add_column(sa.Column("next_increment", sa.Integer(), server_default="60", nullable=False))


def _remember_rates() -> None:
    """Store the rate of earlier calls whose call request or transfer still exists."""
    op.execute(
        "UPDATE cdr SET call_rate = (SELECT callrequest.call_rate FROM callrequest"
        " WHERE callrequest.id = cdr.callrequest_id AND callrequest.callid = cdr.callid) WHERE leg_type = 1"
    )
    op.execute(
        "UPDATE cdr SET call_rate = (SELECT max(transfer.call_rate) FROM transfer"
        " WHERE transfer.callrequest_id = cdr.callrequest_id AND transfer.started_ms = cdr.starting_date)"
        " WHERE leg_type = 2"
    )
