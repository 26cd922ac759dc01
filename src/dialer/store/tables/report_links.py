"""Links by which people without an account open a report."""

from sqlalchemy import Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, Milliseconds, Name, Row, belongs_to


class ReportLink(Row):
    """A link to one report of one campaign. The token of its address is not stored."""

    __tablename__ = "report_link"

    campaign_id: Mapped[int] = belongs_to("campaign")
    name: Mapped[Name]
    report: Mapped[str] = mapped_column(String(10), default="answers", server_default="answers")
    """A `dialer.domain.words.shared_reports.SharedReport`."""
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
