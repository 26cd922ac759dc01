"""Text messages that came in, as long as old calls are kept."""

from sqlalchemy import Boolean, Index, String, column, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.backends.expressions import last_digits
from dialer.store.tables._base import BIG, VACUUMED_OFTEN, LongText, Milliseconds, Row, belongs_to


class SmsReceived(Row):
    """A text message that came in, once for each account that wrote to its sender."""

    __tablename__ = "sms_received"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    gateway_id: Mapped[int] = mapped_column(BIG)
    """The gateway for text messages, which may have been deleted since."""
    campaign_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The campaign that wrote to the number last, which may have been deleted since."""
    sms_message_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The newest message to the number, which may have been removed since."""
    phone_number: Mapped[str] = mapped_column(String(64))
    """The sender as the carrier gave it."""
    number: Mapped[str] = mapped_column(String(16))
    """The sender in normal form; empty if it is no number."""
    said: Mapped[LongText]
    understood: Mapped[str] = mapped_column(String(8))
    """A member of `Understood`."""
    needs_person: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if it is perhaps a wish, and nobody has looked at it."""
    is_simulated: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if a simulated person wrote it: the message that it answers went over a simulated gateway."""
    verdict: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """The decision of a user about it; empty until somebody has looked."""
    looked_at_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    looked_at_by_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The user who has looked at it, who may have been deleted since."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index(
            "ix_sms_received_open",
            "user_id",
            "number",
            sqlite_where=text("understood = 'perhaps' AND verdict = ''"),
            postgresql_where=text("understood = 'perhaps' AND verdict = ''"),
        ),
        Index("ix_sms_received_user_id_id", "user_id", "id"),
        Index("ix_sms_received_user_id_needs_person", "user_id", "needs_person", "id"),
        Index("ix_sms_received_needs_person", "needs_person", "id"),
        Index("ix_sms_received_number", "number", "id"),
        Index("ix_sms_received_last_digits", "user_id", last_digits(column("number", String)), "number"),
        Index("ix_sms_received_created_date", "created_date", "id"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )
