"""Queries of the wall board: all agents and all queues of one user, or of everybody, at one moment."""

from collections import Counter, defaultdict
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, func, select
from sqlalchemy.orm import aliased

from dialer.domain.calls.plans import VOICE
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.skills import NO_SKILLS, SkillSet, needed_by, skills_of
from dialer.domain.words.enums import AgentActivity, AgentStatus, Consulted, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.store.queries.breaks import BEGAN_MS, BREAK_LIMITS, is_too_long
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

_THIRD: Final = aliased(Agent)
_QUEUES: Final = (
    select(Queue.id, Queue.name, Queue.skills, Queue.skill_field)
    .order_by(Queue.name, Queue.id)
    .limit(bindparam("most"))
)
_QUEUES_OF_USER: Final = _QUEUES.where(Queue.user_id == bindparam("user"))
_CONSULTATIONS: Final = (
    select(
        *(Agent.id, Agent.name, Transfer.for_agent_id, func.coalesce(_THIRD.name, Transfer.phone_number)),
        *(func.coalesce(Transfer.started_ms, Transfer.joined_ms), Transfer.answered_ms),
    )
    .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
    .join(Agent, Agent.id == Transfer.from_agent_id)
    .outerjoin(_THIRD, _THIRD.id == Transfer.for_agent_id)
    .where(IS_CALLING, Transfer.consulted == Consulted.ASKED, Transfer.status != TransferStatus.OVER)
)
_IS_ON_DUTY: Final = Agent.status.in_([int(status) for status in TAKES_CALLS])
_IS_AWAY: Final = case((Agent.status == AgentStatus.LOGGED_OUT, 1), else_=0)
"""1 for agents who are logged out, who come last."""
_OWES_LAST: Final = case((Agent.is_talking.is_(False) & (Agent.wraps_until_ms >= NEVER_MS), 0), else_=1)
"""0 for agents whose time after a call ends with its outcome only."""
COUNTED_MAX: Final = 20_000
"""Agents whose activities are counted at the most, and different texts with skills of the agents of a queue."""


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
    figures: str
    """The figures of the agent, as JSON; empty for none."""
    clock: AgentClock


class AgentDay(NamedTuple):
    """The counted figures of an agent for a day, without the activity in progress."""

    taken: int
    breaks_ms: int
    missed: int
    missed_of_late: int = 0
    """Those of them since an hour that the query names."""


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


class BoardConsultation(NamedTuple):
    """A third person whom an agent consults during a call, or calls for that."""

    from_agent_id: int
    from_agent: str
    agent_id: int | None
    """The agent who is the third person; None if it is somebody else."""
    third: str
    """The name of that agent, else the number."""
    rings_from_ms: int
    answered_ms: int | None


class BoardQueue(NamedTuple):
    """A queue."""

    id: int
    name: str
    skills: str
    """The skills that all its calls need, with commas between them."""
    skill_field: str
    """The name of the contact's value with further skills; empty for none."""


def agents_on_board(
    connection: Connection, user_id: int | None, now_ms: int, agents_max: int, queue_id: int | None = None
) -> list[BoardAgent]:
    """Return the agents of a user, or of all, or those of them who serve a queue and have the skills that it needs.

    Those on a break that lasts too long are first, then those who have to say an outcome before the next call, then
    those logged in by name, and the others by name.
    """
    limit_s = func.coalesce(BREAK_LIMITS.c.limit_s, 0)
    columns = (Agent.id, Agent.name, Agent.supervised_call_id, Agent.supervision_mode, limit_s, Agent.preview)
    query = select(*columns, Agent.break_cause, Agent.figures, *_CLOCK)
    query = query.outerjoin(BREAK_LIMITS, BREAK_LIMITS.c.agent_id == Agent.id)
    longest_first = case((is_too_long(now_ms), BEGAN_MS), else_=_LAST_MS)
    order = (longest_first, _OWES_LAST, _IS_AWAY, Agent.name, Agent.id)
    query = query.where(*_who(connection, user_id, queue_id)).order_by(*order)
    rows = connection.execute(query.limit(agents_max))
    return [BoardAgent._make((*row[:8], AgentClock(*row[8:]))) for row in rows]


def activities_of(
    connection: Connection, user_id: int | None, now_ms: int, queue_id: int | None = None
) -> Counter[AgentActivity]:
    """Return how many agents of a user, or of all, or of a queue, do what now: the first `COUNTED_MAX` of them."""
    query = select(*_CLOCK).where(*_who(connection, user_id, queue_id)).order_by(Agent.id)
    clocks = connection.execute(query.limit(COUNTED_MAX))
    return Counter(AgentClock(*row).activity(now_ms) for row in clocks)


