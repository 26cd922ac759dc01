"""Rules about rows. Each is a query that finds rows that break it (I1 to I4, and calls in progress at once)."""

from collections.abc import Iterator, Mapping
from typing import Final

from sqlalchemy import Connection

from dialer.store.reconciliation.statistics import audit_statistics
from tests.vopr.memory import Memory
from tests.vopr.snapshot import ask

_BREAKS: Final[dict[str, str]] = {
    "I1: more than one live attempt of subscriber": """
        SELECT subscriber_id FROM callrequest WHERE status = 7 AND attempt > 0
        GROUP BY campaign_id, subscriber_id HAVING count(*) > 1""",
    "I1: more than one live message of subscriber": """
        SELECT subscriber_id FROM sms_message WHERE ended_ms IS NULL AND callrequest_id IS NULL
        GROUP BY campaign_id, subscriber_id HAVING count(*) > 1""",
    "I1: IN_PROCESS without a live attempt, or a live attempt without IN_PROCESS: subscriber": """
        SELECT s.id FROM subscriber s WHERE (s.status = 6) <> (
            EXISTS (SELECT 1 FROM callrequest c WHERE c.subscriber_id = s.id AND c.status = 7 AND c.attempt > 0)
            OR EXISTS (SELECT 1 FROM sms_message m WHERE m.subscriber_id = s.id AND m.ended_ms IS NULL
                AND m.callrequest_id IS NULL))""",
    "I1: the numbers of the attempts have a gap: subscriber": """
        SELECT s.id FROM subscriber s JOIN (
            SELECT subscriber_id, count(*) AS made, max(attempt) AS last FROM (
                SELECT subscriber_id, attempt FROM callrequest WHERE attempt > 0
                UNION ALL SELECT subscriber_id, attempt FROM sms_message WHERE callrequest_id IS NULL)
            GROUP BY subscriber_id) a ON a.subscriber_id = s.id
        WHERE s.count_attempt <> a.made OR a.last <> a.made""",
    "I2: not one CDR for the A-leg of call": """
        SELECT c.id FROM callrequest c WHERE (c.status <> 7) <>
            (SELECT count(*) FROM cdr WHERE cdr.callrequest_id = c.id AND cdr.leg_type = 1)""",
    "I2: not one CDR for each B-leg of call": """
        SELECT c.id FROM callrequest c WHERE
            (SELECT count(*) FROM cdr WHERE cdr.callrequest_id = c.id AND cdr.leg_type = 2) <>
            (SELECT count(*) FROM transfer t WHERE t.callrequest_id = c.id AND t.status = 3
                AND t.started_ms IS NOT NULL AND (t.ended_ms > t.started_ms OR t.answered_ms IS NOT NULL))""",
    "I3: the balance is not the sum of the ledger of user": """
        SELECT u.id FROM user_account u
        WHERE u.balance <> (SELECT coalesce(sum(amount), 0) FROM ledger_entry e WHERE e.user_id = u.id)""",
    "I3: calls were not charged what their CDRs say for user": """
        SELECT u.id FROM user_account u
        WHERE (SELECT coalesce(sum(call_cost), 0) FROM cdr WHERE cdr.user_id = u.id) <>
            (SELECT -coalesce(sum(amount), 0) FROM ledger_entry e WHERE e.user_id = u.id AND e.kind = 'call')""",
    "I3: held is not the sum of the holds in progress of user": """
        SELECT u.id FROM user_account u WHERE u.held <>
            (SELECT coalesce(sum(c.hold), 0) FROM callrequest c WHERE c.user_id = u.id AND c.status = 7)
            + (SELECT coalesce(sum(t.hold), 0) FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
                WHERE c.user_id = u.id AND c.status = 7 AND t.status <> 3)
            + (SELECT coalesce(sum(m.hold), 0) FROM sms_message m WHERE m.user_id = u.id AND m.ended_ms IS NULL)""",
    "I3: a hold outlives its call": "SELECT id FROM callrequest WHERE status <> 7 AND hold <> 0",
    "I3: an amount of money is not an integer: row": """
        SELECT id FROM user_account WHERE typeof(balance) <> 'integer' OR typeof(held) <> 'integer'
        UNION ALL SELECT id FROM cdr WHERE typeof(call_cost) <> 'integer'
        UNION ALL SELECT id FROM ledger_entry WHERE typeof(amount) <> 'integer'""",
    "I3: the price does not follow from the seconds: CDR": """
        SELECT id FROM cdr WHERE call_cost <> CASE WHEN billed_duration <= 0 THEN 0
            ELSE (2 * call_rate * billed_duration + 60) / 120 + connection_fee END
        OR billed_duration <> CASE WHEN billsec <= 0 THEN 0 WHEN billsec <= first_increment THEN first_increment
            ELSE first_increment + (billsec - first_increment + next_increment - 1) / next_increment * next_increment
            END
        OR billsec > duration OR billsec < 0""",
    "I3: an unanswered call that was charged: call": """
        SELECT c.id FROM callrequest c JOIN cdr ON cdr.callrequest_id = c.id AND cdr.leg_type = 1
        WHERE c.status = 2 AND c.status_reason <> 'machine' AND cdr.call_cost <> 0""",
    "I3: a call that came in was charged, or has not one CDR: call": """
        SELECT c.id FROM callrequest c WHERE c.attempt < 0 AND c.status <> 7 AND (
            SELECT coalesce(sum(1 + call_cost), 0) FROM cdr
            WHERE cdr.callrequest_id = c.id AND cdr.leg_type = 1) <> 1""",
    "I3: B-legs were charged for another time than they lasted: call": """
        SELECT c.id FROM callrequest c WHERE
            (SELECT coalesce(sum(billsec), 0) FROM cdr WHERE cdr.callrequest_id = c.id AND cdr.leg_type = 2) <>
            (SELECT coalesce(sum(max(1, (t.ended_ms - t.answered_ms + 999) / 1000)), 0) FROM transfer t
                WHERE t.callrequest_id = c.id AND t.status = 3 AND t.answered_ms IS NOT NULL)""",
    "I4: free or held money is negative for user": """
        SELECT id FROM user_account WHERE balance - held < 0 OR held < 0""",
    "recorded before an agent of a queue that records has answered, although the campaign records nothing: call": """
        SELECT r.callrequest_id FROM call_recording r JOIN campaign c ON c.id = r.campaign_id
        WHERE c.record = 'no' AND NOT r.refused AND r.callrequest_id IS NOT NULL AND NOT EXISTS (SELECT 1
            FROM transfer t WHERE t.callrequest_id = r.callrequest_id AND t.recorded_ms <= r.start_date)""",
    "not recorded, although an agent of a queue that records had it: call": """
        SELECT t.callrequest_id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
        WHERE t.recorded_ms IS NOT NULL AND c.status <> 7
            AND NOT EXISTS (SELECT 1 FROM call_recording r WHERE r.callrequest_id = c.id)""",
    "an agent has two calls: agent": """
        SELECT agent_id FROM transfer WHERE status = 2 AND agent_id IS NOT NULL GROUP BY agent_id
        HAVING count(*) > 1""",
    "an agent talks and is asked to take a call: agent": """
        SELECT json_each.key FROM transfer t, json_each(t.offers) WHERE t.status = 1 AND json_each.key IN (
            SELECT CAST(agent_id AS TEXT) FROM transfer WHERE status = 2 AND agent_id IS NOT NULL)""",
    "an agent is asked to take two calls: agent": """
        SELECT json_each.key FROM transfer t, json_each(t.offers) WHERE t.status = 1
        GROUP BY json_each.key HAVING count(*) > 1""",
    "a transfer outlives its call: transfer": """
        SELECT t.id FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
        WHERE t.status <> 3 AND c.status <> 7""",
    "a call has two transfers at once: call": """
        SELECT callrequest_id FROM transfer WHERE status <> 3 AND consulted <> 1
        GROUP BY callrequest_id HAVING count(*) > 1""",
    "an agent consults two people in a call: call": """
        SELECT callrequest_id FROM transfer WHERE status <> 3 AND consulted = 1
        GROUP BY callrequest_id HAVING count(*) > 1""",
    "a message waits that was sent already: message": """
        SELECT message_id FROM waiting_text WHERE message_id IN (SELECT id FROM sms_message)""",
    "a campaign counts fewer calls than it has made: campaign": """
        SELECT k.id FROM campaign k WHERE k.calls < (
            SELECT count(*) FROM callrequest c WHERE c.campaign_id = k.id AND c.attempt > 0)""",
}


