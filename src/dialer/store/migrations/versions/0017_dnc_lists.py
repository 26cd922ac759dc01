"""Several do-not-call lists for a campaign, and lists that hold for everybody."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("dnc_list", sa.Column("is_global", sa.Boolean(), server_default="0", nullable=False))
    op.create_index(
        "ix_dnc_list_is_global",
        "dnc_list",
        ["is_global"],
        unique=False,
        sqlite_where=sa.text("is_global = 1"),
        postgresql_where=sa.text("is_global"),
    )
    op.create_table(
        "campaign_dnc_list",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("dnc_id", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name="fk_campaign_dnc_list_campaign_id_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dnc_id"], ["dnc_list.id"], name="fk_campaign_dnc_list_dnc_id_dnc_list", ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_campaign_dnc_list"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_campaign_dnc_list_campaign_id", "campaign_dnc_list", ["campaign_id"], unique=False)
    op.create_index("ix_campaign_dnc_list_dnc_id", "campaign_dnc_list", ["dnc_id"], unique=False)
    op.create_index(
        "uq_campaign_dnc_list_campaign_id_dnc_id", "campaign_dnc_list", ["campaign_id", "dnc_id"], unique=True
    )
