"""Queries of the wall board: all agents and all queues of one user, or of everybody, at one moment."""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, case, func, select

from dialer.domain.calls.plans import VOICE
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.skills import NO_SKILLS, SkillSet, needed_by, skills_of
from dialer.domain.words.enums import AgentActivity, TransferStatus
from dialer.store.queries.breaks import BREAK_LIMITS, is_too_long
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.selection import is_of
from dialer.store.queries.statistics import Hours
from dialer.store.tables import Agent, AgentHour, CallRequest, Campaign, Gateway, Queue, Subscriber, Tier, Transfer

_LAST_MS: Final = 1 << 60
"""A moment after all others, for the order of agents without a long break."""
_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]

NUMBER: Final = case((CallRequest.attempt < 0, CallRequest.callerid), else_=CallRequest.phone_number)
"""The number at the other end of a call: that of the callee, or of the caller."""
_CALLS: Final[Select[Any]] = (
    select(
        CallRequest.id,
        Gateway.protocol,
        Queue.id,
        Queue.name,
        Campaign.id,
        Campaign.name,
        Transfer.agent_id,
        NUMBER,
        Transfer.joined_ms,
        Transfer.answered_ms,
        Transfer.offers,
    )
    .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(Queue, Queue.id == Transfer.queue_id)
    .outerjoin(Gateway, (Gateway.id == CallRequest.gateway_id) & (Gateway.medium == VOICE))
    .where(IS_CALLING, Transfer.status != TransferStatus.OVER)
)


class BoardAgent(NamedTuple):
    """An agent with the state from which the activity follows."""

    id: int
    name: str
    supervised_call_id: int | None
    """The call that a supervisor hears, or is about to; None if nobody does."""
    supervision_mode: str
    break_limit_s: int
    """The longest allowed break; 0 without a limit."""
    preview: str
    """The person whom the agent sees before a call, a `Preview` in JSON; empty for nobody."""
    break_cause: str
    """The `BreakCause` of a break that the service has ordered; empty for another one."""
    clock: AgentClock


class AgentDay(NamedTuple):
    """The counted figures of an agent for a day, without the activity in progress."""

    taken: int
    breaks_ms: int
    missed: int


class BoardCall(NamedTuple):
    """A call that waits in a queue or that an agent has taken."""

    id: int
    protocol: str | None
    """The protocol of its gateway; None if the gateway is gone."""
    queue_id: int | None
    queue: str | None
    campaign_id: int
    campaign: str
    agent_id: int | None
    number: str
    """The number at the other end: that of the callee, or of the caller."""
    joined_ms: int
    answered_ms: int | None
    """None while it waits."""
    offers: str
    """The agents whose telephones ring for it, and since when, as JSON."""


class BoardQueue(NamedTuple):
    """A queue."""

    id: int
    name: str
    skills: str
    """The skills that all its calls need, with commas between them."""
    skill_field: str
    """The name of the contact's value with further skills; empty for none."""


def agents_on_board(connection: Connection, user_id: int | None, now_ms: int, agents_max: int) -> list[BoardAgent]:
    """Return the agents of a user, or of all: those on a break that lasts too long first, then by name."""
    limit_s = func.coalesce(BREAK_LIMITS.c.limit_s, 0)
    columns = (Agent.id, Agent.name, Agent.supervised_call_id, Agent.supervision_mode, limit_s, Agent.preview)
    query = select(*columns, Agent.break_cause, *_CLOCK).outerjoin(BREAK_LIMITS, BREAK_LIMITS.c.agent_id == Agent.id)
    longest_first = case((is_too_long(now_ms), Agent.counted_ms), else_=_LAST_MS)
    query = query.where(is_of(Agent.user_id, user_id)).order_by(longest_first, Agent.name, Agent.id)
    rows = connection.execute(query.limit(agents_max))
    return [BoardAgent(row[0], row[1], row[2], row[3], row[4], row[5], row[6], AgentClock(*row[7:])) for row in rows]


