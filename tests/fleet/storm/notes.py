"""Notes that triggers of the database write: each dial, and what workers know of changes, by the database's clock.

The triggers run inside the product's transactions, under its locks. So a note is made before the commit of what it
tells of, and after every commit that the transaction could see.
"""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from dialer.store.backends.backend import backend_of
from dialer.store.database.touched import Touched

_SQLITE_NOW: Final = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
_POSTGRESQL_NOW: Final = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
_TRIGGERS: Final = {
    "dial": ("INSERT ON callrequest", "NEW.attempt > 0", "NEW.id, NEW.campaign_id, NEW.phone_number"),
    "change": ("INSERT ON fleet_change", "", "NEW.id, 0, NEW.touched"),
    "joined": ("INSERT ON fleet_worker", "", "NEW.id, NEW.lease_until_ms, NEW.name"),
    "renewed": (
        "UPDATE ON fleet_worker",
        "NEW.lease_until_ms <> OLD.lease_until_ms",
        "NEW.id, NEW.lease_until_ms, NEW.name",
    ),
    "replaced": ("DELETE ON fleet_worker", "", "OLD.id, 0, OLD.name"),
    "seen": ("UPDATE ON seat", "NEW.seen <> OLD.seen AND NEW.worker_id IS NOT NULL", "NEW.worker_id, NEW.seen, ''"),
}
"""Kinds of notes: the event, its condition, and the values `id`, `other` and `what`."""


class Note(NamedTuple):
    """One note."""

    kind: str
    id: int
    other: int
    what: str
    noted_ms: int


def take_notes(connection: Connection) -> None:
    """Create the table of the notes, and the triggers."""
    if backend_of(connection).HAS_FILE:
        connection.execute(text(_table("INTEGER PRIMARY KEY AUTOINCREMENT")))
        for kind, (event, condition, values) in _TRIGGERS.items():
            when = f"WHEN {condition}" if condition else ""
            connection.execute(
                text(f"CREATE TRIGGER note_{kind} AFTER {event} {when} BEGIN {_insert(kind, values, _SQLITE_NOW)} END")
            )
        return
    connection.execute(text(_table("BIGSERIAL PRIMARY KEY")))
    for kind, (event, condition, values) in _TRIGGERS.items():
        body = f"BEGIN {_insert(kind, values, _POSTGRESQL_NOW)} RETURN NULL; END"
        when = f"WHEN ({condition})" if condition else ""
        connection.execute(text(f"CREATE FUNCTION note_{kind}() RETURNS trigger LANGUAGE plpgsql AS '{_quoted(body)}'"))
        connection.execute(
            text(f"CREATE TRIGGER note_{kind} AFTER {event} FOR EACH ROW {when} EXECUTE FUNCTION note_{kind}()")
        )


def notes_of(connection: Connection, kind: str) -> list[Note]:
    """Return the notes of a kind, in their order."""
    query = text("SELECT kind, note_id, other, what, noted_ms FROM storm_note WHERE kind = :kind ORDER BY id")
    return [Note(*row) for row in connection.execute(query, {"kind": kind})]


def touched_by(change: Note) -> Touched:
    """Return the records that a noted change concerns."""
    return msgspec.json.decode(change.what, type=Touched)


def _table(key: str) -> str:
    return (
        f"CREATE TABLE storm_note (id {key}, kind TEXT NOT NULL, note_id BIGINT NOT NULL, other BIGINT NOT NULL,"
        " what TEXT NOT NULL, noted_ms BIGINT NOT NULL)"
    )


def _insert(kind: str, values: str, now: str) -> str:
    return f"INSERT INTO storm_note (kind, note_id, other, what, noted_ms) VALUES ('{kind}', {values}, {now});"  # noqa: S608 - our own values


def _quoted(body: str) -> str:
    return body.replace("'", "''")
