"""Attempts, what came of them, and what was answered."""

from sqlalchemy import Boolean, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import (
    BIG,
    Code,
    Increment,
    LongText,
    Milliseconds,
    Money,
    Name,
    Row,
    belongs_to,
    mentions,
    needs,
)


class CallRequest(Row):
    """One attempt to call one subscriber: written before the carrier is asked, final when the call is over."""

    __tablename__ = "callrequest"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    subscriber_id: Mapped[int] = mapped_column(BIG, ForeignKey("subscriber.id", ondelete="CASCADE"))
    contact_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """As it was at the dial: the CDR names the contact even if it goes meanwhile."""
    user_id: Mapped[int] = belongs_to("user_account")
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    """1 for the first call to this subscriber."""
    callid: Mapped[str] = mapped_column(String(36))
    phone_number: Mapped[str] = mapped_column(String(64))
    dialled_number: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """What the carrier was given for it; empty for what was not dialled, or before this was kept."""
    callerid: Mapped[str] = mapped_column(String(80))
    status: Mapped[Code]
    status_reason: Mapped[str] = mapped_column(String(40), default="")
    started_ms: Mapped[Milliseconds]
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    hangup_cause_q850: Mapped[int | None] = mapped_column(default=None)
    ring_limit_ms: Mapped[int] = mapped_column(BIG)
    talk_limit_ms: Mapped[int] = mapped_column(BIG)
    hold: Mapped[Money]
    """What is reserved of the owner's balance; 0 when the call is over."""
    call_rate: Mapped[Money]
    """A minute. With the next three the rate at the dial (`dialer.store.queries.rates`)."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    amd: Mapped[Code] = mapped_column(default=0)
    """The campaign's `amd_behavior` at the dial; 0 without detection."""
    parameters: Mapped[str | None] = mapped_column(default=None)
    """The gateway's parameters at the dial, kept only if they were changed while the call was in progress."""
    did_id: Mapped[int | None] = mentions("did")
    """Set for a call that came in: the number that was called. Its `attempt` is that of the missed call, negative."""

    __table_args__ = (
        Index("uq_callrequest_subscriber_id_attempt", "subscriber_id", "attempt", unique=True),
        Index("ix_callrequest_campaign_id_status", "campaign_id", "status"),
        Index("ix_callrequest_gateway_id_started_ms", "gateway_id", "started_ms"),
        Index(
            "ix_callrequest_calling",
            "campaign_id",
            sqlite_where=text("status = 7"),
            postgresql_where=text("status = 7"),
        ),
        {"sqlite_autoincrement": True},
    )


class Transfer(Row):
    """A call's way to somebody else: to a number, or through a queue to an agent. Its B-leg has a CDR of its own."""

    __tablename__ = "transfer"

    callrequest_id: Mapped[int] = belongs_to("callrequest")
    place: Mapped[int]
    """1 for the first transfer of the call."""
    section_id: Mapped[int] = mapped_column(BIG)
    queue_id: Mapped[int | None] = mentions("queue")
    agent_id: Mapped[int | None] = mentions("agent")
    gateway_id: Mapped[int] = mapped_column(BIG, default=0)
    """What the B-leg goes out over; 0 for an agent of a queue."""
    phone_number: Mapped[str] = mapped_column(String(64), default="")
    status: Mapped[Code]
    reason: Mapped[str] = mapped_column(String(40), default="")
    """Why nobody was reached; empty if somebody was, or may still be."""
    joined_ms: Mapped[Milliseconds]
    """When the call came to its transfer."""
    score_from_ms: Mapped[int] = mapped_column(BIG, default=0)
    offers: Mapped[str] = mapped_column(Text, default="{}")
    """JSON: agents who are being asked, and since when."""
    parameters: Mapped[LongText]
    """How the agent who took it behaves in a simulation, as it was then."""
    started_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """When the B-leg was dialled, or its agent asked."""
    answered_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    hold: Mapped[Money] = mapped_column(default=0)
    call_rate: Mapped[Money] = mapped_column(default=0)
    """With the next three the rate of the B-leg; of one in a queue the dearest that it may come to."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    talk_limit_ms: Mapped[int] = mapped_column(BIG, default=0)
    is_abandoned: Mapped[bool] = mapped_column(Boolean, default=False)
    """No agent took it within two seconds."""

    __table_args__ = (
        Index("uq_transfer_callrequest_id_place", "callrequest_id", "place", unique=True),
        Index("ix_transfer_gateway_id_started_ms", "gateway_id", "started_ms"),
        Index("ix_transfer_queue_id_ended_ms", "queue_id", "ended_ms"),
        {"sqlite_autoincrement": True},
    )


class CallBack(Row):
    """A simulated callee who missed a call and is going to call back; `id` is the call request's."""

    __tablename__ = "call_back"

    id: Mapped[int] = mapped_column(BIG, ForeignKey("callrequest.id", ondelete="CASCADE"), primary_key=True)
    due_ms: Mapped[int] = mapped_column(BIG, index=True)


