"""Workers that dial side by side."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _workers()
    _slices()
    _seats()


def _workers() -> None:
    op.create_table(
        "cps_returned",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("cps", sa.Integer(), nullable=False),
        sa.Column("until_ms", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cps_returned")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_cps_returned_gateway_id"), "cps_returned", ["gateway_id"])

    op.create_table(
        "fleet_change",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("touched", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_change")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "fleet_worker",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("started_ms", BIG, nullable=False),
        sa.Column("lease_until_ms", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_worker")),
        sqlite_autoincrement=True,
    )


def _slices() -> None:
    op.create_table(
        "gateway_slice",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("worker_id", BIG, nullable=False),
        sa.Column("gateway_id", BIG, nullable=False),
        sa.Column("channels", sa.Integer(), server_default="0", nullable=False),
        sa.Column("channels_in_use", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cps", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cps_in_use", sa.Integer(), server_default="0", nullable=False),
        sa.Column("waiting", sa.Integer(), server_default="0", nullable=False),
        sa.Column("campaigns", sa.Integer(), server_default="0", nullable=False),
        sa.Column("since_ms", BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["fleet_worker.id"], name=op.f("fk_gateway_slice_worker_id_fleet_worker"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gateway_slice")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_gateway_slice_gateway_id"), "gateway_slice", ["gateway_id"])
    op.create_index("uq_gateway_slice_key", "gateway_slice", ["worker_id", "gateway_id"], unique=True)


def _seats() -> None:
    op.create_table(
        "seat",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("worker_id", BIG, nullable=True),
        sa.Column("turn", BIG, server_default="0", nullable=False),
        sa.Column("now_ms", BIG, nullable=False),
        sa.Column("last_callrequest_id", BIG, nullable=False),
        sa.Column("callrequest_ids_end", BIG, nullable=False),
        sa.Column("last_cdr_id", BIG, nullable=False),
        sa.Column("cdr_ids_end", BIG, nullable=False),
        sa.Column("seen", BIG, server_default="0", nullable=False),
        sa.Column("wishes", BIG, server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["fleet_worker.id"], name=op.f("fk_seat_worker_id_fleet_worker"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
        sa.UniqueConstraint("worker_id", name=op.f("uq_seat_worker_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "shard",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("worker_id", BIG, nullable=True),
        sa.Column("done_ms", BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["fleet_worker.id"], name=op.f("fk_shard_worker_id_fleet_worker"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shard")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_shard_worker_id"), "shard", ["worker_id"])
