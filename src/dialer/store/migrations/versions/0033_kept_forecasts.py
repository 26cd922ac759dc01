"""Forecasts that the console keeps."""

import sqlalchemy as sa
from alembic import op

revision = "0033_0029"
down_revision = "0031_0029"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "campaign_forecast",
        sa.Column("id", BIG, nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["id"], ["campaign.id"], name=op.f("fk_campaign_forecast_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_forecast")),
    )
