"""Events for programs outside of the service, written in the transaction that caused them, and removed when old."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, LongText, Milliseconds, Row, belongs_to, in_account
from dialer.store.tables.key_ring import Secret


class AccountEvent(Row):
    """One event of an account, with ids, states and amounts, and no personal data."""

    __tablename__ = "account_event"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    type: Mapped[str] = mapped_column(String(40))
    campaign_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """No foreign key: the event outlives the campaign."""
    subject: Mapped[str] = mapped_column(String(64))
    """The path and the id of the record that the event is about, such as `campaigns/1`."""
    created_date: Mapped[Milliseconds] = mapped_column(index=True)
    data: Mapped[LongText]
    """A JSON object."""
    secret_url: Mapped[str | None] = mapped_column(Secret, default=None)
    """A link that opens a report without a sign-in: only webhooks get it. Null in most events."""

    __table_args__ = (in_account("account_event"), {"sqlite_autoincrement": True})
