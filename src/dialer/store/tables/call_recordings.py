"""The table of recordings of whole calls."""

from sqlalchemy import Boolean, Index, Integer, String, Text, column
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.backends.expressions import last_digits
from dialer.store.tables._base import (
    BIG,
    VACUUMED_OFTEN,
    LongText,
    Milliseconds,
    Money,
    Row,
    belongs_to,
    in_account,
    mentions,
)
from dialer.store.tables.key_ring import SoundKey


class CallRecording(Row):
    """The recording of a whole call. It outlives its call and its campaign, and its row outlives its sound."""

    __tablename__ = "call_recording"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    callid: Mapped[str] = mapped_column(String(36))
    callrequest_id: Mapped[int | None] = mentions("callrequest")
    campaign_id: Mapped[int | None] = mentions("campaign", index=False)
    agent_id: Mapped[int | None] = mentions("agent")
    """The agent who talked in the call last."""
    queue_id: Mapped[int | None] = mentions("queue")
    phone_number: Mapped[str] = mapped_column(String(64))
    start_date: Mapped[Milliseconds]
    """The moment of the answer."""
    seconds: Mapped[Money]
    """The length in multiples of 1e-5 s."""
    size: Mapped[int] = mapped_column(BIG, default=0)
    """The bytes of its WAV file."""
    paused: Mapped[str | None] = mapped_column(Text, default=None)
    """The times with silence in place of sound, pairs of milliseconds since its beginning, as JSON. Null: none."""
    file: Mapped[str] = mapped_column(String(64), default="")
    """The name of its file in the folder of recordings. Empty if there is none: the callee was simulated, or it is
    deleted."""
    stored_where: Mapped[str] = mapped_column(String(8), default="", server_default="")
    """`s3` once its file is in the bucket, `folder` once it is stored in the folder, and empty before."""
    sound_key: Mapped[str | None] = mapped_column(SoundKey, default=None)
    """The key of its sound in hexadecimal digits, which `opened_key` opens. Without it, nobody can hear the file."""
    state: Mapped[str] = mapped_column(String(16))
    """A `dialer.domain.words.enums.RecordingState`."""
    refused: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if the callee refused to be recorded, or could not be told that the call is."""
    removed_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    kept_until_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment at which its sound is removed; null: never. 0: its call or its person was removed."""
    legal_hold: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if nothing may remove it: what is due is done when the hold ends."""
    text: Mapped[LongText]
    """The words that are said in it, as they were written down. Empty before, and once it is removed."""
    text_language: Mapped[str] = mapped_column(String(35), default="", server_default="")
    """The language of that text (BCP 47). Empty if nobody knows."""
    text_state: Mapped[str] = mapped_column(String(8), default="off", server_default="off")
    """A `dialer.domain.words.enums.TextState`."""
    text_claimed_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment at which a process began to have it written down, or a later one if it is put off. Null: none has."""
    text_asked_ms: Mapped[int | None] = mapped_column(BIG, default=None)
    """The moment at which somebody asked for its text anew. Null: nobody did."""
    text_tries: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """Attempts to write it down that failed, maybe by the recording itself."""

    __table_args__ = (
        in_account("call_recording"),
        Index("ix_call_recording_campaign_id", "campaign_id", "id"),
        Index("ix_call_recording_callid", "callid"),
        Index("ix_call_recording_start_date", "start_date", "id", "user_id"),
        Index("ix_call_recording_phone_number", "phone_number", "id", "user_id"),
        Index("ix_call_recording_last_digits", "user_id", last_digits(column("phone_number", String)), "phone_number"),
        Index(
            "ix_call_recording_file",
            "file",
            sqlite_where=sql("file <> ''"),
            postgresql_where=sql("file <> ''"),
        ),
        Index(
            "ix_call_recording_waiting",
            "id",
            sqlite_where=sql("state = 'waiting'"),
            postgresql_where=sql("state = 'waiting'"),
        ),
        Index(
            "ix_call_recording_in_progress",
            "start_date",
            sqlite_where=sql("state = 'in_progress'"),
            postgresql_where=sql("state = 'in_progress'"),
        ),
        Index(
            "ix_call_recording_text_waiting",
            "id",
            sqlite_where=sql("text_state = 'waiting'"),
            postgresql_where=sql("text_state = 'waiting'"),
        ),
        Index(
            "ix_call_recording_left",
            "id",
            sqlite_where=sql("state = 'removed' AND file <> ''"),
            postgresql_where=sql("state = 'removed' AND file <> ''"),
        ),
        Index(
            "ix_call_recording_kept_until_ms",
            "kept_until_ms",
            sqlite_where=sql("kept_until_ms IS NOT NULL AND state <> 'removed'"),
            postgresql_where=sql("kept_until_ms IS NOT NULL AND state <> 'removed'"),
        ),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )
