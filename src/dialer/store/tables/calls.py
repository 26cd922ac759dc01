"""The tables of call attempts, transfers, CDRs, answers and text messages."""

from sqlalchemy import Boolean, ForeignKey, Index, String, Text, column, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.calls.plans import SMS
from dialer.store.backends.expressions import last_digits, plain_name
from dialer.store.tables._base import (
    BIG,
    VACUUMED_OFTEN,
    Code,
    Increment,
    LongText,
    Medium,
    Milliseconds,
    Money,
    Name,
    Row,
    ZoneKey,
    account_of,
    belongs_to,
    in_account,
    mentions,
    needs,
    where_given,
    where_known,
)
from dialer.store.tables.key_ring import SecretParameters


class CallRequest(Row):
    """An attempt to call a subscriber, or a call that came in: inserted before the carrier acts, final at its end."""

    __tablename__ = "callrequest"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    subscriber_id: Mapped[int | None] = belongs_to("subscriber", index=False)
    """Null for a call from somebody who is no subscriber of the campaign that answers."""
    contact_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The contact at the time of the dial; the CDR names it even if the contact is deleted during the call."""
    user_id: Mapped[int] = belongs_to("user_account", index=False)
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    """The number of the attempt: 1 for the first call to the subscriber."""
    callid: Mapped[str] = mapped_column(String(36))
    phone_number: Mapped[str] = mapped_column(String(64))
    dialled_number: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """The number that the carrier was given, or gave for a call that came in. Empty if none was, or in older rows."""
    callerid: Mapped[str] = mapped_column(String(80))
    status: Mapped[Code]
    status_reason: Mapped[str] = mapped_column(String(40), default="")
    started_ms: Mapped[Milliseconds]
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    hangup_cause_q850: Mapped[int | None] = mapped_column(default=None)
    ring_limit_ms: Mapped[int] = mapped_column(BIG)
    talk_limit_ms: Mapped[int] = mapped_column(BIG)
    hold: Mapped[Money]
    """The amount held of the owner's balance, an integer of 1e-5; 0 when the call is over."""
    call_rate: Mapped[Money]
    """The price of a minute. With the next three columns, the rate at the dial (`dialer.store.queries.rates`)."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    amd: Mapped[Code] = mapped_column(default=0)
    """The campaign's `amd_behavior` at the dial; 0 without detection."""
    parameters: Mapped[str | None] = mapped_column(SecretParameters, default=None)
    """The gateway's parameters at the dial, kept only if they were changed while the call was in progress."""
    did_id: Mapped[int | None] = mentions("did", index=False)
    """The DID that was called. Inbound calls only: their `attempt` is negative, minus that which a caller missed."""
    is_simulated: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if its gateway was simulated at the dial. The gateway may have become a real one since."""
    consent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The consent on which the dial relied. No foreign key: one that was used is never deleted before the call."""
    heard: Mapped[LongText]
    """The inputs of the callee in the survey, as `dialer.domain.survey.heard` writes them."""
    recording_orders: Mapped[str | None] = mapped_column(Text, default=None)
    """The orders about its recording, a `dialer.domain.calls.call_recording.RecordingOrders` as JSON."""

    __table_args__ = (
        in_account("callrequest"),
        Index("uq_callrequest_subscriber_id_attempt", "subscriber_id", "attempt", "user_id", unique=True),
        Index("ix_callrequest_campaign_id", "campaign_id"),
        where_known("ix_callrequest_did_id", "did_id"),
        Index("ix_callrequest_gateway_id_started_ms", "gateway_id", "started_ms"),
        Index("ix_callrequest_started_ms", "started_ms", "id", "user_id"),
        Index("ix_callrequest_phone_number", "phone_number", "id", "user_id"),
        Index("ix_callrequest_last_digits", "user_id", last_digits(column("phone_number", String)), "phone_number"),
        Index(
            "ix_callrequest_callers",
            "callerid",
            sqlite_where=text("subscriber_id IS NULL"),
            postgresql_where=text("subscriber_id IS NULL"),
        ),
        # Room for the end of each call, which no index mentions: the new version then stays beside the old one.
        {"sqlite_autoincrement": True, "postgresql_with": {"fillfactor": 70, **VACUUMED_OFTEN}},
    )


