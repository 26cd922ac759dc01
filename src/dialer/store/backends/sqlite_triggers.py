"""The triggers of a SQLite database."""

from collections.abc import Mapping, Sequence
from typing import Final

from dialer.domain.words.enums import CallRequestStatus, SubscriberStatus
from dialer.store.backends.removal import REMOVABLE_MS

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
_HAS_OTHER_PHONEBOOK: Final = "old.phonebook_id IS NOT new.phonebook_id"
_IS_YOUNG: Final = f"OLD.created_date > (SELECT max(created_date) FROM audit_log) - {REMOVABLE_MS}"  # noqa: S608 - a constant
_REFUSED: Final = "BEGIN SELECT RAISE(ABORT, 'an entry of the audit log is"
_HERE: Final = "new.campaign_id, new.user_id, coalesce(new.phonebook_id, 0)"
_THERE: Final = "old.campaign_id, old.user_id, coalesce(old.phonebook_id, 0)"
# The new phonebook has the state before, from which `subscriber_moved` begins.
_GIVEN: Final = f"{_MOVE} ({_THERE}, {_OLD}, {_NONE}), ({_HERE}, {_NONE}, {_OLD})"
_IS_CALLING: Final = f"status = {CallRequestStatus.CALLING:d}"
_IS_OVER: Final = f"status <> {CallRequestStatus.CALLING:d} AND old.{_IS_CALLING}"
_BEGUN: Final = "INSERT OR IGNORE INTO call_in_progress (id, user_id) VALUES (new.id, new.user_id)"
_ENDED: Final = "DELETE FROM call_in_progress WHERE id = old.id"
_KEY: Final = "new.full_name_key"
_INDEX: Final = "INSERT OR IGNORE INTO contact_word (user_id, word, id)"
_FIRST_LAST: Final = "substr({0}, instr({0}, ' ') + 1) || ' ' || substr({0}, 1, instr({0}, ' ') - 1)"
_IN_BATCH: Final = "SELECT 1 FROM contact_word WHERE user_id = 0 AND word = '' AND id = 0"
_IS_ALONE: Final = f"NOT EXISTS ({_IN_BATCH})"
_IS_RENAMED: Final = f"old.full_name_key <> {_KEY} OR old.user_id <> new.user_id"


def _turned(row: str, rows: str = "") -> str:
    """Return a query for all words of a contact, or of all contacts of a FROM, as `ContactWord` has them."""
    key = f"{row}.full_name_key"
    blanks = f"length({key}) - length(replace({key}, ' ', ''))"
    first = f"SELECT {row}.user_id, {key}, {row}.id, {blanks} {rows or 'WHERE 1'} AND {key} <> ''"
    further = f"SELECT user_id, {_FIRST_LAST.format('word')}, id, more - 1 FROM turned WHERE more > 0"  # noqa: S608
    return f"WITH RECURSIVE turned (user_id, word, id, more) AS ({first} UNION ALL {further}) SELECT"


# A cascade takes no heed of OR IGNORE, and names can have a word twice.
_INDEX_ALL: Final = f"{_INDEX} SELECT * FROM ({_turned('new')} DISTINCT user_id, word, id FROM turned)"  # noqa: S608
_FORGET: Final = (
    "DELETE FROM contact_word WHERE user_id = old.user_id AND id = old.id"  # noqa: S608 - constants
    f" AND word IN ({_turned('old')} word FROM turned)"
)
BEGIN_BATCH: Final = "INSERT INTO contact_word (user_id, word, id) VALUES (0, '', 0)"
"""Begins a batch of contacts, whose words no trigger writes."""
END_BATCH: Final = "DELETE FROM contact_word WHERE user_id = 0 AND word = '' AND id = 0"
INDEX_BATCH: Final = f"{_INDEX} {_turned('contact', 'FROM contact WHERE id > ?')} user_id, word, id FROM turned"
"""Writes the words of all contacts after an id, in half the time that the triggers take."""
BEGIN_JOINING: Final = "INSERT INTO subscriber_move (id, campaign_id, user_id, phonebook_id) VALUES (0, 0, 0, 0)"
"""Begins to add many subscribers, whom no trigger notes."""
END_JOINING: Final = "DELETE FROM subscriber_move WHERE id = 0 OR id > ?"
"""Deletes moves after an id, too: the trigger of a database that no process of this version has served notes each."""
LAST_JOINED: Final = (
    "SELECT (SELECT coalesce(max(id), 0) FROM subscriber), (SELECT coalesce(max(id), 0) FROM subscriber_move)"
)
"""Finds the last subscriber, and the last move."""
NOTE_JOINED: Final = (
    "INSERT INTO subscriber_move (user_id, campaign_id, phonebook_id, status, status_reason, attempted, subscribers)"  # noqa: S608 - a constant
    f" SELECT campaign.user_id, campaign.id, new.phonebook_id, {SubscriberStatus.PENDING:d}, '', 0, new.subscribers"
    " FROM campaign, (SELECT coalesce(phonebook_id, 0) AS phonebook_id, count(*) AS subscribers FROM subscriber"
    " WHERE id > ? GROUP BY 1) AS new WHERE campaign.id = ?"
)
"""Notes all subscribers after an id, who are new ones of a campaign."""
_IS_NOTED: Final = "NOT EXISTS (SELECT 1 FROM subscriber_move WHERE id = 0)"
_BODIES: Final[Mapping[str, Sequence[str]]] = {
    "contact": (
        f"contact_named AFTER INSERT ON contact WHEN {_KEY} <> '' AND {_IS_ALONE} BEGIN {_INDEX_ALL}; END",
        f"contact_renamed AFTER UPDATE ON contact WHEN {_IS_RENAMED} BEGIN {_FORGET}; {_INDEX_ALL}; END",
        f"contact_forgotten AFTER DELETE ON contact WHEN old.full_name_key <> '' BEGIN {_FORGET}; END",
    ),
    "subscriber": (
        f"subscriber_added AFTER INSERT ON subscriber WHEN {_IS_NOTED} BEGIN {_MOVE} ({_HERE}, {_NONE}, {_NEW}); END",
        f"subscriber_removed AFTER DELETE ON subscriber BEGIN {_MOVE} ({_THERE}, {_OLD}, {_NONE}); END",
        f"subscriber_given AFTER UPDATE OF phonebook_id ON subscriber WHEN {_HAS_OTHER_PHONEBOOK} BEGIN {_GIVEN}; END",
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
CREATE: Final = "CREATE TRIGGER IF NOT EXISTS "
CREATED: Final = "CREATE TRIGGER "
"""The beginning of a trigger's statement, as SQLite keeps it."""
TRIGGERS: Final = {table: tuple(f"{CREATE}{body}" for body in bodies) for table, bodies in _BODIES.items()}
"""Statements that create the triggers of each table."""
