"""Consents of people to be called."""

from sqlalchemy import Index, String, column
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.words.consent_words import NO_CONSENT
from dialer.store.backends.expressions import last_digits
from dialer.store.tables._base import BIG, LongText, Milliseconds, Row, belongs_to, mentions


class Consent(Row):
    """A consent of the person who has a number to be called by an account (`dialer.domain.calls.consents`)."""

    __tablename__ = "consent"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    phone_number: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    """The number in normal form, or its hash if the person was erased."""
    kind: Mapped[str] = mapped_column(String(8))
    purposes: Mapped[LongText]
    """Purposes with blanks between them; empty for all."""
    seller: Mapped[str] = mapped_column(String(100), default="", server_default="")
    given_date: Mapped[Milliseconds]
    expiration_date: Mapped[int | None] = mapped_column(BIG, default=None)
    hours: Mapped[str] = mapped_column(String(11), default="", server_default="")
    """The hours in which the person wants calls, such as `18:00-20:30`; empty if they named none."""
    hours_date: Mapped[str | None] = mapped_column(String(10), default=None)
    """The only day of these hours."""
    how: Mapped[str] = mapped_column(String(8), default=NO_CONSENT, server_default=NO_CONSENT)
    evidence: Mapped[LongText]
    evidence_url: Mapped[LongText]
    evidence_sha256: Mapped[str] = mapped_column(String(64), default="", server_default="")
    audio_file_id: Mapped[int | None] = mentions("audio_file")
    callrequest_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call in which it was given. The proof outlives the call, so this is no foreign key."""
    withdrawn_date: Mapped[int | None] = mapped_column(BIG, default=None)
    withdrawn_how: Mapped[LongText]
    last_used_date: Mapped[int | None] = mapped_column(BIG, default=None)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("ix_consent_user_id_id", "user_id", "id"),
        Index("ix_consent_number", "number", "user_id", "id"),
        Index("ix_consent_last_digits", "user_id", last_digits(column("number", String)), "number"),
        Index("ix_consent_created_date", "created_date", "id"),
        Index("ix_consent_given_date", "given_date", "id"),
        {"sqlite_autoincrement": True, "postgresql_with": {"fillfactor": 90}},
    )
