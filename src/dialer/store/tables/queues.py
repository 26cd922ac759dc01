"""Queues and the agents who serve them."""

from sqlalchemy import Boolean, Index, String, text
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.words.enums import AgentStatus, AgentTelephone, QueueStrategy
from dialer.store.tables._base import BIG, UPDATED_OFTEN, Code, LongText, Milliseconds, Name, Row, belongs_to, mentions


def _creation(context: DefaultExecutionContext) -> int:
    return int(context.get_current_parameters()["created_date"])  # type: ignore[no-untyped-call]


class Queue(Row):
    """A queue of calls that wait for an agent. Times without a unit in their names are in seconds."""

    __tablename__ = "queue"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    strategy: Mapped[Code] = mapped_column(default=QueueStrategy.AGENT_WITH_LEAST_TALK_TIME)
    moh_sound: Mapped[Name] = mapped_column(default="")
    record: Mapped[str] = mapped_column(String(10), default="campaign", server_default="campaign")
    """`campaign`, or `all` if calls are recorded from the answer of its agent on which their campaigns do not."""
    record_template: Mapped[Name] = mapped_column(default="")
    time_base_score: Mapped[str] = mapped_column(String(16), default="queue")
    tier_rules_apply: Mapped[bool] = mapped_column(Boolean, default=False)
    tier_rule_wait_second: Mapped[int] = mapped_column(default=300)
    tier_rule_wait_multiply_level: Mapped[bool] = mapped_column(Boolean, default=True)
    tier_rule_no_agent_no_wait: Mapped[bool] = mapped_column(Boolean, default=False)
    discard_abandoned_after: Mapped[int] = mapped_column(default=14_400)
    abandoned_resume_allowed: Mapped[bool] = mapped_column(Boolean, default=True)
    max_wait_time: Mapped[int] = mapped_column(default=0)
    max_wait_time_with_no_agent: Mapped[int] = mapped_column(default=120)
    max_wait_time_with_no_agent_time_reached: Mapped[int] = mapped_column(default=5)
    break_reasons: Mapped[LongText]
    """The reasons that its agents may give for a break, with commas between them. Empty: any."""
    max_break_time: Mapped[int] = mapped_column(default=0, server_default="0")
    """The time after which a break of its agents is too long; 0 for no limit."""
    missed_calls_max: Mapped[int] = mapped_column(default=3, server_default="3")
    """The calls that its agents may miss in a row before they go on a break; 0 for no limit."""
    outcome_required: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    """True if its agents get no further call before the outcome of the last one is said."""
    longer_wrap_up: Mapped[int] = mapped_column(default=60, server_default="60")
    """The time by which its agents can make a wrap-up time longer, once; 0: not at all."""
    skills: Mapped[LongText]
    """The skills that an agent needs for all calls of the queue, with commas between them."""
    skill_field: Mapped[Name] = mapped_column(default="", server_default="")
    """The name of the contact's value with further skills that its call needs; empty for none."""
    last_agent_id: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Id of the agent who was offered a call last: a round robin goes on after this agent."""
    no_agent_from_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """Time since which calls wait in the queue without an agent for them; 0 if no call does."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = UPDATED_OFTEN


class Agent(Row):
    """A person who takes calls from queues."""

    __tablename__ = "agent"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    login_id: Mapped[int | None] = mentions("user_account")
    """The user account with which the agent logs in."""
    contact: Mapped[Name] = mapped_column(default="")
    telephone: Mapped[str] = mapped_column(String(8), default=AgentTelephone.CONTACT, server_default="contact")
    """A `dialer.domain.words.enums.AgentTelephone`: with what the agent takes calls."""
    status: Mapped[Code] = mapped_column(default=AgentStatus.LOGGED_OUT)
    wrap_up_time: Mapped[int] = mapped_column(default=0)
    skills: Mapped[LongText]
    """The skills of the agent, such as languages, with commas between them."""
    parameters: Mapped[str] = mapped_column(default="{}")
    figures: Mapped[LongText]
    """A `dialer.domain.queueing.plans.AgentFigures` as JSON, or empty."""
    break_reason: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The reason of a break; empty in any other status."""
    is_talking: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")
    counted_ms: Mapped[int] = mapped_column(BIG, default=_creation, server_default="0")
    """The time up to which the agent's activities are counted (`dialer.store.tables.figures.AgentHour`)."""
    wraps_until_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The end of the wrap-up time after the last call."""
    began_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The time at which the agent's activity began, whatever was counted since; 0 before the first change."""
    hang_up_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call that is to be hung up while the agent talks in it; null once that is done."""
    hold_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call that the agent wants on hold."""
    supervised_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call of the agent that a supervisor wants to hear; null if nobody does."""
    supervision_turn: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of the last supervision: counts those of the agent."""
    supervision_mode: Mapped[str] = mapped_column(String(8), default="listen", server_default="listen")
    """A `dialer.domain.words.enums.SupervisionMode`."""
    supervision_contact: Mapped[Name] = mapped_column(default="", server_default="")
    """The telephone of the supervisor."""
    supervisor_id: Mapped[int | None] = mentions("user_account")
    """The user who supervises the call, or did so last."""
    preview: Mapped[LongText]
    """A `dialer.domain.queueing.plans.Preview` as JSON: whom the agent sees before the call. Or empty."""
    preview_order: Mapped[LongText]
    """A `dialer.domain.queueing.plans.PreviewOrder` as JSON: what the agent wants of the person. Or empty."""
    placed_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The last call that the agent has placed to a person whom they saw before; null before the first."""
    transfer_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call that the agent transfers at the desk; null once that is done."""
    transfer_to: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """Where to: a number in normal form, or `queue:` or `agent:` with an id."""
    consulted_call_id: Mapped[int | None] = mapped_column(BIG, default=None)
    """The call in which the agent consults a third person; null if they consult nobody."""
    consultation_turn: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of the last consultation: counts those of the agent."""
    consultation_mode: Mapped[str] = mapped_column(String(9), default="third", server_default="third")
    """A `dialer.domain.words.enums.ConsultationMode`."""
    consultation_to: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The third person: a number in normal form, or `agent:` with an id."""
    desk_watched: Mapped[bool] = mapped_column(Boolean, default=True, server_default="1")
    """True if a break begins when the desk that the agent has opened is closed."""
    desk_seen_ms: Mapped[int] = mapped_column(BIG, default=0, server_default="0")
    """The time of the machine at which the agent's desk was last seen open; 0 if not since they came on duty."""
    break_cause: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """A `dialer.domain.words.reasons.BreakCause`: why the service has sent the agent on a break. Or empty."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        # The desk of each agent asks who of the account consults them. Few do, and the account may have thousands.
        Index(
            "ix_agent_consulting",
            "user_id",
            "consultation_to",
            sqlite_where=text("consulted_call_id IS NOT NULL"),
            postgresql_where=text("consulted_call_id IS NOT NULL"),
        ),
        UPDATED_OFTEN,
    )


class Tier(Row):
    """An agent's place in a queue."""

    __tablename__ = "tier"

    queue_id: Mapped[int] = belongs_to("queue", index=False)
    agent_id: Mapped[int] = belongs_to("agent")
    level: Mapped[int] = mapped_column(default=1)
    position: Mapped[int] = mapped_column(default=1)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_tier_queue_id_agent_id", "queue_id", "agent_id", unique=True),
        {"sqlite_autoincrement": True},
    )