def days_of_agents(connection: Connection, agent_ids: list[int], hours: Hours) -> dict[int, AgentDay]:
    """Return the counted figures of agents in these hours. Agents without any are left out."""
    taken = func.sum(case((AgentHour.activity == AgentActivity.TALKING, AgentHour.begun), else_=0))
    breaks_ms = func.sum(case((AgentHour.activity == AgentActivity.ON_BREAK, AgentHour.spent_ms), else_=0))
    columns = (AgentHour.agent_id, taken, breaks_ms, func.sum(AgentHour.missed))
    query = select(*columns).where(AgentHour.agent_id.in_(agent_ids))
    query = query.where(AgentHour.hour >= hours.first, AgentHour.hour < hours.end).group_by(AgentHour.agent_id)
    return {row[0]: AgentDay(int(row[1]), int(row[2]), int(row[3])) for row in connection.execute(query)}


def queues_on_board(connection: Connection, user_id: int | None, queues_max: int) -> list[BoardQueue]:
    """Return the queues of a user, or of all, in order of name."""
    query = select(Queue.id, Queue.name, Queue.skills, Queue.skill_field).where(is_of(Queue.user_id, user_id))
    rows = connection.execute(query.order_by(Queue.name, Queue.id).limit(queues_max))
    return [BoardQueue(*row) for row in rows]


def agents_of_queues(
    connection: Connection, queues: list[BoardQueue], tiers_max: int
) -> dict[int, dict[int, SkillSet]]:
    """Return the skills of the agents who serve each of some queues, by agent: those who have the skills it needs."""
    found: dict[int, dict[int, SkillSet]] = {queue.id: {} for queue in queues}
    needed = {queue.id: skills_of(queue.skills) for queue in queues}
    query = select(Tier.queue_id, Tier.agent_id, Agent.skills).join(Agent, Agent.id == Tier.agent_id)
    query = query.where(Tier.queue_id.in_(found)).order_by(Tier.id).limit(tiers_max)
    for queue_id, agent_id, text in connection.execute(query):
        skills = skills_of(text) if text else NO_SKILLS
        if needed[queue_id] <= skills:
            found[queue_id][agent_id] = skills
    return found


class CallerNeeds(NamedTuple):
    """The needs of the call of somebody who waits in a queue."""

    skills: SkillSet
    promised_agent_id: int | None = None
    """The agent who has promised to take it, whatever it needs."""


def needs_of_callers(
    connection: Connection, now_ms: int, queues: list[BoardQueue], calls_max: int
) -> dict[int, list[CallerNeeds]]:
    """Return what each call needs which waits in one of some queues."""
    whose, found = {queue.id: queue for queue in queues}, defaultdict[int, list[CallerNeeds]](list)
    promised = case((Subscriber.promised_until_ms > now_ms, Subscriber.promised_agent_id), else_=None)
    query = (
        select(Transfer.queue_id, Subscriber.additional_vars, promised)
        .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
        .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .where(IS_CALLING, Transfer.status == TransferStatus.WAITING, Transfer.queue_id.in_(whose))
        .limit(calls_max)
    )
    for queue_id, document, agent_id in connection.execute(query):
        queue = whose[queue_id or 0]
        skills = skills_of(queue.skills) | needed_by(document or "", queue.skill_field)
        found[queue.id].append(CallerNeeds(skills, agent_id))
    return found


def calls_on_board(connection: Connection, user_id: int | None, calls_max: int) -> list[BoardCall]:
    """Return the calls that wait in queues or that agents have taken, those that wait longest first."""
    of_queues = _CALLS.where(Transfer.score_from_ms > 0, is_of(CallRequest.user_id, user_id))
    query = of_queues.order_by(Transfer.joined_ms, Transfer.id).limit(calls_max)
    return [BoardCall(*row) for row in connection.execute(query)]


def call_of_agent(connection: Connection, agent_id: int) -> BoardCall | None:
    """Return the call in which an agent talks; None if there is none."""
    # The sum keeps SQLite from reading all calls that the agent ever took.
    query = _CALLS.where(Transfer.agent_id + 0 == agent_id, Transfer.answered_ms.is_not(None))
    row = connection.execute(query.order_by(Transfer.id.desc()).limit(1)).first()
    return None if row is None else BoardCall(*row)
