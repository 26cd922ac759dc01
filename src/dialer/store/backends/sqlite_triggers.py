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
_KEY: Final = "new.full_name_key"
_BUT_LAST: Final = f"rtrim({_KEY}, replace({_KEY}, ' ', ''))"
_INDEX: Final = "INSERT OR IGNORE INTO contact_word (user_id, word, id)"
_LAST_FIRST: Final = f"substr({_KEY}, length({_BUT_LAST}) + 1) || ' ' || rtrim({_BUT_LAST})"
_FIRST_LAST: Final = "substr({0}, instr({0}, ' ') + 1) || ' ' || substr({0}, 1, instr({0}, ' ') - 1)"
_WHOLE: Final = f"{_INDEX} VALUES (new.user_id, {_KEY}, new.id)"
_TURNED_ONCE: Final = (
    f"{_INDEX} VALUES (new.user_id, {_LAST_FIRST}, new.id), (new.user_id, {_FIRST_LAST.format(_KEY)}, new.id)"
)
_IS_RENAMED: Final = f"old.full_name_key <> {_KEY} OR old.user_id <> new.user_id"


def _turned(row: str) -> str:
    """Return a query for all words of a contact, as `ContactWord` has them."""
    key = f"{row}.full_name_key"
    first = f"SELECT {key}, length({key}) - length(replace({key}, ' ', '')) WHERE {key} <> ''"
    further = f"SELECT {_FIRST_LAST.format('word')}, more - 1 FROM turned WHERE more > 0"  # noqa: S608 - constants
    return f"(WITH RECURSIVE turned (word, more) AS ({first} UNION ALL {further}) SELECT word FROM turned)"  # noqa: S608


_INDEX_ALL: Final = f"{_INDEX} SELECT new.user_id, word, new.id FROM {_turned('new')}"  # noqa: S608 - constants
_FORGET: Final = f"DELETE FROM contact_word WHERE user_id = old.user_id AND id = old.id AND word IN {_turned('old')}"  # noqa: S608
_BODIES: Final[Mapping[str, Sequence[str]]] = {
    # Most names have up to three words, and few statements turn these faster than the query for any number of words.
    "contact": (
        f"contact_named AFTER INSERT ON contact WHEN {_KEY} <> '' BEGIN {_WHOLE}; END",
        f"contact_named_twice AFTER INSERT ON contact WHEN {_KEY} LIKE '% %' BEGIN {_TURNED_ONCE}; END",
        f"contact_named_often AFTER INSERT ON contact WHEN {_KEY} LIKE '% % % %' BEGIN {_INDEX_ALL}; END",
        f"contact_renamed AFTER UPDATE ON contact WHEN {_IS_RENAMED} BEGIN {_FORGET}; {_INDEX_ALL}; END",
        f"contact_forgotten AFTER DELETE ON contact WHEN old.full_name_key <> '' BEGIN {_FORGET}; END",
    ),
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