def _who(connection: Connection, user_id: int | None, queue_id: int | None) -> list[ColumnElement[bool]]:
    of_user = is_of(Agent.user_id, user_id)
    return [of_user] if queue_id is None else [of_user, *_serves(connection, queue_id)]


def _serves(connection: Connection, queue_id: int) -> list[ColumnElement[bool]]:
    """Return the conditions that an agent serves a queue, and has the skills that it needs."""
    serves = Agent.id.in_(select(Tier.agent_id).where(Tier.queue_id == queue_id))
    text: str | None = connection.scalar(select(Queue.skills).where(Queue.id == queue_id))
    needed = skills_of(text or "")
    if not needed:
        return [serves]
    texts = connection.scalars(select(Agent.skills).distinct().where(serves).order_by(Agent.skills).limit(COUNTED_MAX))
    return [serves, Agent.skills.in_([one for one in texts if needed <= skills_of(one)])]


def days_of_agents(connection: Connection, agent_ids: list[int], hours: Hours, late_from: int) -> dict[int, AgentDay]:
    """Return the counted figures of agents in these hours. Agents without any are left out.

    `late_from` is the hour from which missed calls are recent.
    """
    taken = func.sum(case((AgentHour.activity == AgentActivity.TALKING, AgentHour.begun), else_=0))
    breaks_ms = func.sum(case((AgentHour.activity == AgentActivity.ON_BREAK, AgentHour.spent_ms), else_=0))
    missed_of_late = func.sum(case((AgentHour.hour >= late_from, AgentHour.missed), else_=0))
    columns = (AgentHour.agent_id, taken, breaks_ms, func.sum(AgentHour.missed), missed_of_late)
    query = select(*columns).where(AgentHour.agent_id.in_(agent_ids))
    query = query.where(AgentHour.hour >= hours.first, AgentHour.hour < hours.end).group_by(AgentHour.agent_id)
    return {row[0]: AgentDay(*map(int, row[1:])) for row in connection.execute(query)}


def queues_on_board(connection: Connection, user_id: int | None, queues_max: int) -> list[BoardQueue]:
    """Return the queues of a user, or of all, in order of name."""
    query, values = query_of_queues(user_id, queues_max)
    return [BoardQueue(*row) for row in connection.execute(query, values)]


def query_of_queues(user_id: int | None, queues_max: int) -> tuple[Select[*tuple[Any, ...]], dict[str, int]]:
    """Return the query of `queues_on_board`, whose rows are the fields of `BoardQueue`, and its parameters."""
    asked = {"most": queues_max}
    return (_QUEUES, asked) if user_id is None else (_QUEUES_OF_USER, {**asked, "user": user_id})


class Member(NamedTuple):
    """An agent of a queue who has the skills that it needs."""

    skills: SkillSet
    is_on_duty: bool
    """True if the agent takes calls now, or once the present one is over."""
    is_available: bool


def members_of_queues(
    connection: Connection, queues: list[BoardQueue], now_ms: int, tiers_max: int
) -> dict[int, dict[int, Member]]:
    """Return the agents who serve each of some queues, by their ids: those who have the skills it needs."""
    found: dict[int, dict[int, Member]] = {queue.id: {} for queue in queues}
    needed = {queue.id: skills_of(queue.skills) for queue in queues}
    is_available = _IS_ON_DUTY & Agent.is_talking.is_(False) & (Agent.wraps_until_ms <= now_ms)
    query = select(Tier.queue_id, Tier.agent_id, Agent.skills, _IS_ON_DUTY, is_available)
    query = query.join(Agent, Agent.id == Tier.agent_id).where(Tier.queue_id.in_(found))
    for queue_id, agent_id, text, *does in connection.execute(query.order_by(Tier.id).limit(tiers_max)):
        skills = skills_of(text) if text else NO_SKILLS
        if needed[queue_id] <= skills:
            found[queue_id][agent_id] = Member(skills, *map(bool, does))
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


def consultations_on_board(connection: Connection, user_id: int | None, calls_max: int) -> list[BoardConsultation]:
    """Return the consultations of the agents of a user, or of all, in calls in progress."""
    query = _CONSULTATIONS.where(is_of(CallRequest.user_id, user_id)).order_by(Transfer.id).limit(calls_max)
    return [BoardConsultation(*row) for row in connection.execute(query)]


def call_of_agent(connection: Connection, agent_id: int) -> BoardCall | None:
    """Return the call in which an agent talks; None if there is none."""
    # The sum keeps SQLite from reading all calls that the agent ever took.
    query = _CALLS.where(Transfer.agent_id + 0 == agent_id, Transfer.answered_ms.is_not(None))
    row = connection.execute(query.order_by(Transfer.id.desc()).limit(1)).first()
    return None if row is None else BoardCall(*row)
