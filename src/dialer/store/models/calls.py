"""Attempts, what came of them, and what was answered."""

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.models._base import BIG, Code, Milliseconds, Money, Name, Row, belongs_to, mentions, needs


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
    """The owner's rate at the dial, a minute."""
    amd: Mapped[Code] = mapped_column(default=0)
    """The campaign's `amd_behavior` at the dial; 0 without detection."""
    parameters: Mapped[str | None] = mapped_column(default=None)
    """The gateway's parameters at the dial, kept only if they were changed while the call was in progress."""

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
    hangup_cause_q850: Mapped[int]
    leg_type: Mapped[Code]
    amd_status: Mapped[Code]
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    campaign_id: Mapped[int | None] = mentions("campaign")
    subscriber_id: Mapped[int] = mapped_column(BIG)
    contact_id: Mapped[int | None] = mapped_column(BIG)


class SurveyResult(Row):
    """What a callee answered to one section in one call."""

    __tablename__ = "survey_result"

    user_id: Mapped[int] = belongs_to("user_account")
    campaign_id: Mapped[int] = belongs_to("campaign")
    callrequest_id: Mapped[int] = belongs_to("callrequest")
    section_id: Mapped[int] = mapped_column(BIG, index=True)
    """The section template it was sealed from, which may have gone since."""
    section_type: Mapped[Code]
    question: Mapped[str] = mapped_column(String(500))
    response: Mapped[Name]
    created_date: Mapped[Milliseconds]


class SmsMessage(Row):
    """One attempt to send one subscriber a text message."""

    __tablename__ = "sms_message"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    subscriber_id: Mapped[int] = mapped_column(BIG, ForeignKey("subscriber.id", ondelete="CASCADE"))
    contact_id: Mapped[int | None] = mentions("contact")
    user_id: Mapped[int] = belongs_to("user_account")
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    message_id: Mapped[str] = mapped_column(String(36))
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64), index=True)
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

    __table_args__ = (
        Index("uq_sms_message_subscriber_id_attempt", "subscriber_id", "attempt", unique=True),
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
