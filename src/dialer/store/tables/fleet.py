"""Workers that dial side by side: their leases, shards, positions, and slices of gateways."""

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.calls.plans import VOICE
from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, Medium, Milliseconds, Name, Row


class FleetWorker(Row):
    """A worker process. Its id is never given again, so it fences off a worker that was replaced."""

    __tablename__ = "fleet_worker"

    name: Mapped[Name] = mapped_column(default="")
    started_ms: Mapped[Milliseconds]
    lease_until_ms: Mapped[Milliseconds]
    """Time until which nobody else takes the worker's shards, unless its process has ended."""
    mark: Mapped[Name] = mapped_column(default="", server_default="")
    """The sign that its process lives (`dialer.store.backends.backend.Presence`); empty if there is none."""

    __table_args__ = UPDATED_OFTEN


class Shard(Row):
    """A group of accounts. Its id is the number of the shard plus 1."""

    __tablename__ = "shard"

    worker_id: Mapped[int | None] = mapped_column(
        BIG, ForeignKey("fleet_worker.id", ondelete="SET NULL"), index=True, default=None
    )
    done_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """Time until which everything due has happened. Null if the shard is as far as the seat of its worker."""

    __table_args__ = UPDATED_OFTEN


class WorkerPosition(Row):
    """The position of one worker: its time, the ids that it may give, and the changes that it has seen."""

    __tablename__ = "seat"

    worker_id: Mapped[int | None] = mapped_column(
        BIG, ForeignKey("fleet_worker.id", ondelete="SET NULL"), unique=True, default=None
    )
    turn: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Grows whenever the shards or ids of its worker change. The worker then builds its engine again."""
    now_ms: Mapped[Milliseconds]
    last_callrequest_id: Mapped[int] = mapped_column(BIG)
    callrequest_ids_end: Mapped[int] = mapped_column(BIG)
    """Last id that the worker may give, like `cdr_ids_end`."""
    last_cdr_id: Mapped[int] = mapped_column(BIG)
    cdr_ids_end: Mapped[int] = mapped_column(BIG)
    seen: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The last `fleet_change` that the worker's engine knows."""
    wishes: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Number of steps in which callees asked not to be called again. A do-not-call list may hold for all accounts."""

    __table_args__ = UPDATED_OFTEN


class FleetChange(Row):
    """A change by a user that workers must know. Old rows are deleted."""

    __tablename__ = "fleet_change"

    touched: Mapped[str] = mapped_column(Text)
    """A `dialer.store.database.touched.Touched` as JSON."""


class GatewaySlice(Row):
    """The part of a gateway's limits that a worker may use."""

    __tablename__ = "gateway_slice"

    worker_id: Mapped[int] = mapped_column(BIG, ForeignKey("fleet_worker.id", ondelete="CASCADE"))
    medium: Mapped[Medium] = mapped_column(default=VOICE)
    gateway_id: Mapped[int] = mapped_column(BIG)
    channels: Mapped[Count]
    channels_in_use: Mapped[Count]
    cps: Mapped[Count]
    cps_in_use: Mapped[Count]
    waiting: Mapped[Count]
    """Number of campaigns that wait for a place on the gateway."""
    campaigns: Mapped[Count]
    """Number of running campaigns that use the gateway."""
    since_ms: Mapped[Milliseconds]
    """Time since when the worker has held, or wanted, its first channel or turn."""

    __table_args__ = (
        Index("uq_gateway_slice_key", "worker_id", "medium", "gateway_id", unique=True),
        UPDATED_OFTEN,
    )


class CpsReturned(Row):
    """Calls per second that a worker gave back. They can be used when its last dial is a second old."""

    __tablename__ = "cps_returned"

    medium: Mapped[Medium] = mapped_column(default=VOICE)
    gateway_id: Mapped[int] = mapped_column(BIG)
    cps: Mapped[int]
    until_ms: Mapped[Milliseconds]
    """Time before which no worker may take them."""
