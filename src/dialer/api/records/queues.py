"""Queues, the agents who serve them, and where each stands in which."""

import json
from typing import Annotated, Final

from sqlalchemy import select

from dialer.api.crud.fields import (
    Boolean,
    Choice,
    Identity,
    Integer,
    JsonObject,
    OwnUrl,
    Reference,
    Text,
    TextChoice,
    Timestamp,
)
from dialer.api.crud.resource import Change, Resource, Rule, table_of
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import Errors
from dialer.app.call_centre import change_agent, delete_agent, delete_queue
from dialer.domain.enums import AgentStatus, QueueStrategy
from dialer.sim.callee_profile import BehaviourError, parse_agent
from dialer.store.tables import Agent, Queue, Tier
from dialer.store.touched import Touched

SCORES: Final = ("queue", "system")


class QueueWrite(Shape):
    """A waiting line for calls that want a person; all times in seconds."""

    name: Annotated[str, Text(255, min_length=1)]
    manager: Annotated[int, Reference("users", column="user_id")] = 0
    strategy: Annotated[int, Choice(QueueStrategy)] = QueueStrategy.AGENT_WITH_LEAST_TALK_TIME
    moh_sound: Annotated[str, Text()] = ""
    record_template: Annotated[str, Text()] = ""
    time_base_score: Annotated[str, TextChoice(SCORES)] = "queue"
    tier_rules_apply: Annotated[bool, Boolean()] = False
    tier_rule_wait_second: Annotated[int, Integer()] = 300
    tier_rule_wait_multiply_level: Annotated[bool, Boolean()] = True
    tier_rule_no_agent_no_wait: Annotated[bool, Boolean()] = False
    discard_abandoned_after: Annotated[int, Integer()] = 14_400
    abandoned_resume_allowed: Annotated[bool, Boolean()] = True
    max_wait_time: Annotated[int, Integer()] = 0
    max_wait_time_with_no_agent: Annotated[int, Integer()] = 120
    max_wait_time_with_no_agent_time_reached: Annotated[int, Integer()] = 5


class QueueRead(Shape):
    """A waiting line for calls that want a person, as it is stored."""

    manager: Annotated[str, Reference("users", column="user_id")]
    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("queue")]
    name: Annotated[str, Text()]
    strategy: Annotated[int, Choice(QueueStrategy)]
    moh_sound: Annotated[str, Text()]
    record_template: Annotated[str, Text()]
    time_base_score: Annotated[str, TextChoice(SCORES)]
    tier_rules_apply: Annotated[bool, Boolean()]
    tier_rule_wait_second: Annotated[int, Integer()]
    tier_rule_wait_multiply_level: Annotated[bool, Boolean()]
    tier_rule_no_agent_no_wait: Annotated[bool, Boolean()]
    discard_abandoned_after: Annotated[int, Integer()]
    abandoned_resume_allowed: Annotated[bool, Boolean()]
    max_wait_time: Annotated[int, Integer()]
    max_wait_time_with_no_agent: Annotated[int, Integer()]
    max_wait_time_with_no_agent_time_reached: Annotated[int, Integer()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class AgentWrite(Shape):
    """Someone who takes calls from queues."""

    name: Annotated[str, Text(255, min_length=1)]
    user: Annotated[int, Reference("users")] = 0
    contact: Annotated[str, Text()] = ""
    status: Annotated[int, Choice(AgentStatus)] = AgentStatus.LOGGED_OUT
    wrap_up_time: Annotated[int, Integer()] = 0
    parameters: Annotated[str, JsonObject()] = "{}"


class AgentRead(Shape):
    """Someone who takes calls from queues, as they are stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("agent")]
    name: Annotated[str, Text()]
    user: Annotated[str, Reference("users")]
    contact: Annotated[str, Text()]
    status: Annotated[int, Choice(AgentStatus)]
    wrap_up_time: Annotated[int, Integer()]
    parameters: Annotated[object, JsonObject()]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


class TierWrite(Shape):
    """An agent's place in a queue."""

    queue: Annotated[int, Reference("queue")]
    agent: Annotated[int, Reference("agent")]
    level: Annotated[int, Integer(1)] = 1
    position: Annotated[int, Integer(1)] = 1


class TierRead(Shape):
    """An agent's place in a queue, as it is stored."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("tier")]
    queue: Annotated[str, Reference("queue")]
    agent: Annotated[str, Reference("agent")]
    level: Annotated[int, Integer(1)]
    position: Annotated[int, Integer(1)]
    created_date: Annotated[str, Timestamp()]
    updated_date: Annotated[str, Timestamp()]


def _one_place_each(change: Change) -> Errors:
    tier = table_of(Tier).c
    query = select(tier.id).where(
        tier.queue_id == change.values["queue"],
        tier.agent_id == change.values["agent"],
        tier.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {"agent": ["The agent is in the queue already."]}


def _behaviour_errors(change: Change) -> Errors:
    """What is wrong with a simulated agent that the parameters describe."""
    if not change.moves("parameters"):
        return {}
    try:
        parse_agent(json.loads(change.values["parameters"]))
    except BehaviourError as error:
        return {"parameters": [str(error)]}
    return {}


QUEUES = Resource(
    path="queue",
    model=Queue,
    read=QueueRead,
    write=QueueWrite,
    filters=("name", "strategy"),
    remove=delete_queue,
    touches=lambda _, row: Touched(queues=frozenset({row["id"]})),
)
AGENTS = Resource(
    path="agent",
    model=Agent,
    read=AgentRead,
    write=AgentWrite,
    filters=("name", "status"),
    rules=(Rule(("parameters",), _behaviour_errors),),
    update=lambda change, columns: change_agent(change.unit, change.record_id, columns),
    remove=delete_agent,
    touches=lambda _, row: Touched(agents=frozenset({row["id"]})),
)
TIERS = Resource(
    path="tier",
    model=Tier,
    read=TierRead,
    write=TierWrite,
    owner="queue",
    filters=("level", "position"),
    touches=lambda _, row: Touched(queues=frozenset({row["queue_id"]})),
    rules=(Rule(("queue", "agent"), _one_place_each),),
)
