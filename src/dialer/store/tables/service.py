"""The service's own rows: its state, and responses that it can repeat."""

from sqlalchemy import Boolean, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, Code, Milliseconds, Row, belongs_to
from dialer.store.tables.key_ring import Secret


class ServiceState(Row):
    """The service's only row: the position of its clock, the last ids it gave, and the settings it started with."""

    __tablename__ = "service_state"

    now_ms: Mapped[Milliseconds]
    """Position of the clock: everything that was due until then has happened."""
    last_callrequest_id: Mapped[int] = mapped_column(BIG, default=0)
    last_cdr_id: Mapped[int] = mapped_column(BIG, default=0)
    number_key: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    """Key of the hashes of erased numbers on do-not-call lists; null until the first erasure."""
    leg_key: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    """Key of the names of legs, so that two services never use the same; null until a real carrier is used."""
    agent_account: Mapped[str | None] = mapped_column(String(34), default=None)
    """The name of the installation for programs that talk; null until the service starts."""
    clock: Mapped[str | None] = mapped_column(String(8), default=None)
    """Mode of the clock, as in DIALER_CLOCK. It is null until the database is first served, like the settings below."""
    timezone: Mapped[str | None] = mapped_column(String(64), default=None)
    default_region: Mapped[str | None] = mapped_column(String(2), default=None)
    """Null also if the service has no default region."""
    calling_hours: Mapped[str | None] = mapped_column(String(11), default=None)
    """As in DIALER_CALLING_HOURS; null also if that is unset."""
    contact_rules: Mapped[str] = mapped_column(String(3), default="", server_default="")
    """As in DIALER_CONTACT_RULES; empty if that is unset."""
    media_dir: Mapped[str | None] = mapped_column(String, default=None)
    """Relative to the folder of the database if it is inside that folder, else absolute."""
    calls_removed_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Calls that began before this moment may have been removed as too old."""
    places_digest: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """Digest of the rows from which the zones of stored numbers were last read; empty if that is not known."""
    speech_down: Mapped[str | None] = mapped_column(String(255), default=None)
    """Why the process that dials cannot speak texts; empty if it can, null if it has no voice (DIALER_SPEECH)."""
    voices_tried: Mapped[str | None] = mapped_column(Text, default=None)
    """Which voices of surveys speak, as JSON; null until one was tried since the start."""
    recordings_id: Mapped[str | None] = mapped_column(String(32), default=None)
    """The id in the marker of the folder of recordings; null until a call is recorded."""
    recordings_bucket: Mapped[str | None] = mapped_column(Text, default=None)
    """The place in a bucket that has the marker of this database."""
    recordings_marked: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True once a folder has the marker with that id. No other folder is taken for the right one from then on."""

    __table_args__ = UPDATED_OFTEN


class KeyCheck(Row):
    """The only row is a known word, encrypted with the key of the stored secrets."""

    __tablename__ = "key_check"

    word: Mapped[str] = mapped_column(Secret)


class IdempotentResponse(Row):
    """The first response to a POST with an `Idempotency-Key`."""

    __tablename__ = "idempotent_response"

    user_id: Mapped[int] = belongs_to("user_account", index=False)
    path: Mapped[str] = mapped_column(String(255))
    key: Mapped[str] = mapped_column(String(255))
    body_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status_code: Mapped[Code]
    headers: Mapped[str]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_date: Mapped[Milliseconds] = mapped_column(index=True)

    __table_args__ = (
        Index("uq_idempotent_response_user_id_path_key", "user_id", "path", "key", unique=True),
        {"sqlite_autoincrement": True},
    )
