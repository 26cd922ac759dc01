"""Functions, triggers and counters of a PostgreSQL database, which each upgrade creates anew."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Final
from unicodedata import combining, normalize

from dialer.domain.numbers.search_keys import NAME_KEY_MAX, PUNCTUATION
from dialer.domain.words.enums import CallRequestStatus
from dialer.store.backends.removal import REMOVABLE_MS

COUNTERS: Final = (
    "CREATE SEQUENCE IF NOT EXISTS write_turn",
    "CREATE TABLE IF NOT EXISTS user_changes (count BIGINT NOT NULL)",
    "INSERT INTO user_changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM user_changes)",
    "CREATE TABLE IF NOT EXISTS served (alone BIGINT NOT NULL, together BIGINT NOT NULL)",
    "INSERT INTO served SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM served)",
)
"""Statements that create the number of the last transaction that wrote, the count of those that were no steps, and the
counts of processes that have served the database alone and together."""
_FIRST_BEYOND_ASCII: Final = 0x80
_AFTER_LETTERS: Final = 0x40000
"""No letter and no digit has a code point above it."""
_SURROGATES: Final = range(0xD800, 0xE000)
_HANGUL: Final = range(0xAC00, 0xD7A4)
_MOVE: Final = (
    "INSERT INTO subscriber_move"
    " (campaign_id, user_id, phonebook_id, was_status, was_reason, was_attempted, status, status_reason, attempted,"
    " subscribers)"
)
_STATE: Final = "{0}.status, {0}.status_reason, CAST({0}.count_attempt > 0 AS integer)"
_OWNER: Final = "{0}.campaign_id, {0}.user_id, coalesce({0}.phonebook_id, 0)"
_NONE: Final = "CAST(NULL AS smallint), CAST(NULL AS text), CAST(NULL AS smallint)"


def _trigger(name: str, body: str, when: str, rows: str = "", *, condition: str = "") -> tuple[str, ...]:
    """Return statements that create a trigger, of all `rows` of a statement or of each row, and its function."""
    each = f"REFERENCING {rows} FOR EACH STATEMENT" if rows else "FOR EACH ROW"
    which = f"WHEN ({condition})" if condition else ""
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; END $$",
        f"DROP TRIGGER IF EXISTS {name} ON {when.rpartition(' ')[2]}",
        f"CREATE TRIGGER {name} {when} {each} {which} EXECUTE FUNCTION {name}()",
    )


def _refusal(why: str) -> str:
    return f"RAISE integrity_constraint_violation USING MESSAGE = 'an entry of the audit log is {why}'"


_ALIKE: Final = "GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9"
_ADDED: Final = f"{_MOVE} SELECT {_OWNER.format('a')}, {_NONE}, {_STATE.format('a')}, count(*) FROM added a {_ALIKE}"  # noqa: S608
_REMOVED: Final = (
    f"{_MOVE} SELECT {_OWNER.format('r')}, {_STATE.format('r')}, {_NONE}, count(*) FROM removed r {_ALIKE}"  # noqa: S608
)
_MOVED_ONE: Final = (
    f"{_MOVE} SELECT {_OWNER.format('a')}, {_STATE.format('r')}, {_STATE.format('a')}, 1 FROM removed r, added a"  # noqa: S608
    " WHERE r.status <> a.status OR r.status_reason <> a.status_reason"
    " OR (r.count_attempt > 0) <> (a.count_attempt > 0)"
    f" UNION ALL SELECT {_OWNER.format('r')}, {_STATE.format('r')}, {_NONE}, 1 FROM removed r, added a"
    " WHERE r.phonebook_id IS DISTINCT FROM a.phonebook_id"
    f" UNION ALL SELECT {_OWNER.format('a')}, {_NONE}, {_STATE.format('r')}, 1 FROM removed r, added a"
    " WHERE r.phonebook_id IS DISTINCT FROM a.phonebook_id"
)
"""A move to another state, and one to another phonebook in the state before."""
_MOVED_MANY: Final = f"""
    {_MOVE} SELECT campaign_id, user_id, phonebook_id,
        CASE WHEN more < 0 THEN status END, CASE WHEN more < 0 THEN reason END, CASE WHEN more < 0 THEN attempted END,
        CASE WHEN more > 0 THEN status END, CASE WHEN more > 0 THEN reason END, CASE WHEN more > 0 THEN attempted END,
        abs(more)
    FROM (
        SELECT campaign_id, user_id, phonebook_id, status, reason, attempted, sum(one) AS more FROM (
            SELECT {_OWNER.format("a")}, {_STATE.format("a")}, 1 FROM added a
            UNION ALL SELECT {_OWNER.format("r")}, {_STATE.format("r")}, -1 FROM removed r
        ) AS each (campaign_id, user_id, phonebook_id, status, reason, attempted, one)
        GROUP BY 1, 2, 3, 4, 5, 6
    ) AS moved WHERE more <> 0"""  # noqa: S608 - constants
"""Rows that left a state, and rows that came into one. A join of both would be planned for the first statement only."""
_IS_ONE: Final = "(SELECT count(*) FROM (SELECT FROM added LIMIT 2) AS few) = 1"
_MOVED: Final = f"IF {_IS_ONE} THEN {_MOVED_ONE}; ELSE {_MOVED_MANY}; END IF"
_IS_CALLING: Final = f"status = {CallRequestStatus.CALLING:d}"
_IS_OVER: Final = f"new.status <> {CallRequestStatus.CALLING:d} AND old.{_IS_CALLING}"
_REQUESTED: Final = "AFTER INSERT ON callrequest"
_STATUS_CHANGED: Final = "AFTER UPDATE OF status ON callrequest"
_IN_PROGRESS: Final = "INSERT INTO call_in_progress (id, user_id)"
_DIALLED: Final = f"{_IN_PROGRESS} SELECT a.id, a.user_id FROM added a WHERE a.{_IS_CALLING}"  # noqa: S608 - constants
_BEGUN: Final = f"{_IN_PROGRESS} VALUES (new.id, new.user_id) ON CONFLICT DO NOTHING"
_ENDED: Final = "DELETE FROM call_in_progress WHERE id = old.id"
_GONE: Final = f"DELETE FROM call_in_progress c USING removed r WHERE c.id = r.id AND r.{_IS_CALLING}"  # noqa: S608
_INDEX: Final = "INSERT INTO contact_word (user_id, word, id)"
_NAMED: Final = f"{_INDEX} SELECT a.user_id, word, a.id FROM added a, name_turns(a.full_name_key) word"  # noqa: S608
_FORGOTTEN: Final = (
    "DELETE FROM contact_word c USING removed r, name_turns(r.full_name_key) turned"
    " WHERE c.user_id = r.user_id AND c.word = turned AND c.id = r.id"
)
_OLD_WORDS: Final = "user_id = old.user_id AND id = old.id AND word IN (SELECT name_turns(old.full_name_key))"
_NEW_WORDS: Final = f"{_INDEX} SELECT new.user_id, word, new.id FROM name_turns(new.full_name_key) word"  # noqa: S608
_RENAMED: Final = f"DELETE FROM contact_word WHERE {_OLD_WORDS}; {_NEW_WORDS}"  # noqa: S608 - constants
_IS_RENAMED: Final = "old.full_name_key <> new.full_name_key OR old.user_id <> new.user_id"
TRIGGERS: Final[Mapping[str, Sequence[str]]] = {
    "contact": (
        *_trigger("contact_named", f"{_NAMED}; RETURN NULL", "AFTER INSERT ON contact", "NEW TABLE AS added"),
        *_trigger("contact_renamed", f"{_RENAMED}; RETURN NULL", "AFTER UPDATE ON contact", condition=_IS_RENAMED),
        *_trigger("contact_forgotten", f"{_FORGOTTEN}; RETURN NULL", "AFTER DELETE ON contact", "OLD TABLE AS removed"),
    ),
    "subscriber": (
        *_trigger("subscriber_added", f"{_ADDED}; RETURN NULL", "AFTER INSERT ON subscriber", "NEW TABLE AS added"),
        *_trigger("subscriber_gone", f"{_REMOVED}; RETURN NULL", "AFTER DELETE ON subscriber", "OLD TABLE AS removed"),
        *_trigger(
            "subscriber_moved",
            f"{_MOVED}; RETURN NULL",
            "AFTER UPDATE ON subscriber",
            "OLD TABLE AS removed NEW TABLE AS added",
        ),
    ),
    "callrequest": (
        *_trigger(
            "callrequest_dialled", f"{_DIALLED}; RETURN NULL", "AFTER INSERT ON callrequest", "NEW TABLE AS added"
        ),
        *_trigger("callrequest_taken_back", f"{_BEGUN}; RETURN NULL", _STATUS_CHANGED, condition=f"new.{_IS_CALLING}"),
        *_trigger("callrequest_over", f"{_ENDED}; RETURN NULL", _STATUS_CHANGED, condition=_IS_OVER),
        *_trigger("callrequest_gone", f"{_GONE}; RETURN NULL", "AFTER DELETE ON callrequest", "OLD TABLE AS removed"),
    ),
    "audit_log": (
        *_trigger("audit_log_is_not_changed", _refusal("never changed"), "BEFORE UPDATE ON audit_log"),
        *_trigger(
            "audit_log_is_kept",
            f"IF old.created_date > (SELECT max(created_date) FROM audit_log) - {REMOVABLE_MS} THEN"  # noqa: S608
            f" {_refusal('kept for 30 days')}; END IF; RETURN old",
            "BEFORE DELETE ON audit_log",
        ),
    ),
}
"""Statements that create the triggers of each table, and the functions that they call."""


def functions() -> Iterator[str]:
    """Yield statements that create the functions of SQL expressions."""
    yield (
        "CREATE OR REPLACE FUNCTION bare_number(number text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE"
        f" AS $$ SELECT translate(coalesce(number, ''), '{PUNCTUATION}', '') $$"
    )
    yield (
        "CREATE OR REPLACE FUNCTION name_turns(key text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE"
        " AS $$ SELECT DISTINCT array_to_string(words[place:] || words[:place - 1], ' ')"
        " FROM (SELECT string_to_array(key, ' ') AS words) AS name, generate_subscripts(words, 1) AS place $$"
    )
    changed, kept = _characters()
    yield f"""
        CREATE OR REPLACE FUNCTION name_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        DECLARE
            folded text;
        BEGIN
            IF name IS NULL THEN
                RETURN '';
            ELSIF octet_length(name) = length(name) THEN
                folded := regexp_replace(lower(name), '[^a-z0-9]+', ' ', 'g');
            ELSE
                SELECT string_agg(CASE WHEN part BETWEEN U&'\\{_HANGUL[0]:04X}' AND U&'\\{_HANGUL[-1]:04X}'
                    THEN normalize(part, NFKD) ELSE coalesce($key${changed}$key$::jsonb ->> part, part) END,
                    '' ORDER BY place)
                INTO folded FROM regexp_split_to_table(name, '') WITH ORDINALITY AS parts (part, place);
                folded := regexp_replace(folded, $key$[^a-z0-9{kept}]+$key$, ' ', 'g');
            END IF;
            RETURN left(btrim(folded, ' '), {NAME_KEY_MAX});
        END $$"""  # noqa: S608 - our own characters


@cache
def _characters() -> tuple[str, ...]:
    """Return the characters that a key writes otherwise, as JSON, and those that it keeps, as part of a regex."""
    changed, kept = {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}, list[int]()
    for code in range(_FIRST_BEYOND_ASCII, _AFTER_LETTERS):
        if code not in _SURROGATES and code not in _HANGUL:
            char = chr(code)
            key = _in_key(char)
            if key == char:
                kept.append(code)
            elif not key.isspace():
                changed[char] = key
    runs = [list(run) for _, run in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0])]
    ranges = "".join(f"\\U{run[0][1]:08X}-\\U{run[-1][1]:08X}" for run in runs)
    return json.dumps(changed, ensure_ascii=False), ranges


def _in_key(char: str) -> str:
    """Return what a key has for a character: each character by itself, as marks are dropped anyway."""
    folded = normalize("NFKD", normalize("NFKD", char).casefold())
    return "".join([part if part.isalnum() else " " for part in folded if not combining(part)])