class CallInProgress(Row):
    """A call request whose call is in progress, written and deleted by triggers; `id` is that of the call request.

    An index over the status of call requests would do the same, but each call that ends would then change all their
    indexes: PostgreSQL leaves them as they are if no index has a changed column.
    """

    __tablename__ = "call_in_progress"

    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BIG)

    __table_args__ = {"sqlite_autoincrement": False}  # noqa: RUF012 - not a default value but a declaration


class Transfer(Row):
    """The transfer of a call to a number, or through a queue to an agent. Its B-leg has a CDR of its own."""

    __tablename__ = "transfer"

    callrequest_id: Mapped[int] = belongs_to("callrequest", index=False)
    user_id: Mapped[int] = account_of("callrequest", "callrequest_id")
    place: Mapped[int]
    """The place of the transfer in the call: 1 for the first."""
    section_id: Mapped[int] = mapped_column(BIG)
    queue_id: Mapped[int | None] = mentions("queue", index=False)
    agent_id: Mapped[int | None] = mentions("agent")
    gateway_id: Mapped[int] = mapped_column(BIG, default=0)
    """The gateway of the B-leg; 0 for an agent of a queue."""
    phone_number: Mapped[str] = mapped_column(String(64), default="")
    status: Mapped[Code]
    reason: Mapped[str] = mapped_column(String(40), default="")
    """The reason why the transfer failed. Empty if it has not."""
    joined_ms: Mapped[Milliseconds]
    """The moment when the call reached its transfer."""
    score_from_ms: Mapped[int] = mapped_column(BIG, default=0)
    offers: Mapped[str] = mapped_column(Text, default="{}")
    """The agents who are being offered the call, and since when, as JSON."""
    parameters: Mapped[LongText]
    """The parameters of the simulated agent who took the call, at that time."""
    started_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment when the B-leg was dialled, or its agent was asked."""
    answered_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    hold: Mapped[Money] = mapped_column(default=0)
    call_rate: Mapped[Money] = mapped_column(default=0)
    """The price of a minute. With the next three columns, the rate of the B-leg, or the highest possible one in a
    queue."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    talk_limit_ms: Mapped[int] = mapped_column(BIG, default=0)
    is_abandoned: Mapped[bool] = mapped_column(Boolean, default=False)
    """True if no agent took the call within two seconds."""
    on_hold_from_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment since which the callee is on hold. Null while agent and callee talk."""
    on_hold_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The length of the holds that are over."""
    from_agent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The agent who transferred the call at the desk; null for a transfer of the survey. They may be deleted since."""
    for_agent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The agent of the queue who is to take it; null for any. They may be deleted since."""
    consulted: Mapped[int] = mapped_column(default=0, server_default="0")
    """A `dialer.domain.words.enums.Consulted`."""
    recorded_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment from which the queue of the agent wants the call recorded, which nothing else does. Null: never."""

    __table_args__ = (
        Index("uq_transfer_callrequest_id_place", "callrequest_id", "place", "user_id", unique=True),
        Index("ix_transfer_gateway_id_started_ms", "gateway_id", "started_ms"),
        Index("ix_transfer_queue_id_ended_ms", "queue_id", "ended_ms"),
        Index("ix_transfer_joined_ms", "joined_ms", "id", "callrequest_id"),
        Index(
            "ix_transfer_unpaid",
            "joined_ms",
            sqlite_where=text("reason = 'no_credit'"),
            postgresql_where=text("reason = 'no_credit'"),
        ),
        Index("ix_transfer_phone_number", "phone_number", "id", "callrequest_id"),
        Index("ix_transfer_last_digits", "user_id", last_digits(column("phone_number", String)), "phone_number"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )


class TextPart(Row):
    """A name under which a carrier knows a text message that is on its way, for receipts."""

    __tablename__ = "text_part"

    gateway_id: Mapped[int] = mapped_column(BIG)
    name: Mapped[str] = mapped_column(String(255))
    message_id: Mapped[int] = belongs_to("sms_message")
    user_id: Mapped[int] = account_of("sms_message", "message_id")

    __table_args__ = (
        Index("uq_text_part_gateway_id_name", "gateway_id", "name", unique=True),
        Index("ix_text_part_plain_name", plain_name(column("name", String)), "gateway_id"),
        {"sqlite_autoincrement": True},
    )


class WaitingText(Row):
    """A text message of a call that waits for room on its gateway. The ids are the order of sending."""

    __tablename__ = "waiting_text"

    message_id: Mapped[int] = mapped_column(BIG)
    """The id that the message will have."""
    campaign_id: Mapped[int] = belongs_to("campaign")
    callrequest_id: Mapped[int] = belongs_to("callrequest")
    """The call during which a section asked for the message. It may be over."""
    subscriber_id: Mapped[int | None] = belongs_to("subscriber")
    """Null for a caller who is no subscriber."""
    contact_id: Mapped[int | None] = mapped_column(BIG, default=None)
    user_id: Mapped[int] = belongs_to("user_account")
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    callid: Mapped[str] = mapped_column(String(36))
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64))
    text_message: Mapped[str] = mapped_column(String(1_600))

    __table_args__ = (
        Index("uq_waiting_text_message_id", "message_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )


class TextNews(Row):
    """A callback of a carrier about text messages, until a worker has told the engine of it."""

    __tablename__ = "text_news"

    medium: Mapped[Medium] = mapped_column(default=SMS, server_default=SMS)
    """`voice` only if the line of a gateway for calls heard a text message."""
    gateway_id: Mapped[int] = mapped_column(BIG)
    key: Mapped[str] = mapped_column(String(36), default="", server_default="")
    """Our name of the message; empty if the carrier only gave its own."""
    heard: Mapped[str] = mapped_column(Text)
    """A receipt or a text message that came in, as JSON."""
    part_of: Mapped[str] = mapped_column(String(200), default="", server_default="")
    """The name that the parts of a long text message have in common, while this one waits for the others."""
    is_text: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    told_ms: Mapped[Milliseconds]

    __table_args__ = (
        Index("ix_text_news_is_text", "is_text", "id"),
        Index(
            "ix_text_news_part_of",
            "part_of",
            sqlite_where=text("part_of <> ''"),
            postgresql_where=text("part_of <> ''"),
        ),
        {"sqlite_autoincrement": True},
    )


class SetAsideReport(Row):
    """A report of a line that could not be handled, with the reason, kept for a few days."""

    __tablename__ = "set_aside_report"

    identity: Mapped[str] = mapped_column(String(36), unique=True)
    """A keyed hash of the report without its age, by which it is recognised if the line tells it again."""
    medium: Mapped[Medium]
    gateway_id: Mapped[int] = mapped_column(BIG)
    key: Mapped[str] = mapped_column(String(36), index=True)
    """The name of the leg; empty if it has none that could be one."""
    number: Mapped[str] = mapped_column(String(64), index=True)
    """The normal form of the number at the other end, as far as the report gives it."""
    kind: Mapped[str] = mapped_column(String(32))
    report: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    ends_leg: Mapped[bool] = mapped_column(Boolean)
    """True if the leg is ended in place of the report; false if that failed, too."""
    at_ms: Mapped[Milliseconds] = mapped_column(index=True)


class CallBack(Row):
    """A simulated callee who missed a call and will call back; `id` is that of the call request."""

    __tablename__ = "call_back"

    id: Mapped[int] = mapped_column(BIG, ForeignKey("callrequest.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = account_of("callrequest", "id")
    due_ms: Mapped[Milliseconds]


class Cdr(Row):
    """A call detail record: one leg of one call that is over. Never changed, and deleted only when it is too old."""

    __tablename__ = "cdr"

    user_id: Mapped[int] = needs("user_account", index=False)
    callid: Mapped[str] = mapped_column(String(36))
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64))
    starting_date: Mapped[Milliseconds]
    duration: Mapped[int]
    """Seconds from the dial to the end, rounded up. `billsec` counts from the answer, rounded up, too."""
    billsec: Mapped[int]
    call_cost: Mapped[Money]
    billed_duration: Mapped[int]
    call_rate: Mapped[int | None] = mapped_column(BIG, default=None)
    """The price of a minute. With the next three columns, the rate that was charged; null if unknown, in older rows."""
    connection_fee: Mapped[Money] = mapped_column(default=0, server_default="0")
    first_increment: Mapped[Increment]
    next_increment: Mapped[Increment]
    hangup_cause_q850: Mapped[int]
    leg_type: Mapped[Code]
    amd_status: Mapped[Code]
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    campaign_id: Mapped[int | None] = mentions("campaign")
    subscriber_id: Mapped[int] = mapped_column(BIG)
    """0 for a caller who was no subscriber."""
    contact_id: Mapped[int | None] = mapped_column(BIG)
    gateway_id: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Like the columns below, counted in statistics, and kept when the campaign is deleted. 0 for a leg to an agent."""
    attempt: Mapped[int] = mapped_column(default=0, server_default="0")  # Negative for inbound calls.
    zone: Mapped[ZoneKey] = mapped_column(default="", server_default="")
    """The subscriber's zone key at the dial."""
    phonebook_id: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The phonebook from which the subscriber came; 0 for none."""
    agent_id: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The agent of a B-leg; 0 for none."""
    post_dial_ms: Mapped[int | None] = mapped_column(default=None)
    """Milliseconds from the dial to the first signal of the network; null if the carrier did not report it."""
    is_for_agents: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True for a call that a person answered, of a campaign whose survey leads to queues."""
    is_abandoned: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    is_completed: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the call reached a section marked `completed`."""
    sound: Mapped[str | None] = mapped_column(String(120), default=None)
    """The quality of its sound, as `dialer.domain.calls.sound_quality` writes it; null if nobody measured it."""
    is_test: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")  # Also once the test is deleted.
    consent_id: Mapped[int | None] = mapped_column(BIG, default=None)  # That of the call request, which may be deleted.

    __table_args__ = (
        in_account("cdr"),
        Index("uq_cdr_callid", "callid", "user_id", unique=True),
        Index("ix_cdr_phone_number", "phone_number", "id", "user_id"),
        Index(
            "ix_cdr_callers",
            "callerid",
            sqlite_where=text("attempt < 0"),
            postgresql_where=text("attempt < 0"),
        ),
        Index("ix_cdr_last_digits", "user_id", last_digits(column("phone_number", String)), "phone_number"),
        Index("ix_cdr_starting_date", "starting_date", "id", "user_id"),
        # The calls of an account that has not called for long, newest first, without those of others since.
        Index("ix_cdr_user_id_starting_date", "user_id", "starting_date", "id"),
        Index("ix_cdr_call_cost", "call_cost", "id", "user_id"),
        where_given("ix_cdr_agent_id", "agent_id", "user_id", "id"),
        Index("ix_cdr_duration", "duration", "id", "user_id"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )


class SurveyResult(Row):
    """A callee's answer to one section in one call. It outlives its campaign, as the CDR does."""

    __tablename__ = "survey_result"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    callid: Mapped[str] = mapped_column(String(36), default="", server_default="", index=True)
    """The call ID, which is also that of the call's CDR."""
    campaign_id: Mapped[int | None] = mentions("campaign", index=False)
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    section_id: Mapped[int] = mapped_column(BIG, index=True)
    """The id of the section template from which the section was sealed; the template may be deleted since."""
    section_type: Mapped[Code]
    question: Mapped[str] = mapped_column(String(500))
    response: Mapped[str] = mapped_column(String(16_384))
    summary: Mapped[str] = mapped_column(String(4_000), default="", server_default="")
    """The words of a program about its conversation with the callee."""
    record_file: Mapped[Name] = mapped_column(default="", server_default="")
    """The path of the recording, relative to the media directory. Empty if the section does not record."""
    recording_duration: Mapped[int | None] = mapped_column(default=None)
    """The length of the recording in seconds, rounded up."""
    created_date: Mapped[Milliseconds]

    __table_args__ = (
        in_account("survey_result"),
        Index("ix_survey_result_campaign_id", "campaign_id", "id"),
        Index("ix_survey_result_created_date", "created_date", "id", "user_id"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )


class SmsMessage(Row):
    """One attempt to send one subscriber a text message."""

    __tablename__ = "sms_message"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    subscriber_id: Mapped[int | None] = mapped_column(
        BIG, ForeignKey("subscriber.id", ondelete="CASCADE"), index=True, default=None
    )
    """Null for a message to somebody who called in and is no subscriber."""
    contact_id: Mapped[int | None] = mentions("contact")
    user_id: Mapped[int] = belongs_to("user_account", index=False)
    gateway_id: Mapped[int] = mapped_column(BIG)
    attempt: Mapped[int]
    message_id: Mapped[str] = mapped_column(String(36))
    callerid: Mapped[str] = mapped_column(String(80))
    phone_number: Mapped[str] = mapped_column(String(64))
    dialled_number: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """The number that was given to the carrier. Empty if none was dialled, or for older rows."""
    text_message: Mapped[str] = mapped_column(String(16_000))
    """The text as it was sent, with the values of its placeholders."""
    parts: Mapped[int]
    is_simulated: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if its gateway was simulated when it was sent. The gateway may have become a real one since."""
    consent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The consent on which the message relied, as of a call."""
    status: Mapped[str] = mapped_column(String(16))
    cost: Mapped[Money] = mapped_column(default=0)
    hold: Mapped[Money]
    parameters: Mapped[str | None] = mapped_column(SecretParameters, default=None)
    """The gateway's parameters at the sending, kept only if they were changed while the message was on its way."""
    send_date: Mapped[Milliseconds]
    delivery_date: Mapped[int | None] = mapped_column(BIG, default=None)
    ended_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    """The call during which a section of a survey sent the message; null for a campaign of text messages."""
    sms_campaign_id: Mapped[int | None] = mentions("campaign")
    """The campaign of text messages that sent the message; null for a section of a survey."""

    __table_args__ = (
        in_account("sms_message"),
        Index(
            "uq_sms_message_subscriber_id_attempt",
            "subscriber_id",
            "attempt",
            "user_id",
            unique=True,
            sqlite_where=text("callrequest_id IS NULL"),
            postgresql_where=text("callrequest_id IS NULL"),
        ),
        Index("ix_sms_message_campaign_id_status", "campaign_id", "status"),
        Index("ix_sms_message_gateway_id_send_date", "gateway_id", "send_date"),
        Index("ix_sms_message_send_date", "send_date", "id", "user_id"),
        Index("ix_sms_message_phone_number", "phone_number", "id", "user_id"),
        Index("ix_sms_message_last_digits", "user_id", last_digits(column("phone_number", String)), "phone_number"),
        Index(
            "ix_sms_message_on_its_way",
            "campaign_id",
            sqlite_where=text("ended_ms IS NULL"),
            postgresql_where=text("ended_ms IS NULL"),
        ),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )
