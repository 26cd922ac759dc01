"""The audit log: who changed or tried what, when, from where. Rows are added, and removed when they are old."""

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, LongText, Milliseconds, Row


class AuditLog(Row):
    """One entry of the audit log. Texts that users wrote are masked, so that no phone number is stored."""

    __tablename__ = "audit_log"

    created_date: Mapped[Milliseconds] = mapped_column(index=True)
    actor_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The user who acted. No foreign key: the entry outlives the user."""
    actor: Mapped[str] = mapped_column(String(150), default="")
    via: Mapped[str] = mapped_column(String(16))
    key_prefix: Mapped[str] = mapped_column(String(16), default="")
    address: Mapped[str] = mapped_column(String(45), default="")
    action: Mapped[str] = mapped_column(String(64))
    resource: Mapped[str] = mapped_column(String(40), default="")
    record_id: Mapped[int | None] = mapped_column(BIG, default=None)
    user_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The user whose record it is, who may read the entry."""
    before: Mapped[LongText]
    after: Mapped[LongText]
    previous: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The hash of the entry before (`dialer.store.rows.audit_chain`); empty in the first one."""

    __table_args__ = (
        Index("ix_audit_log_user_id", "user_id", "id"),
        Index("ix_audit_log_record", "resource", "record_id", "id"),
        Index("ix_audit_log_action", "action", "id"),
        Index("ix_audit_log_actor", "actor", "id"),
        {"sqlite_autoincrement": True},
    )
