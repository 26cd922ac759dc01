"""The table of legs over lines."""

from sqlalchemy import Boolean, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, LongText, Medium, Milliseconds, Row


class LiveLeg(Row):
    """A leg that a real carrier has, or is about to have, deleted when it is over. Simulated calls have none."""

    __tablename__ = "live_leg"

    key: Mapped[str] = mapped_column(String(36), unique=True)
    """The leg's name for its carrier."""
    call_id: Mapped[int] = mapped_column(BIG)
    """The call request or the text message, which share one sequence of ids."""
    place: Mapped[int] = mapped_column(default=0, server_default="0")
    """The place of its transfer in the call; 0 for the leg of the call itself, and negative for a supervisor's."""
    is_leaving: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if it has been told to end, and nobody needs it any more."""
    medium: Mapped[Medium]
    gateway_id: Mapped[int] = mapped_column(BIG)
    dialling: Mapped[str] = mapped_column(Text)
    """The order to dial, as JSON."""
    wanted_ms: Mapped[Milliseconds]
    """The moment of the decision."""
    handed_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment when the order was about to be given to the line. Null if it certainly was not."""
    heard_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The last sign of life."""
    standing: Mapped[str] = mapped_column(Text, default="{}")
    """The state of the conversation, as JSON."""
    handle: Mapped[LongText]
    """The line's own data, with which it takes the leg up again."""

    __table_args__ = UPDATED_OFTEN
