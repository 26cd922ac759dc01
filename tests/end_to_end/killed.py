"""Checks of the database of a killed server: acknowledged writes, and rules that its rows must keep."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from dialer.store.backends.database_files import check

BROKEN: Final = {
    "attempts of a subscriber are not numbered 1 to n": """
        SELECT subscriber_id, count(*), min(attempt), max(attempt) FROM callrequest WHERE attempt > 0
        GROUP BY subscriber_id HAVING min(attempt) != 1 OR max(attempt) != count(*)
            OR count(DISTINCT attempt) != count(*)""",
    "a subscriber's count is not that of their attempts": """
        SELECT id, count_attempt FROM subscriber WHERE count_attempt !=
            (SELECT count(*) FROM callrequest WHERE subscriber_id = subscriber.id AND attempt > 0)""",
    "more attempts than the campaign allows": """
        SELECT subscriber.id FROM subscriber JOIN campaign ON campaign.id = campaign_id
        WHERE count_attempt > 1 + maxretry + completion_maxretry""",
    "a call is not over": "SELECT id, status FROM callrequest WHERE status = 7 OR ended_ms IS NULL OR hold != 0",
    "a call does not have one CDR": """
        SELECT callrequest.id, count(cdr.id) FROM callrequest
        LEFT JOIN cdr ON callrequest_id = callrequest.id AND leg_type = 1
        GROUP BY callrequest.id HAVING count(cdr.id) != 1""",
    "a call does not have one CDR for each B-leg": """
        SELECT id FROM callrequest WHERE
            (SELECT count(*) FROM cdr WHERE callrequest_id = callrequest.id AND leg_type = 2) !=
            (SELECT count(*) FROM transfer WHERE callrequest_id = callrequest.id AND started_ms IS NOT NULL
                AND (ended_ms > started_ms OR answered_ms IS NOT NULL))""",
    "a CDR has no call": "SELECT id FROM cdr WHERE callrequest_id IS NULL",
    "a transfer is not over": "SELECT id FROM transfer WHERE status != 3 OR ended_ms IS NULL",
    "a balance is not payments less charges, or money is held": """
        SELECT id, balance, held FROM user_account WHERE held != 0 OR balance !=
            (SELECT coalesce(sum(amount), 0) FROM payment WHERE user_id = user_account.id)
            - (SELECT coalesce(sum(call_cost), 0) FROM cdr WHERE user_id = user_account.id)""",
    "nothing was charged": "SELECT 1 WHERE (SELECT coalesce(sum(call_cost), 0) FROM cdr) = 0",
    "a balance is not the sum of its ledger": """
        SELECT id, balance FROM user_account WHERE balance !=
            (SELECT coalesce(sum(amount), 0) FROM ledger_entry WHERE user_id = user_account.id)""",
    "a number was dialled after it was put on a do-not-call list": """
        SELECT callrequest.id FROM callrequest JOIN subscriber ON subscriber.id = subscriber_id
        JOIN dnc_contact ON dnc_contact.number = subscriber.number
        WHERE callrequest.attempt > 0 AND started_ms > dnc_contact.created_date""",
    "a callee who asked not to be called is on no list": """
        SELECT callrequest.phone_number FROM survey_result JOIN callrequest ON callrequest.id = callrequest_id
        WHERE section_type = 9 AND callrequest.phone_number NOT IN (SELECT phone_number FROM dnc_contact)""",
    "a campaign's calls are not counted": """
        SELECT id, calls FROM campaign
        WHERE calls != (SELECT count(*) FROM callrequest WHERE campaign_id = campaign.id AND attempt > 0)""",
}
"""Names of broken rules, each with a query that finds rows that break it."""
COUNTED: Final = ("callrequest", "transfer", "cdr", "dnc_contact", "payment", "contact")


class Promise(msgspec.Struct):
    """A record whose creation was acknowledged."""

    body: dict[str, Any]
    record_id: int
    calls: int | None = None
    """For an entry of a do-not-call list: the calls to the number when the entry was acknowledged."""


class Memory(msgspec.Struct):
    """Everything that was acknowledged."""

    contacts: list[Promise] = msgspec.field(default_factory=list)
    never: list[Promise] = msgspec.field(default_factory=list)
    payments: list[Promise] = msgspec.field(default_factory=list)
    states: list[int] = msgspec.field(default_factory=list)
    """The statuses of the campaign, in order."""


class Kept(NamedTuple):
    """The place of acknowledged records: a table, and a column whose values are unique."""

    table: str
    column: str


CONTACTS: Final = Kept("contact", "contact")
NEVER: Final = Kept("dnc_contact", "phone_number")
PAYMENTS: Final = Kept("payment", "description")


def broken_rules(path: Path, memory: Memory) -> list[str]:
    """Return the rules that a database without calls in progress breaks."""
    with closing(sqlite3.connect(path)) as rows:
        return [*check(path), *_broken(rows), *_forgotten(rows, memory), *_called_again(rows, memory.never)]


def sizes(path: Path) -> dict[str, int]:
    """Return the number of rows of each checked table."""
    with closing(sqlite3.connect(path)) as rows:
        return {table: rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in COUNTED}  # noqa: S608


def _broken(rows: sqlite3.Connection) -> Iterator[str]:
    for rule, query in BROKEN.items():
        found = rows.execute(query).fetchmany(3)
        if found:
            yield f"{rule}: {found}"


def _forgotten(rows: sqlite3.Connection, memory: Memory) -> Iterator[str]:
    """Yield acknowledged records that are missing, duplicated or changed."""
    kinds = ((CONTACTS, memory.contacts), (NEVER, memory.never), (PAYMENTS, memory.payments))
    for (table, column), promises in kinds:
        ids = dict(rows.execute(f"SELECT id, {column} FROM {table}"))  # noqa: S608 - our own names
        times = Counter(ids.values())
        for promise in promises:
            key = promise.body[column]
            if ids.get(promise.record_id) != key or times[key] != 1:
                yield f"{table} {promise.record_id}: {key} is there {times[key]} times"


def _called_again(rows: sqlite3.Connection, never: list[Promise]) -> Iterator[str]:
    """Yield numbers that were called after they were put on a do-not-call list."""
    query = "SELECT phone_number, count(*) FROM callrequest WHERE attempt > 0 GROUP BY phone_number"
    calls = dict(rows.execute(query))
    for promise in never:
        number = promise.body["phone_number"]
        if promise.calls is not None and calls.get(number, 0) != promise.calls:
            yield f"{number} had {promise.calls} calls when it was put on the list, and has {calls.get(number, 0)}"
