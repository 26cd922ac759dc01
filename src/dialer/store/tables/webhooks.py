"""Programs that get the events of an account, and what was sent to them."""

from sqlalchemy import Boolean, ForeignKey, Index, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, Milliseconds, Name, Row, belongs_to
from dialer.store.tables.key_ring import Secret


class Webhook(Row):
    """An address to which the events of an account are sent."""

    __tablename__ = "webhook"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    target_url: Mapped[str] = mapped_column(String(500))
    types: Mapped[str] = mapped_column(String(1000), default="", server_default="")
    """The types of events with blanks between them; empty for all."""
    enabled: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    problem: Mapped[str] = mapped_column(String(20), default="", server_default="")
    """Why the service switched it off: `gone` or `failing`; empty if it did not."""
    secret: Mapped[str] = mapped_column(Secret)
    old_secrets: Mapped[str | None] = mapped_column(Secret, default=None)
    """Secrets before rotations, which sign for a day, as `dialer.domain.credentials.webhook_secrets` writes them."""
    base: Mapped[str] = mapped_column(String(300))
    """The address of the service, as whoever saved the webhook used it: links of events begin with it."""
    after_event_id: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Events up to this one were sent, or have a row of `webhook_delivery`, or are of other types."""
    failures: Mapped[Count]
    """Failed attempts since the last one that was received."""
    failing_since_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    next_attempt_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Nothing is sent before this moment of the machine's clock."""
    lease_holder: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """The process that delivers."""
    lease_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = UPDATED_OFTEN


class WebhookDelivery(Row):
    """An event on its way to a webhook, or what came of it. Times are those of the machine's clock."""

    __tablename__ = "webhook_delivery"

    webhook_id: Mapped[int] = belongs_to("webhook", index=False)
    event_id: Mapped[int] = mapped_column(BIG, ForeignKey("account_event.id", ondelete="CASCADE"))
    status: Mapped[str] = mapped_column(String(10))
    """`received`, `waiting` for the next attempt, or `failed`."""
    attempts: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    first_ms: Mapped[Milliseconds]
    """The first attempt."""
    last_ms: Mapped[Milliseconds]
    next_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    answer_status: Mapped[int | None] = mapped_column(SmallInteger, default=None)
    duration_ms: Mapped[Count]
    problem: Mapped[str] = mapped_column(String(400), default="", server_default="")

    __table_args__ = (
        Index("ix_webhook_delivery_webhook_id_id", "webhook_id", "id"),
        Index("uq_webhook_delivery_event_id_webhook_id", "event_id", "webhook_id", unique=True),
        Index(
            "ix_webhook_delivery_webhook_id_next_ms",
            "webhook_id",
            "next_ms",
            sqlite_where=text("next_ms IS NOT NULL"),
            postgresql_where=text("next_ms IS NOT NULL"),
        ),
        Index(
            "ix_webhook_delivery_webhook_id_last_ms",
            "webhook_id",
            "last_ms",
            sqlite_where=text("next_ms IS NOT NULL"),
            postgresql_where=text("next_ms IS NOT NULL"),
        ),
        {"sqlite_autoincrement": True},
    )
