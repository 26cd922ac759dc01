"""Counts of requests and of wrong passwords that the processes of a service share. One process alone keeps its own."""

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, Count, Milliseconds, Row

SUBJECT_LENGTH: int = 64


class RequestAllowance(Row):
    """The allowance of requests of a user or an address."""

    __tablename__ = "request_allowance"

    subject: Mapped[str] = mapped_column(String(SUBJECT_LENGTH))
    restored_us: Mapped[int] = mapped_column(BIG)
    """Time at which the whole allowance is restored, in microseconds since the epoch."""

    __table_args__ = (
        Index("uq_request_allowance_subject", "subject", unique=True),
        UPDATED_OFTEN,
    )


class WrongPassword(Row):
    """The wrong passwords of one address, or of one user name at one address."""

    __tablename__ = "wrong_password"

    subject: Mapped[str] = mapped_column(String(SUBJECT_LENGTH))
    """A hash."""
    failures: Mapped[Count]
    first_ms: Mapped[Milliseconds]
    """Time of the first one, with which the count began."""
    last_ms: Mapped[Milliseconds] = mapped_column(index=True)

    __table_args__ = (
        Index("uq_wrong_password_subject", "subject", unique=True),
        {"sqlite_autoincrement": True},
    )
