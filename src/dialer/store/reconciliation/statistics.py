"""The counters of statistics: they are counted again from CDRs, messages, subscribers and transfers.

CDRs are deleted only when they are too old, so the counters of later calls are equal to them. Messages, transfers and
dispositions are deleted with their subscribers, so their counters may be higher than the rows.
"""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, TextClause, text

from dialer.domain.figures.statistics import DISPOSED, HOUR_MS, OF_AGENTS, WAITS_S, Grouping
from dialer.store.reconciliation.differences import ROWS_AT_ONCE, Difference
from dialer.store.rows.old_calls import removed_before_ms

_CDRS: Final = """
    SELECT user_id, campaign_id, starting_date / 3600000 AS hour, CAST(hangup_cause_q850 AS TEXT) AS outcome, agent_id,
        phonebook_id, CAST(gateway_id AS TEXT) AS gateway, zone, attempt, duration, billsec, amd_status,
        CAST(is_completed AS INTEGER) AS is_completed, CAST(is_for_agents AS INTEGER) AS is_for_agents,
        CAST(is_abandoned AS INTEGER) AS is_abandoned,
        CAST(leg_type = 1 AND attempt > 0 AS INTEGER) AS is_call, CAST(leg_type <> 1 AS INTEGER) AS is_leg,
        CAST(leg_type = 1 AND attempt <= 0 AS INTEGER) AS is_inbound, 0 AS is_message,
        CAST(billsec > 0 AS INTEGER) AS is_answered, 0 AS parts, call_cost AS cost, post_dial_ms,
        CAST(is_test AS INTEGER) AS is_test
    FROM cdr"""
_MESSAGES: Final = """
    SELECT m.user_id, m.campaign_id, m.send_date / 3600000, m.status, 0, coalesce(s.phonebook_id, 0),
        'sms:' || m.gateway_id, coalesce(s.zone, ''), m.attempt, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1,
        CAST(m.delivery_date IS NOT NULL AS INTEGER), m.parts, m.cost, NULL,
        CAST(c.trial_of_id IS NOT NULL AS INTEGER)
    FROM sms_message m JOIN campaign c ON c.id = m.campaign_id
        LEFT JOIN subscriber s ON s.id = m.subscriber_id WHERE m.ended_ms IS NOT NULL"""
