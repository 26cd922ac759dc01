"""The words of agents about their calls."""

from sqlalchemy import Boolean, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, LongText, Milliseconds, Row, account_of, belongs_to


class CallDisposition(Row):
    """The outcome of a call in the words of its agent."""

    __tablename__ = "call_disposition"

    callrequest_id: Mapped[int] = mapped_column(BIG, ForeignKey("callrequest.id", ondelete="CASCADE"))
    user_id: Mapped[int] = account_of("callrequest", "callrequest_id")
    disposition: Mapped[str] = mapped_column(String(40))
    word: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The campaign's own word for the outcome; empty for the usual one."""
    note: Mapped[str] = mapped_column(String(1000), default="", server_default="")
    call_back_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The time at which the callee is to be called again; null for none."""
    same_agent: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the agent who promised the call-back takes it themselves."""
    was_completed: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the subscriber was COMPLETED before the call-back, and so is again if that is taken back."""
    promised_agent_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The agent who takes the call-back themselves; null for any agent."""
    promised_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The time from which any agent may take it."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_call_disposition_callrequest_id", "callrequest_id", "user_id", unique=True),
        Index(
            "ix_call_disposition_user_id_call_back_ms",
            "user_id",
            "call_back_ms",
            sqlite_where=text("call_back_ms IS NOT NULL"),
            postgresql_where=text("call_back_ms IS NOT NULL"),
        ),
        {"sqlite_autoincrement": True},
    )


class CallDraft(Row):
    """The outcome of a call as its agent has typed it so far. It goes when the outcome is saved."""

    __tablename__ = "call_draft"

    callrequest_id: Mapped[int] = mapped_column(BIG, ForeignKey("callrequest.id", ondelete="CASCADE"))
    user_id: Mapped[int] = account_of("callrequest", "callrequest_id")
    agent_id: Mapped[int] = belongs_to("agent")
    disposition: Mapped[str] = mapped_column(String(160), default="", server_default="")
    """As forms have it: with the campaign's own word before a sign `=`, if it has one. Empty for none."""
    note: Mapped[str] = mapped_column(String(1000), default="", server_default="")
    call_back_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    same_agent: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    fields: Mapped[LongText]
    """The columns of the contact that are typed, by name, as JSON text; empty for none."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_call_draft_callrequest_id_agent_id", "callrequest_id", "agent_id", "user_id", unique=True),
        UPDATED_OFTEN,
    )