def _all_of(queries: dict[str, str]) -> str:
    """Return one query that yields the name of each query that finds a row, and its first row."""
    parts = (f"SELECT '{name}', * FROM (SELECT * FROM ({query}) LIMIT 1)" for name, query in queries.items())  # noqa: S608
    return " UNION ALL ".join(parts)


_ALL_BREAKS: Final = _all_of(_BREAKS)


def rows(connection: Connection) -> Iterator[str]:
    """Yield each rule that the rows break, with the first row that breaks it."""
    for rule, row_id in ask(connection, _ALL_BREAKS):
        yield f"{rule} {row_id}"


def acknowledged(connection: Connection, memory: Memory) -> Iterator[str]:
    """I11: yield users with acknowledged payments that are missing."""
    entered = "SELECT user_id, sum(amount) FROM ledger_entry WHERE kind IN ('payment', 'refund') GROUP BY user_id"
    paid = dict(ask(connection, entered))
    for user_id, amount in memory.paid.items():
        if paid.get(user_id, 0) != amount:
            yield f"I11: user {user_id} has paid in {amount}, but the ledger has {paid.get(user_id, 0)}"


def not_aborted(connection: Connection) -> Iterator[str]:
    """Yield calls that go on, and messages that wait, although their campaign was aborted before the last step."""
    query = """SELECT c.id FROM callrequest c JOIN campaign k ON k.id = c.campaign_id
        WHERE c.status = 7 AND k.status = 3 AND c.attempt > 0 LIMIT 1"""
    for row in ask(connection, query):
        yield f"call {row[0]} goes on although its campaign was aborted"
    query = """SELECT w.message_id FROM waiting_text w JOIN campaign k ON k.id = w.campaign_id
        WHERE k.status = 3 LIMIT 1"""
    for row in ask(connection, query):
        yield f"message {row[0]} waits although its campaign was aborted"


