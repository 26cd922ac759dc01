"""Counters from which statistics are answered: of campaigns, users, subscribers, agents and queues.

An hour is its number since 1970-01-01T00:00:00Z. A counter does not need the rows that it counted.
"""

from typing import Annotated

from sqlalchemy import Boolean, ForeignKey, Index, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.store.tables._base import BIG, UPDATED_OFTEN, VACUUMED_OFTEN, Code, Row, ZoneKey

Counter = Annotated[int, mapped_column(BIG, default=0, server_default="0")]
Hour = Annotated[int, mapped_column(BIG)]


class CallCounters(Row):
    """Counters of the calls and messages of one hour, for one member of one grouping."""

    __abstract__ = True

    grouping: Mapped[Code]
    """A `dialer.domain.figures.statistics.Grouping`."""
    member: Mapped[ZoneKey]
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
        UPDATED_OFTEN,
    )


class UserHour(CallCounters):
    """Counters of all campaigns of a user, deleted ones included."""

    __tablename__ = "user_hour"

    user_id: Mapped[int] = mapped_column(BIG, ForeignKey("user_account.id", ondelete="CASCADE"))

    __table_args__ = (
        Index("uq_user_hour_key", "user_id", "grouping", "hour", "member", unique=True),
        UPDATED_OFTEN,
    )


class SubscriberCount(Row):
    """The number of subscribers of a campaign in one state, without the moves that are not counted yet."""

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
        UPDATED_OFTEN,
    )


class SubscriberMove(Row):
    """A change of subscribers' state that is not counted yet, written by the triggers of the table of subscribers.

    A trigger that changed the counters themselves would cost six times as much.
    """

    __tablename__ = "subscriber_move"

    campaign_id: Mapped[int] = mapped_column(BIG)
    user_id: Mapped[int] = mapped_column(BIG)
    phonebook_id: Mapped[int] = mapped_column(BIG)
    was_status: Mapped[int | None] = mapped_column(SmallInteger)
    """Null for subscribers who are new, or were counted out of their state by another row."""
    was_reason: Mapped[str | None] = mapped_column(String(40))
    was_attempted: Mapped[int | None] = mapped_column(SmallInteger)
    """1 if the subscriber had an attempt, else 0."""
    status: Mapped[int | None] = mapped_column(SmallInteger)
    """Null for subscribers who are deleted, or are counted into their state by another row."""
    status_reason: Mapped[str | None] = mapped_column(String(40))
    attempted: Mapped[int | None] = mapped_column(SmallInteger)
    subscribers: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    """Number of subscribers that changed alike: on PostgreSQL, those of one statement."""

    __table_args__ = {"sqlite_autoincrement": False}  # noqa: RUF012 - not a default value but a declaration


class AgentHour(Row):
    """The time that an agent spent in one activity during one hour."""

    __tablename__ = "agent_hour"

    agent_id: Mapped[int] = mapped_column(BIG, ForeignKey("agent.id", ondelete="CASCADE"))
    hour: Mapped[Hour]
    activity: Mapped[Code]
    """A `dialer.domain.words.enums.AgentActivity`."""
    reason: Mapped[str] = mapped_column(String(100))
    """The reason of a break."""
    spent_ms: Mapped[Counter]
    begun: Mapped[Counter]
    """Number of times that the activity began. A talk that began is a call taken."""
    missed: Mapped[Counter]
    """Calls that the agent was offered and did not take."""

    __table_args__ = (
        Index("uq_agent_hour_key", "agent_id", "hour", "activity", "reason", unique=True),
        UPDATED_OFTEN,
    )


class AgentPeriod(Row):
    """A time between two changes of an agent's state, written when it ends. That of now is in the row of the agent.

    Its fields are those of `dialer.domain.queueing.agent_periods.AgentPeriod`. While logged out, an agent has no rows.
    """

    __tablename__ = "agent_period"

    agent_id: Mapped[int] = mapped_column(BIG, ForeignKey("agent.id", ondelete="CASCADE"))
    from_ms: Mapped[int] = mapped_column(BIG)
    until_ms: Mapped[int] = mapped_column(BIG)
    status: Mapped[Code]
    """The `AgentStatus` that was ordered last: during a talk, it holds from its end on."""
    is_talking: Mapped[bool] = mapped_column(Boolean)
    reason: Mapped[str] = mapped_column(String(100))
    """The reason of a break."""
    wraps_until_ms: Mapped[int] = mapped_column(BIG)
    looks_from_ms: Mapped[int] = mapped_column(BIG)
    rings_from_ms: Mapped[int] = mapped_column(BIG)
    call: Mapped[Code]
    cause: Mapped[str] = mapped_column(String(16))

    __table_args__ = (
        Index("ix_agent_period_agent_id_from_ms", "agent_id", "from_ms"),
        Index("ix_agent_period_until_ms", "until_ms", "id"),
        {"sqlite_autoincrement": True, "postgresql_with": VACUUMED_OFTEN},
    )


class QueueHour(Row):
    """The calls that joined a queue in one hour and have left it, by the length of their wait."""

    __tablename__ = "queue_hour"

    queue_id: Mapped[int] = mapped_column(BIG, ForeignKey("queue.id", ondelete="CASCADE"))
    hour: Mapped[Hour]
    within_s: Mapped[int]
    """The lowest of `dialer.domain.figures.statistics.WAITS_S` that the wait does not exceed; 0 if it exceeds all."""
    taken: Mapped[Counter]
    abandoned: Mapped[Counter]
    """Calls whose caller left before an agent answered."""
    timed_out: Mapped[Counter]
    """Calls that the queue gave up, by a limit of the wait."""
    taken_wait_ms: Mapped[Counter]
    longest_ms: Mapped[Counter]

    __table_args__ = (
        Index("uq_queue_hour_key", "queue_id", "hour", "within_s", unique=True),
        UPDATED_OFTEN,
    )
