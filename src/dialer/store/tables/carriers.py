"""Gateways, caller IDs and DIDs."""

from typing import Any

from sqlalchemy import Boolean, RowMapping, String, Table, func, select
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.calls.plans import SMS, VOICE
from dialer.store.backends.expressions import insert_or
from dialer.store.tables._base import (
    BIG,
    UPDATED_OFTEN,
    Count,
    LongText,
    Medium,
    Milliseconds,
    Name,
    Row,
    belongs_to,
    mentions,
)
from dialer.store.tables.key_ring import SecretParameters


def _next_id(context: Any) -> int:  # noqa: ANN401 - SQLAlchemy's context of an insertion
    """Return the id of a new gateway: each medium counts by itself."""
    gateways, counters = Gateway.__table__, GatewayCounter.__table__
    medium = context.get_current_parameters().get("medium") or VOICE
    highest = select(func.max(gateways.c.id)).where(gateways.c.medium == medium)
    last = select(counters.c.last_id).where(counters.c.medium == medium)
    found: int = max(context.connection.scalar(query) or 0 for query in (highest, last)) + 1
    counted = insert_or(counters).values(medium=medium, last_id=found)
    kept = counted.on_conflict_do_update(index_elements=["medium"], set_={"last_id": found})
    context.connection.execute(kept)
    return found


class Gateway(Row):
    """A gateway for calls or for text messages: its limits, and the behaviour of the simulated callees behind it.

    The two media are numbered separately, so a gateway is known by both columns of its key.
    """

    __tablename__ = "gateway"
    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False, default=_next_id)
    medium: Mapped[Medium] = mapped_column(primary_key=True, default=VOICE, server_default=VOICE)
    name: Mapped[Name]
    description: Mapped[LongText]
    addprefix: Mapped[str] = mapped_column(String(60), default="")
    removeprefix: Mapped[str] = mapped_column(String(60), default="")
    protocol: Mapped[str] = mapped_column(String(16), default="sim")
    allowed_callerids: Mapped[str] = mapped_column(default="", server_default="")
    """Caller IDs that the carrier accepts, separated by commas; empty if it accepts all."""
    max_channels: Mapped[Count]
    """Most calls in progress; always 0, for no limit, of a gateway for text messages."""
    max_cps: Mapped[Count]
    parameters: Mapped[str] = mapped_column(SecretParameters, default="{}")
    failures: Mapped[Count]
    """Number of failures in a row."""
    rest_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Duration of the current or the last rest; 0 if it has not rested since its last success."""
    rests_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    line_down: Mapped[str] = mapped_column(String(255), default="", server_default="")
    """Why the line of a real carrier does not work; empty if it works."""
    line_since_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """When the line began to work, or stopped; 0 if it was never opened."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = {**UPDATED_OFTEN, "sqlite_autoincrement": False}  # noqa: RUF012 - a declaration


class GatewayCounter(Row):
    """The last id that a gateway of one medium got, so that no id is used again."""

    __tablename__ = "gateway_counter"

    medium: Mapped[Medium] = mapped_column(unique=True)
    last_id: Mapped[int] = mapped_column(BIG)


def kind_of(table: Table, row: RowMapping) -> str:
    """Return the name of a row's table, which tells with its id which row is meant; `sms_gateway` for these."""
    return "sms_gateway" if table is Gateway.__table__ and row["medium"] == SMS else str(table.name)


class CallerIdGroup(Row):
    """A named set of caller IDs, shared by all users."""

    __tablename__ = "callerid_group"

    name: Mapped[Name]
    description: Mapped[LongText]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class CallerId(Row):
    """A number that is shown to the callees of one area code."""

    __tablename__ = "callerid"

    callerid_group_id: Mapped[int] = belongs_to("callerid_group")
    areacode: Mapped[str] = mapped_column(String(32), default="")
    callerid_num: Mapped[str] = mapped_column(String(80))
    callerid_name: Mapped[Name] = mapped_column(default="")
    user_id: Mapped[int] = belongs_to("user_account")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class Did(Row):
    """A number for incoming calls, and the campaign that answers them."""

    __tablename__ = "did"

    user_id: Mapped[int] = belongs_to("user_account")
    did_number: Mapped[str] = mapped_column(String(64))
    is_assigned: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if an admin has given the number to the account. Calls reach no other DIDs."""
    campaign_id: Mapped[int | None] = mentions("campaign")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]