def silent(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield calls in progress that have been silent for longer than the watchdog waits."""
    query = """SELECT id FROM callrequest
        WHERE status = 7 AND ? > started_ms + ring_limit_ms + talk_limit_ms + 120000 LIMIT 1"""
    for row in ask(connection, query, now_ms):
        yield f"a silent call is not given up: call {row[0]}"


def ahead(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield calls in progress that begin later. After the answer to a change there are none: it may have paused them.

    Calls that are over keep their times when the clock is set back.
    """
    query = "SELECT id FROM callrequest WHERE status = 7 AND attempt > 0 AND started_ms > ? LIMIT 1"
    for row in ask(connection, query, now_ms):
        yield f"call {row[0]} begins after the answer to a change"


def channels(connection: Connection, counted: Mapping[str, int], *, over_lines: bool = False) -> Iterator[str]:
    """F8: yield gateways whose count of calls in the engine differs from the rows. Over lines, inbound calls count."""
    query = f"""SELECT gateway, count(*) FROM (
        SELECT CAST(gateway_id AS TEXT) AS gateway FROM callrequest WHERE status = 7 AND (attempt > 0 OR {over_lines:d})
        UNION ALL SELECT 'sms:' || gateway_id FROM sms_message WHERE ended_ms IS NULL
        UNION ALL SELECT CAST(t.gateway_id AS TEXT) FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
            WHERE t.status <> 3 AND c.status = 7) GROUP BY gateway"""  # noqa: S608 - a number
    there = dict(ask(connection, query))
    for gateway_id, count in counted.items():
        in_rows = there.get(gateway_id, 0)
        if in_rows != count:
            yield f"a channel was lost: {count} calls counted on gateway {gateway_id}, {in_rows} in the rows"


def overlong(connection: Connection) -> Iterator[str]:
    """Yield calls that lasted longer than their limits and the watchdog's patience together."""
    query = """SELECT id FROM callrequest
        WHERE status <> 7 AND ended_ms > started_ms + ring_limit_ms + talk_limit_ms + 120000 LIMIT 1"""
    for row in ask(connection, query):
        yield f"a call that has lasted too long: call {row[0]}"


def final_rows(connection: Connection, memory: Memory) -> Iterator[str]:
    """I9: report a changed CDR. The rows that a CDR refers to may be deleted."""
    query = """SELECT id, user_id, callid, callerid, phone_number, starting_date, duration, billsec, call_cost,
        billed_duration, hangup_cause_q850, leg_type FROM cdr ORDER BY id"""
    found = ask(connection, query)
    if not set(memory.cdrs) <= set(found):
        yield "I9: a CDR was changed"
    memory.cdrs[:] = found


def statistics(connection: Connection) -> Iterator[str]:
    """I13: yield counters of statistics that differ from the rows that they count."""
    for difference in audit_statistics(connection):
        yield f"I13: {difference}"


def left_over(connection: Connection) -> Iterator[str]:
    """Yield rows that are left over once all campaigns have ended."""
    queries = {
        "a call in progress": "SELECT id FROM callrequest WHERE status = 7",
        "a message on its way": "SELECT id FROM sms_message WHERE ended_ms IS NULL",
        "a message that waits": "SELECT message_id FROM waiting_text",
        "a transfer": "SELECT id FROM transfer WHERE status <> 3",
        "a hold": "SELECT id FROM user_account WHERE held <> 0",
        "a subscriber in a call": "SELECT id FROM subscriber WHERE status = 6",
    }
    for what, row_id in ask(connection, _all_of(queries)):
        yield f"left over at the end: {what}, {row_id}"
