"""Reports for people who do not look at the console: links that open them, and mails that bring them."""

from sqlalchemy import Boolean, Index, LargeBinary, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, Milliseconds, Name, Row, belongs_to


class ReportLink(Row):
    """A link to one report of one campaign. The token of its address is not stored."""

    __tablename__ = "report_link"

    campaign_id: Mapped[int] = belongs_to("campaign")
    schedule_id: Mapped[int | None] = belongs_to("report_schedule")
    """The schedule that sends the link; null for one that a user made."""
    maker_id: Mapped[int | None] = belongs_to("user_account")
    """The user who made the link, with whom it ends; null for one that a schedule sends."""
    name: Mapped[Name]
    report: Mapped[str] = mapped_column(String(10), default="answers", server_default="answers")
    """A `dialer.domain.words.reports.SharedReport`."""
    list_column: Mapped[Name] = mapped_column(default="", server_default="")
    """The column of the list by which answers are crossed; empty for none."""
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    """SHA-256 of the token, which has 256 random bits."""
    expirationdate: Mapped[Milliseconds]
    opened: Mapped[Count]
    """The times that the report was opened, or a file of it was fetched."""
    last_opened_date: Mapped[int | None] = mapped_column(BIG, default=None)
    minute: Mapped[Count]
    """The minute of the service's clock, since the epoch, in which it was opened last."""
    opened_in_minute: Mapped[Count]
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (Index("uq_report_link_token_hash", "token_hash", unique=True), UPDATED_OFTEN)


class ReportSchedule(Row):
    """A report that is sent in the morning, or when its campaign has ended."""

    __tablename__ = "report_schedule"

    user_id: Mapped[int] = belongs_to("user_account")
    campaign_id: Mapped[int | None] = belongs_to("campaign")
    """The campaign of the report; null for the whole account."""
    name: Mapped[Name]
    report: Mapped[str] = mapped_column(String(20), default="agent_outcomes", server_default="agent_outcomes")
    """A `dialer.domain.words.reports.ScheduledReport`."""
    sent_as: Mapped[str] = mapped_column(String(10), default="words", server_default="words")
    """A `dialer.domain.words.reports.SentAs`."""
    sent_when: Mapped[str] = mapped_column(String(10), default="daily", server_default="daily")
    """A `dialer.domain.words.reports.SentWhen`."""
    send_time: Mapped[str] = mapped_column(String(8), default="08:00:00", server_default="08:00:00")
    monday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    tuesday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    wednesday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    thursday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    friday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    saturday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    sunday: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    time_zone: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The zone of the time, the days and the report; empty for that of the service."""
    recipients: Mapped[str] = mapped_column(String(3000), default="", server_default="")
    """Addresses of mail with blanks between them."""
    tells_webhooks: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the webhooks of the account get an event with a link."""
    enabled: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    next_due_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """When it is due next; null while it waits for the end of its campaign, after that end, and while it is off."""
    failing_since_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The first failure since the last report that was sent."""
    problem: Mapped[str] = mapped_column(String(400), default="", server_default="")
    """Why the last one was not sent; empty if it was."""
    last_sent_date: Mapped[int | None] = mapped_column(BIG, default=None)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index(
            "ix_report_schedule_next_due_ms",
            "next_due_ms",
            sqlite_where=text("next_due_ms IS NOT NULL"),
            postgresql_where=text("next_due_ms IS NOT NULL"),
        ),
        UPDATED_OFTEN,
    )


class ReportDelivery(Row):
    """A report on its way to one recipient, or what came of it. Each due moment has one row for each recipient."""

    __tablename__ = "report_delivery"

    schedule_id: Mapped[int] = belongs_to("report_schedule", index=False)
    due_ms: Mapped[Milliseconds]
    recipient: Mapped[str] = mapped_column(String(254))
    """An address of mail, or `webhooks`."""
    status: Mapped[str] = mapped_column(String(10), default="waiting", server_default="waiting")
    """`waiting`, `sent` or `failed`."""
    attempts: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    next_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The next attempt by the machine's clock; null if there is none. A process that sends moves it ahead."""
    problem: Mapped[str] = mapped_column(String(400), default="", server_default="")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_report_delivery_schedule_id_due_ms_recipient", "schedule_id", "due_ms", "recipient", unique=True),
        Index(
            "ix_report_delivery_next_ms",
            "next_ms",
            sqlite_where=text("next_ms IS NOT NULL"),
            postgresql_where=text("next_ms IS NOT NULL"),
        ),
        {"sqlite_autoincrement": True},
    )