_OF_CALLS: Final = {
    "calls": "is_call",
    "answered": "is_call * is_answered",
    "live": "is_call * is_answered * CAST(amd_status <> 2 AS INTEGER)",
    "completed": "is_call * is_answered * is_completed",
    "talk_s": "is_call * billsec",
    "answer_s": "is_call * is_answered * (duration - billsec)",
    "signalled": "is_call * CAST(post_dial_ms IS NOT NULL AS INTEGER)",
    "post_dial_ms": "is_call * coalesce(post_dial_ms, 0)",
    "for_agents": "is_call * is_answered * is_for_agents",
    "abandoned": "is_call * is_answered * is_abandoned",
    "legs": "is_leg",
    "legs_answered": "is_leg * is_answered",
    "legs_talk_s": "is_leg * billsec",
    "inbound": "is_inbound",
    "inbound_answered": "is_inbound * is_answered",
    "inbound_talk_s": "is_inbound * billsec",
}
_OF_MESSAGES: Final = {
    "messages": "is_message",
    "delivered": "is_message * is_answered",
    "parts": "parts",
    "cost": "cost",
}
_OUTCOME_TEXT: Final = "CASE WHEN word = '' THEN disposition ELSE word || ' = ' || disposition END"
_MEMBERS: Final = {
    Grouping.TOTAL: "''",
    Grouping.OUTCOME: "outcome",
    Grouping.AGENT: "CAST(agent_id AS TEXT)",
    Grouping.PHONEBOOK: "CAST(phonebook_id AS TEXT)",
    Grouping.GATEWAY: "gateway",
    Grouping.ZONE: "zone",
    Grouping.ATTEMPT: "CAST(abs(attempt) AS TEXT)",
    Grouping.DISPOSITION: "disposition",
    Grouping.DISPOSITION_WORD: _OUTCOME_TEXT,
    Grouping.AGENT_DISPOSITION_WORD: f"CAST(agent_id AS TEXT) || ' ' || {_OUTCOME_TEXT}",
    Grouping.TESTS: "''",
}
_DISPOSED: Final = _CDRS.replace(
    "FROM cdr",
    ", d.disposition, d.word FROM (SELECT callrequest_id AS call_id, disposition, word FROM call_disposition) d"
    " JOIN cdr ON cdr.callrequest_id = d.call_id",
)
"""The legs of the calls that have a disposition."""
_OWNERS: Final = {"campaign_hour": ("campaign_id", "campaign"), "user_hour": ("user_id", "user")}
_SUBSCRIBERS: Final = text("""
    SELECT campaign_id, phonebook_id, status, status_reason, sum(subscribers) AS subscribers,
        sum(attempted) AS attempted
    FROM (
        SELECT campaign_id, phonebook_id, status, status_reason, -subscribers AS subscribers, -attempted AS attempted
        FROM subscriber_count
        UNION ALL SELECT campaign_id, phonebook_id, was_status, was_reason, subscribers, subscribers * was_attempted
        FROM subscriber_move WHERE was_status IS NOT NULL
        UNION ALL SELECT campaign_id, phonebook_id, status, status_reason, -subscribers, -subscribers * attempted
        FROM subscriber_move WHERE status IS NOT NULL
        UNION ALL SELECT campaign_id, coalesce(phonebook_id, 0), status, status_reason, 1,
            CAST(count_attempt > 0 AS INTEGER)
        FROM subscriber
    ) AS moved WHERE campaign_id IN (SELECT id FROM campaign) GROUP BY 1, 2, 3, 4
    HAVING sum(subscribers) <> 0 OR sum(attempted) <> 0""")
_waits = ", ".join(f"({seconds})" for seconds in WAITS_S)
_QUEUES: Final = text(f"""
    SELECT queue_id, hour, within_s, sum(taken) AS taken, sum(others) AS others FROM (
        SELECT queue_id, hour, within_s, -taken AS taken, -abandoned - timed_out AS others FROM queue_hour
        UNION ALL SELECT queue_id, joined_ms / 3600000,
            coalesce((SELECT min(column1) FROM (VALUES {_waits}) AS classes WHERE wait_ms <= column1 * 1000), 0),
            CAST(answered_ms IS NOT NULL AS INTEGER), CAST(answered_ms IS NULL AS INTEGER)
        FROM (SELECT t.*, coalesce(t.answered_ms, t.ended_ms) - t.joined_ms AS wait_ms
            FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id
            LEFT JOIN campaign tried ON tried.id = c.campaign_id
            WHERE tried.trial_of_id IS NULL AND c.status <> 7
                AND t.queue_id IS NOT NULL AND t.score_from_ms > 0 AND t.ended_ms IS NOT NULL) AS waits
    ) AS counted GROUP BY 1, 2, 3 HAVING sum(taken) > 0 OR sum(others) > 0""")  # noqa: S608 - our own numbers
_AGENTS: Final = text("""
    SELECT agent_id, sum(taken) AS taken FROM (
        SELECT agent_id, -begun AS taken FROM agent_hour WHERE activity = 3
        UNION ALL SELECT agent_id, 1 FROM transfer WHERE agent_id IS NOT NULL AND answered_ms IS NOT NULL
    ) AS talks GROUP BY 1 HAVING sum(taken) > 0""")


def audit_statistics(connection: Connection) -> Iterator[Difference]:
    """Yield counters of statistics that differ from the rows that they count, the first one of each record."""
    told: set[str] = set()
    for difference in _differences(connection):
        if difference.record not in told:
            told.add(difference.record)
            yield difference


