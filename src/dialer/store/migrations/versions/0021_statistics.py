"""Counters for statistics, and what they count on each CDR. Earlier calls and messages are counted."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COUNTERS = {
    "calls": "is_call",
    "answered": "is_call * is_answered",
    "live": "is_call * is_answered * (amd_status <> 2)",
    "completed": "is_call * is_answered * is_completed",
    "talk_s": "is_call * billsec",
    "answer_s": "is_call * is_answered * (duration - billsec)",
    "signalled": "0",
    "post_dial_ms": "0",
    "for_agents": "is_call * is_answered * is_for_agents",
    "abandoned": "is_call * is_answered * is_abandoned",
    "legs": "is_leg",
    "legs_answered": "is_leg * is_answered",
    "legs_talk_s": "is_leg * billsec",
    "inbound": "is_inbound",
    "inbound_answered": "is_inbound * is_answered",
    "inbound_talk_s": "is_inbound * billsec",
    "messages": "is_message",
    "delivered": "is_message * is_answered",
    "parts": "parts",
    "cost": "cost",
}
MEMBERS = {
    0: "''",
    1: "outcome",
    2: "CAST(agent_id AS TEXT)",
    3: "CAST(phonebook_id AS TEXT)",
    4: "CAST(gateway_id AS TEXT)",
    5: "zone",
    6: "CAST(abs(attempt) AS TEXT)",
}
FACTS = """
    SELECT user_id, campaign_id, starting_date / 3600000 AS hour, CAST(hangup_cause_q850 AS TEXT) AS outcome, agent_id,
        phonebook_id, gateway_id, zone, attempt, duration, billsec, amd_status, is_completed, is_for_agents,
        is_abandoned, leg_type = 1 AND attempt > 0 AS is_call, leg_type <> 1 AS is_leg,
        leg_type = 1 AND attempt <= 0 AS is_inbound, 0 AS is_message, billsec > 0 AS is_answered, 0 AS parts,
        call_cost AS cost
    FROM cdr
    UNION ALL SELECT m.user_id, m.campaign_id, m.send_date / 3600000, m.status, 0, coalesce(s.phonebook_id, 0),
        m.gateway_id, s.zone, m.attempt, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, m.delivery_date IS NOT NULL, m.parts, m.cost
    FROM sms_message m JOIN subscriber s ON s.id = m.subscriber_id WHERE m.ended_ms IS NOT NULL"""
MOVE = (
    "INSERT INTO subscriber_move"
    " (campaign_id, phonebook_id, was_status, was_reason, was_attempted, status, status_reason, attempted) VALUES"
)
OLD = "old.status, old.status_reason, old.count_attempt > 0"
NEW = "new.status, new.status_reason, new.count_attempt > 0"
NONE = "NULL, NULL, NULL"
IS_MOVED = (
    "old.status <> new.status OR old.status_reason <> new.status_reason"
    " OR (old.count_attempt > 0) <> (new.count_attempt > 0)"
)


def upgrade() -> None:
    _add_columns()
    _add_hours("campaign_hour", "campaign_id", "campaign")
    _add_hours("user_hour", "user_id", "user_account")
    _add_subscriber_count()
    _add_call_centre_hours()
    if op.get_bind().dialect.name != "sqlite":
        return  # There are no rows before this revision, and triggers are created after every upgrade.
    _fill_columns()
    _fill_counters("campaign_hour", "campaign_id")
    _fill_counters("user_hour", "user_id")
    _fill_subscriber_count()
    _fill_call_centre_hours()


def _add_columns() -> None:
    def number(name: str) -> sa.Column[int]:
        return sa.Column(name, BIG, server_default="0", nullable=False)

    def flag(name: str) -> sa.Column[bool]:
        return sa.Column(name, sa.Boolean(), server_default="0", nullable=False)

    with op.batch_alter_table("cdr") as batch_op:
        batch_op.add_column(number("gateway_id"))
        batch_op.add_column(sa.Column("attempt", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("zone", sa.String(length=255), server_default="", nullable=False))
        batch_op.add_column(number("phonebook_id"))
        batch_op.add_column(number("agent_id"))
        batch_op.add_column(sa.Column("post_dial_ms", sa.Integer(), nullable=True))
        for name in ("is_for_agents", "is_abandoned", "is_completed"):
            batch_op.add_column(flag(name))
    with op.batch_alter_table("subscriber") as batch_op:
        batch_op.add_column(sa.Column("phonebook_id", BIG, nullable=True))
    with op.batch_alter_table("agent") as batch_op:
        batch_op.add_column(sa.Column("break_reason", sa.String(length=100), server_default="", nullable=False))
        batch_op.add_column(flag("is_talking"))
        batch_op.add_column(number("counted_ms"))
        batch_op.add_column(number("wraps_until_ms"))


def _counter(name: str) -> sa.Column[int]:
    return sa.Column(name, BIG, server_default="0", nullable=False)


def _add_table(name: str, owner: str, target: str, *columns: sa.Column[Any], key: tuple[str, ...]) -> None:
    op.create_table(
        name,
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column(owner, BIG, nullable=False),
        *columns,
        sa.ForeignKeyConstraint([owner], [f"{target}.id"], name=f"fk_{name}_{owner}_{target}", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        sqlite_autoincrement=True,
    )
    op.create_index(f"uq_{name}_key", name, [owner, *key], unique=True)


def _add_hours(name: str, owner: str, target: str) -> None:
    _add_table(
        name,
        owner,
        target,
        sa.Column("grouping", sa.SmallInteger(), nullable=False),
        sa.Column("member", sa.String(length=255), nullable=False),
        sa.Column("hour", BIG, nullable=False),
        *map(_counter, COUNTERS),
        key=("grouping", "hour", "member"),
    )


def _add_subscriber_count() -> None:
    _add_table(
        "subscriber_count",
        "campaign_id",
        "campaign",
        sa.Column("phonebook_id", BIG, nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("status_reason", sa.String(length=40), nullable=False),
        _counter("subscribers"),
        _counter("attempted"),
        key=("phonebook_id", "status", "status_reason"),
    )
    op.create_table(
        "subscriber_move",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("campaign_id", BIG, nullable=False),
        sa.Column("phonebook_id", BIG, nullable=False),
        sa.Column("was_status", sa.SmallInteger(), nullable=True),
        sa.Column("was_reason", sa.String(length=40), nullable=True),
        sa.Column("was_attempted", sa.SmallInteger(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("status_reason", sa.String(length=40), nullable=True),
        sa.Column("attempted", sa.SmallInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_subscriber_move"),
    )


def _add_call_centre_hours() -> None:
    _add_table(
        "agent_hour",
        "agent_id",
        "agent",
        sa.Column("hour", BIG, nullable=False),
        sa.Column("activity", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.String(length=100), nullable=False),
        *map(_counter, ("spent_ms", "begun", "missed")),
        key=("hour", "activity", "reason"),
    )
    _add_table(
        "queue_hour",
        "queue_id",
        "queue",
        sa.Column("hour", BIG, nullable=False),
        sa.Column("within_s", sa.Integer(), nullable=False),
        *map(_counter, ("taken", "abandoned", "timed_out", "taken_wait_ms", "longest_ms")),
        key=("hour", "within_s"),
    )


def _fill_columns() -> None:
    """Fill the new columns of CDRs, as far as other rows still tell."""
    op.execute(
        "UPDATE subscriber SET phonebook_id ="
        " (SELECT phonebook_id FROM contact WHERE contact.id = subscriber.contact_id) WHERE contact_id IS NOT NULL"
    )
    op.execute(
        "UPDATE cdr SET attempt = CASE WHEN callrequest_id IS NULL AND duration = 0 AND hangup_cause_q850 = 1"
        " THEN -1 ELSE 1 END"
    )
    op.execute(
        "UPDATE cdr SET attempt = c.attempt, zone = s.zone, phonebook_id = coalesce(s.phonebook_id, 0),"
        " gateway_id = CASE WHEN cdr.leg_type = 1 THEN c.gateway_id ELSE 0 END,"
        " is_completed = cdr.leg_type = 1 AND cdr.billsec > 0 AND s.status = 8 AND s.count_attempt = c.attempt"
        " FROM callrequest c JOIN subscriber s ON s.id = c.subscriber_id WHERE c.id = cdr.callrequest_id"
    )
    op.execute(
        "UPDATE cdr SET gateway_id = t.gateway_id, agent_id = coalesce(t.agent_id, 0) FROM transfer t"
        " WHERE cdr.leg_type <> 1 AND t.callrequest_id = cdr.callrequest_id AND t.started_ms = cdr.starting_date"
    )
    op.execute(
        "UPDATE cdr SET is_for_agents = 1 WHERE leg_type = 1 AND attempt > 0 AND billsec > 0 AND amd_status <> 2"
        " AND campaign_id IN (SELECT id FROM campaign WHERE live_answered > 0)"
    )
    op.execute(
        "UPDATE cdr SET is_abandoned = 1 WHERE is_for_agents"
        " AND callrequest_id IN (SELECT callrequest_id FROM transfer WHERE is_abandoned)"
    )


def _fill_counters(table: str, owner: str) -> None:
    sums = ", ".join(f"sum({figure})" for figure in COUNTERS.values())
    for grouping, member in MEMBERS.items():
        condition = f"{owner} IS NOT NULL" + (" AND agent_id <> 0" if grouping == 2 else "")  # noqa: PLR2004
        op.execute(
            f"INSERT INTO {table} ({owner}, grouping, member, hour, {', '.join(COUNTERS)})"  # noqa: S608 - our own names
            f" SELECT {owner}, {grouping}, {member}, hour, {sums} FROM ({FACTS}) WHERE {condition} GROUP BY 1, 3, 4"
        )


def _fill_subscriber_count() -> None:
    op.execute(
        "INSERT INTO subscriber_count (campaign_id, phonebook_id, status, status_reason, subscribers, attempted)"
        " SELECT campaign_id, coalesce(phonebook_id, 0), status, status_reason, count(*), sum(count_attempt > 0)"
        " FROM subscriber GROUP BY 1, 2, 3, 4"
    )
    op.execute(
        "CREATE TRIGGER subscriber_added AFTER INSERT ON subscriber BEGIN"
        f" {MOVE} (new.campaign_id, coalesce(new.phonebook_id, 0), {NONE}, {NEW}); END"
    )
    op.execute(
        "CREATE TRIGGER subscriber_removed AFTER DELETE ON subscriber BEGIN"
        f" {MOVE} (old.campaign_id, coalesce(old.phonebook_id, 0), {OLD}, {NONE}); END"
    )
    op.execute(
        f"CREATE TRIGGER subscriber_moved AFTER UPDATE ON subscriber WHEN {IS_MOVED} BEGIN"
        f" {MOVE} (new.campaign_id, coalesce(new.phonebook_id, 0), {OLD}, {NEW}); END"
    )


def _fill_call_centre_hours() -> None:
    """Count the talks of agents, those in progress until now, and the waits in queues.

    The time of other activities was not recorded.
    """
    op.execute("UPDATE agent SET counted_ms = coalesce((SELECT max(now_ms) FROM service_state), updated_date)")
    op.execute(
        "UPDATE agent SET is_talking = 1 WHERE id IN (SELECT t.agent_id FROM transfer t"
        " JOIN callrequest c ON c.id = t.callrequest_id WHERE c.status = 7 AND t.status = 2)"
    )
    op.execute(
        "INSERT INTO agent_hour (agent_id, hour, activity, reason, spent_ms, begun)"
        " SELECT t.agent_id, t.answered_ms / 3600000, 3, '', sum(coalesce(t.ended_ms, a.counted_ms) - t.answered_ms),"
        " count(*) FROM transfer t JOIN agent a ON a.id = t.agent_id WHERE t.answered_ms IS NOT NULL GROUP BY 1, 2"
    )
    waits = ", ".join(f"({seconds})" for seconds in (2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600))
    op.execute(
        "INSERT INTO queue_hour (queue_id, hour, within_s, taken, abandoned, timed_out, taken_wait_ms, longest_ms)"  # noqa: S608
        " SELECT queue_id, joined_ms / 3600000,"
        f" coalesce((SELECT min(column1) FROM (VALUES {waits}) WHERE wait_ms <= column1 * 1000), 0),"
        " sum(was_taken), sum(NOT was_taken AND reason NOT IN ('max_wait', 'no_agent')),"
        " sum(NOT was_taken AND reason IN ('max_wait', 'no_agent')), sum(was_taken * wait_ms), max(wait_ms) FROM ("
        "SELECT t.*, t.answered_ms IS NOT NULL AS was_taken,"
        " max(0, coalesce(t.answered_ms, t.ended_ms) - t.joined_ms) AS wait_ms"
        " FROM transfer t JOIN callrequest c ON c.id = t.callrequest_id"
        " WHERE c.status <> 7 AND t.queue_id IS NOT NULL AND t.score_from_ms > 0 AND t.ended_ms IS NOT NULL)"
        " GROUP BY 1, 2, 3"
    )
