"""The triggers of a SQLite database."""

from collections.abc import Mapping, Sequence
from typing import Final

from dialer.domain.enums import CallRequestStatus
from dialer.store.tables import REMOVABLE_MS

_MOVE: Final = (
    "INSERT INTO subscriber_move (campaign_id, user_id, phonebook_id,"
    " was_status, was_reason, was_attempted, status, status_reason, attempted) VALUES"
)
_OLD: Final = "old.status, old.status_reason, old.count_attempt > 0"
_NEW: Final = "new.status, new.status_reason, new.count_attempt > 0"
_NONE: Final = "NULL, NULL, NULL"
_IS_MOVED: Final = (
    "old.status <> new.status OR old.status_reason <> new.status_reason"
    " OR (old.count_attempt > 0) <> (new.count_attempt > 0)"
)
_IS_YOUNG: Final = f"OLD.created_date > (SELECT max(created_date) FROM audit_log) - {REMOVABLE_MS}"  # noqa: S608 - a constant
_REFUSED: Final = "BEGIN SELECT RAISE(ABORT, 'an entry of the audit log is"
_HERE: Final = "new.campaign_id, new.user_id, coalesce(new.phonebook_id, 0)"
_THERE: Final = "old.campaign_id, old.user_id, coalesce(old.phonebook_id, 0)"
_IS_CALLING: Final = f"status = {CallRequestStatus.CALLING:d}"
_IS_OVER: Final = f"status <> {CallRequestStatus.CALLING:d} AND old.{_IS_CALLING}"
_BEGUN: Final = "INSERT OR IGNORE INTO call_in_progress (id, user_id) VALUES (new.id, new.user_id)"
_ENDED: Final = "DELETE FROM call_in_progress WHERE id = old.id"
_BODIES: Final[Mapping[str, Sequence[str]]] = {
    "subscriber": (
        f"subscriber_added AFTER INSERT ON subscriber BEGIN {_MOVE} ({_HERE}, {_NONE}, {_NEW}); END",
        f"subscriber_removed AFTER DELETE ON subscriber BEGIN {_MOVE} ({_THERE}, {_OLD}, {_NONE}); END",
        f"subscriber_moved AFTER UPDATE ON subscriber WHEN {_IS_MOVED} BEGIN {_MOVE} ({_HERE}, {_OLD}, {_NEW}); END",
    ),
    "callrequest": (
        f"callrequest_dialled AFTER INSERT ON callrequest WHEN new.{_IS_CALLING} BEGIN {_BEGUN}; END",
        f"callrequest_taken_back AFTER UPDATE OF status ON callrequest WHEN new.{_IS_CALLING} BEGIN {_BEGUN}; END",
        f"callrequest_over AFTER UPDATE OF status ON callrequest WHEN new.{_IS_OVER} BEGIN {_ENDED}; END",
        f"callrequest_gone AFTER DELETE ON callrequest WHEN old.{_IS_CALLING} BEGIN {_ENDED}; END",
    ),
    "audit_log": (
        f"audit_log_is_not_changed BEFORE UPDATE ON audit_log {_REFUSED} never changed'); END",
        f"audit_log_is_kept BEFORE DELETE ON audit_log WHEN {_IS_YOUNG} {_REFUSED} kept for 30 days'); END",
    ),
}
TRIGGERS: Final = {
    table: tuple(f"CREATE TRIGGER IF NOT EXISTS {body}" for body in bodies) for table, bodies in _BODIES.items()
}
"""Statements that create the triggers of each table."""