def _differences(connection: Connection) -> Iterator[Difference]:
    removed_ms = removed_before_ms(connection)
    for table in _OWNERS:
        for grouping in Grouping:
            for row in _rows(connection, _CALLS[table, grouping]):
                yield from _calls(table, grouping, row, is_complete=row.hour * HOUR_MS >= removed_ms)
    for row in _rows(connection, _SUBSCRIBERS):
        record = f"campaign {row.campaign_id}"
        state = f"subscribers of phonebook {row.phonebook_id} in {row.status} {row.status_reason!r}"
        yield _difference(record, state, row.subscribers or row.attempted)
    for row in _rows(connection, _QUEUES):
        yield _difference(f"queue {row.queue_id}", f"calls in hour {row.hour}", max(row.taken, row.others))
    for row in _rows(connection, _AGENTS):
        yield _difference(f"agent {row.agent_id}", "calls taken", row.taken)


def _query(table: str, grouping: Grouping) -> TextClause:
    """Return a query of counters that differ from the rows, with the rows less the counter.

    The zone of a subscriber may change after a message, so messages are not compared by zone.
    """
    owner, _ = _OWNERS[table]
    are_calls = grouping is Grouping.ZONE or grouping in DISPOSED
    counters = _OF_CALLS if are_calls else {**_OF_CALLS, **_OF_MESSAGES}
    facts = _DISPOSED if grouping in DISPOSED else _CDRS if are_calls else f"{_CDRS} UNION ALL {_MESSAGES}"
    counted = ", ".join(f"sum({figure}) AS {name}" for name, figure in counters.items())
    less = ", ".join(f"-{name}" for name in counters)
    sums = ", ".join(f"sum({name}) AS {name}" for name in counters)
    differs = ">" if grouping in DISPOSED else "<>"
    wrong = [f"sum({name}) {differs} 0" for name in _OF_CALLS]
    if not are_calls:
        wrong += [f"sum({name}) > 0" for name in _OF_MESSAGES] + ["(sum(messages) = 0 AND sum(cost) <> 0)"]
    has_agent = " AND agent_id <> 0" if grouping in OF_AGENTS else ""
    is_test = int(grouping is Grouping.TESTS)
    return text(
        f"SELECT owner, hour, member, {sums} FROM ("  # noqa: S608 - our own names
        f"SELECT {owner} AS owner, hour, {_MEMBERS[grouping]} AS member, {counted} FROM ({facts}) AS facts"
        f" WHERE {owner} IS NOT NULL AND is_test = {is_test}{has_agent} GROUP BY 1, 2, 3"
        f" UNION ALL SELECT {owner}, hour, member, {less} FROM {table} WHERE grouping = {int(grouping)}"
        f") AS differences GROUP BY 1, 2, 3 HAVING {' OR '.join(wrong)}"
    )


_CALLS: Final = {(table, grouping): _query(table, grouping) for table in _OWNERS for grouping in Grouping}


def _rows(connection: Connection, query: TextClause) -> Iterator[Row[Any]]:
    yield from connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE))


def _calls(table: str, grouping: Grouping, row: Row[Any], *, is_complete: bool) -> Iterator[Difference]:
    record = f"{_OWNERS[table][1]} {row.owner}"
    for name, difference in list(row._mapping.items())[3:]:  # noqa: SLF001 - the public name of a row's mapping
        is_equal = is_complete and name in _OF_CALLS and grouping not in DISPOSED
        is_wrong = is_equal or difference > 0 or (is_complete and name == "cost" and not row.messages)
        if difference and is_wrong:
            place = f" {grouping.name.lower()} {row.member}" if row.member else ""
            yield _difference(record, f"{name} in hour {row.hour}{place}", difference)


def _difference(record: str, field: str, difference: int) -> Difference:
    found = f"{abs(difference)} too {'low' if difference > 0 else 'high'}"
    return Difference(record, f"counter of {field}", found, "what its rows count")