class Cdr(Row):
    """A call detail record: one leg of one call that is over. Never changed, never deleted."""

    __tablename__ = "cdr"

    user_id: Mapped[int] = needs("user_account")
    callid: Mapped[str] = mapped_column(String(36), unique=True)
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64), index=True)
    starting_date: Mapped[Milliseconds] = mapped_column(index=True)
    duration: Mapped[int]
    """Seconds from the dial to the end, a started second counting as one; likewise `billsec`, from the answer."""
    billsec: Mapped[int]
    call_cost: Mapped[Money]
    billed_duration: Mapped[int]
    call_rate: Mapped[int | None] = mapped_column(BIG, default=None)
    """With the next three the rate it was charged at; null where that is not known, from before rates were kept."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    hangup_cause_q850: Mapped[int]
    leg_type: Mapped[Code]
    amd_status: Mapped[Code]
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    campaign_id: Mapped[int | None] = mentions("campaign")
    subscriber_id: Mapped[int] = mapped_column(BIG)
    contact_id: Mapped[int | None] = mapped_column(BIG)


class SurveyResult(Row):
    """A callee's answer to one section in one call. It stays when its campaign is deleted, as the CDR does."""

    __tablename__ = "survey_result"

    user_id: Mapped[int] = belongs_to("user_account")
    callid: Mapped[str] = mapped_column(String(36), default="", server_default="", index=True)
    """The CDR of the call has the same."""
    campaign_id: Mapped[int | None] = mentions("campaign")
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    section_id: Mapped[int] = mapped_column(BIG, index=True)
    """The section template it was sealed from, which may have gone since."""
    section_type: Mapped[Code]
    question: Mapped[str] = mapped_column(String(500))
    response: Mapped[Name]
    record_file: Mapped[Name] = mapped_column(default="", server_default="")
    """Of a section that records: where the recording is, relative to the media directory."""
    recording_duration: Mapped[int | None] = mapped_column(default=None)
    """In seconds, a started one counting."""
    created_date: Mapped[Milliseconds]


class SmsMessage(Row):
    """One attempt to send one subscriber a text message."""

    __tablename__ = "sms_message"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    subscriber_id: Mapped[int] = belongs_to("subscriber")
    contact_id: Mapped[int | None] = mentions("contact")
    user_id: Mapped[int] = belongs_to("user_account")
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    message_id: Mapped[str] = mapped_column(String(36))
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64), index=True)
    dialled_number: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """What the carrier was given for it; empty for what was not dialled, or before this was kept."""
    text_message: Mapped[str] = mapped_column(String(16_000))
    """As it was sent, with the names filled in."""
    parts: Mapped[int]
    status: Mapped[str] = mapped_column(String(16))
    cost: Mapped[Money] = mapped_column(default=0)
    hold: Mapped[Money]
    parameters: Mapped[str | None] = mapped_column(default=None)
    """As for a call request."""
    send_date: Mapped[Milliseconds]
    delivery_date: Mapped[int | None] = mapped_column(BIG, default=None)
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    """The call in which it was sent, if it was a section of a survey that sent it."""
    sms_campaign_id: Mapped[int | None] = mentions("campaign")
    """Else the campaign of text messages whose attempt it is."""

    __table_args__ = (
        Index(
            "uq_sms_message_subscriber_id_attempt",
            "subscriber_id",
            "attempt",
            unique=True,
            sqlite_where=text("callrequest_id IS NULL"),
            postgresql_where=text("callrequest_id IS NULL"),
        ),
        Index("ix_sms_message_campaign_id_status", "campaign_id", "status"),
        Index("ix_sms_message_gateway_id_send_date", "gateway_id", "send_date"),
        Index(
            "ix_sms_message_on_its_way",
            "campaign_id",
            sqlite_where=text("ended_ms IS NULL"),
            postgresql_where=text("ended_ms IS NULL"),
        ),
        {"sqlite_autoincrement": True},
    )
