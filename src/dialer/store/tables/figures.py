"""Counters from which statistics are answered: of campaigns, users, subscribers, agents and queues.

An hour is its number since 1970-01-01T00:00:00Z. A counter does not need the rows that it counted.
"""

from typing import Annotated, Final

from sqlalchemy import DDL, ForeignKey, Index, String, event
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, Code, Row
from dialer.store.tables.campaigns import Subscriber

Counter = Annotated[int, mapped_column(BIG, default=0, server_default="0")]
Hour = Annotated[int, mapped_column(BIG)]


class CallCounters(Row):
    """Counters of the calls and messages of one hour, for one member of one grouping."""

    __abstract__ = True

    grouping: Mapped[Code]
    """A `dialer.domain.statistics.Grouping`."""
    member: Mapped[str] = mapped_column(String(255))
    """An id, a zone, the number of an attempt, a cause or a message status, as text. Empty for the total."""
    hour: Mapped[Hour]
    """The hour of the dials."""
    calls: Mapped[Counter]
    """Calls that are over. Transfers, inbound calls and messages have counters of their own."""
    answered: Mapped[Counter]
    live: Mapped[Counter]
    """Calls that a person answered, as far as detection can tell."""
    completed: Mapped[Counter]
    talk_s: Mapped[Counter]
    answer_s: Mapped[Counter]
    """Seconds from the dial to the answer, of answered calls."""
    signalled: Mapped[Counter]
    """Calls with a known post-dial delay."""
    post_dial_ms: Mapped[Counter]
    for_agents: Mapped[Counter]
    """Live calls of campaigns whose survey leads to queues."""
    abandoned: Mapped[Counter]
    legs: Mapped[Counter]
    legs_answered: Mapped[Counter]
    legs_talk_s: Mapped[Counter]
    inbound: Mapped[Counter]
    inbound_answered: Mapped[Counter]
    inbound_talk_s: Mapped[Counter]
    messages: Mapped[Counter]
    delivered: Mapped[Counter]
    parts: Mapped[Counter]
    cost: Mapped[Counter]
    """Money, of calls, transfers and messages."""


class CampaignHour(CallCounters):
    """Counters of a campaign."""

    __tablename__ = "campaign_hour"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))

    __table_args__ = (
        Index("uq_campaign_hour_key", "campaign_id", "grouping", "hour", "member", unique=True),
        {"sqlite_autoincrement": True},
    )


class UserHour(CallCounters):
    """Counters of all campaigns of a user, deleted ones included."""

    __tablename__ = "user_hour"

    user_id: Mapped[int] = mapped_column(BIG, ForeignKey("user_account.id", ondelete="CASCADE"))

    __table_args__ = (
        Index("uq_user_hour_key", "user_id", "grouping", "hour", "member", unique=True),
        {"sqlite_autoincrement": True},
    )


class SubscriberCount(Row):
    """The number of subscribers of a campaign in one state, kept by the triggers of the table of subscribers."""

    __tablename__ = "subscriber_count"

    campaign_id: Mapped[int] = mapped_column(BIG, ForeignKey("campaign.id", ondelete="CASCADE"))
    phonebook_id: Mapped[int] = mapped_column(BIG)
    """The phonebook from which they came; 0 for none. It may be deleted since."""
    status: Mapped[Code]
    status_reason: Mapped[str] = mapped_column(String(40))
    subscribers: Mapped[Counter]
    attempted: Mapped[Counter]
    """Those with at least one attempt."""

    __table_args__ = (
        Index("uq_subscriber_count_key", "campaign_id", "phonebook_id", "status", "status_reason", unique=True),
        {"sqlite_autoincrement": True},
    )


class AgentHour(Row):
    """The time that an agent spent in one activity during one hour."""

    __tablename__ = "agent_hour"

    agent_id: Mapped[int] = mapped_column(BIG, ForeignKey("agent.id", ondelete="CASCADE"))
    hour: Mapped[Hour]
    activity: Mapped[Code]
    """A `dialer.domain.enums.AgentActivity`."""
    reason: Mapped[str] = mapped_column(String(100))
    """The reason of a break."""
    spent_ms: Mapped[Counter]
    begun: Mapped[Counter]
    """How often the activity began. A talk that began is a call taken."""
    missed: Mapped[Counter]
    """Calls that the agent was offered and did not take."""

    __table_args__ = (
        Index("uq_agent_hour_key", "agent_id", "hour", "activity", "reason", unique=True),
        {"sqlite_autoincrement": True},
    )


class QueueHour(Row):
    """The calls that joined a queue in one hour and have left it, by the length of their wait."""

    __tablename__ = "queue_hour"

    queue_id: Mapped[int] = mapped_column(BIG, ForeignKey("queue.id", ondelete="CASCADE"))
    hour: Mapped[Hour]
    within_s: Mapped[int]
    """The lowest of `dialer.domain.statistics.WAITS_S` that the wait does not exceed; 0 if it exceeds them all."""
    taken: Mapped[Counter]
    abandoned: Mapped[Counter]
    """Calls whose caller left before an agent answered."""
    timed_out: Mapped[Counter]
    """Calls that the queue gave up, by a limit of the wait."""
    taken_wait_ms: Mapped[Counter]
    longest_ms: Mapped[Counter]

    __table_args__ = (
        Index("uq_queue_hour_key", "queue_id", "hour", "within_s", unique=True),
        {"sqlite_autoincrement": True},
    )


_COUNT_OUT: Final = (
    "UPDATE subscriber_count SET subscribers = subscribers - 1, attempted = attempted - (old.count_attempt > 0)"
    " WHERE campaign_id = old.campaign_id AND phonebook_id = coalesce(old.phonebook_id, 0)"
    " AND status = old.status AND status_reason = old.status_reason;"
)
_COUNT_IN: Final = (
    "INSERT INTO subscriber_count (campaign_id, phonebook_id, status, status_reason, subscribers, attempted)"
    " VALUES (new.campaign_id, coalesce(new.phonebook_id, 0), new.status, new.status_reason, 1,"
    " new.count_attempt > 0)"
    " ON CONFLICT (campaign_id, phonebook_id, status, status_reason)"
    " DO UPDATE SET subscribers = subscribers + 1, attempted = attempted + excluded.attempted;"
)
_IS_MOVED: Final = (
    "old.status <> new.status OR old.status_reason <> new.status_reason"
    " OR (old.count_attempt > 0) <> (new.count_attempt > 0) OR old.campaign_id <> new.campaign_id"
    " OR old.phonebook_id IS NOT new.phonebook_id"
)
_WHENS: Final = {
    "subscriber_added": f"AFTER INSERT ON subscriber BEGIN {_COUNT_IN} END",
    "subscriber_removed": f"AFTER DELETE ON subscriber BEGIN {_COUNT_OUT} END",
    "subscriber_moved": f"AFTER UPDATE ON subscriber WHEN {_IS_MOVED} BEGIN {_COUNT_OUT} {_COUNT_IN} END",
}
SUBSCRIBER_TRIGGERS: Final = tuple(f"CREATE TRIGGER IF NOT EXISTS {name} {body}" for name, body in _WHENS.items())
"""Statements that create the triggers. A migration that copies the table drops them, so every upgrade runs these."""

for _trigger in SUBSCRIBER_TRIGGERS:
    event.listen(Subscriber.__table__, "after_create", DDL(_trigger))  # type: ignore[no-untyped-call]
