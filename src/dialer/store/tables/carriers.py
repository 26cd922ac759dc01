"""Gateways, caller IDs and DIDs."""

from sqlalchemy import Boolean, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.key_ring import SecretParameters
from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, LongText, Milliseconds, Name, Row, belongs_to, mentions


class Gateway(Row):
    """A gateway for calls: its limits, and the behaviour of the simulated callees behind it."""

    __tablename__ = "gateway"

    name: Mapped[Name]
    description: Mapped[LongText]
    addprefix: Mapped[str] = mapped_column(String(60), default="")
    removeprefix: Mapped[str] = mapped_column(String(60), default="")
    protocol: Mapped[str] = mapped_column(String(16), default="sim")
    allowed_callerids: Mapped[str] = mapped_column(default="", server_default="")
    """Caller IDs that the carrier accepts, separated by commas; empty if it accepts all."""
    max_channels: Mapped[Count]
    max_cps: Mapped[Count]
    parameters: Mapped[str] = mapped_column(SecretParameters, default="{}")
    failures: Mapped[Count]
    """Number of failures in a row."""
    rest_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Duration of the current or the last rest; 0 if it has not rested since its last success."""
    rests_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    line_down: Mapped[str] = mapped_column(String(255), default="", server_default="")
    """Why the line of a real carrier does not work; empty if it works."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = UPDATED_OFTEN


class SmsGateway(Row):
    """A gateway for text messages."""

    __tablename__ = "sms_gateway"

    name: Mapped[Name]
    description: Mapped[LongText]
    addprefix: Mapped[str] = mapped_column(String(60), default="")
    removeprefix: Mapped[str] = mapped_column(String(60), default="")
    protocol: Mapped[str] = mapped_column(String(16), default="sim")
    allowed_callerids: Mapped[str] = mapped_column(default="", server_default="")
    """Caller IDs that the carrier accepts, separated by commas; empty if it accepts all."""
    max_cps: Mapped[Count]
    parameters: Mapped[str] = mapped_column(SecretParameters, default="{}")
    failures: Mapped[Count]
    """Number of failures in a row."""
    rest_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Duration of the current or the last rest; 0 if it has not rested since its last success."""
    rests_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    line_down: Mapped[str] = mapped_column(String(255), default="", server_default="")
    """Why the line of a real carrier does not work; empty if it works."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = UPDATED_OFTEN


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
