"""Queues, agents, and the tiers that place agents in queues."""

import json
from typing import Final

from sqlalchemy import select

from dialer.api.crud.declaration import NAME, OWNER, STAMPS, own, shapes, writable
from dialer.api.crud.fields import Boolean, Choice, Integer, JsonObject, Text, TextChoice
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, FieldRule, Resource, table_of
from dialer.api.http.errors import Errors
from dialer.api.records.agent_views import own_agents
from dialer.api.records.emergency import no_emergency_number
from dialer.app.call_centre import change_agent, delete_agent, delete_queue
from dialer.domain.enums import AgentStatus, QueueStrategy
from dialer.sim.callee_profile import BehaviourError, parse_agent
from dialer.store.tables import Agent, Queue, Tier
from dialer.store.touched import Touched

SCORES: Final = ("queue", "system")

_QUEUE: Final = shapes(
    "Queue",
    {
        "manager": writable(Reference("users", column="user_id"), default=0),
        **own("queue"),
        "name": NAME,
        "strategy": writable(Choice(QueueStrategy), default=QueueStrategy.AGENT_WITH_LEAST_TALK_TIME),
        "moh_sound": writable(Text(), default=""),
        "record_template": writable(Text(), default=""),
        "time_base_score": writable(TextChoice(SCORES), default="queue"),
        "tier_rules_apply": writable(Boolean(), default=False),
        "tier_rule_wait_second": writable(Integer(), default=300),
        "tier_rule_wait_multiply_level": writable(Boolean(), default=True),
        "tier_rule_no_agent_no_wait": writable(Boolean(), default=False),
        "discard_abandoned_after": writable(Integer(), default=14_400),
        "abandoned_resume_allowed": writable(Boolean(), default=True),
        "max_wait_time": writable(Integer(), default=0),
        "max_wait_time_with_no_agent": writable(Integer(), default=120),
        "max_wait_time_with_no_agent_time_reached": writable(Integer(), default=5),
        **STAMPS,
    },
    write_doc="A queue in which calls wait for an agent; all times are in seconds.",
    read_doc="A queue in which calls wait for an agent, as it is stored; all times are in seconds.",
)

_AGENT: Final = shapes(
    "Agent",
    {
        **own("agent"),
        "name": NAME,
        "user": OWNER,
        "login": writable(
            Reference("users"),
            default=None,
            nullable=True,
            description="The user account with which this agent logs in: its manager's own, or one of an agent of the"
            " manager. That user sees this record and its calls, and changes its status.",
        ),
        "contact": writable(Text(), default=""),
        "status": writable(Choice(AgentStatus), default=AgentStatus.LOGGED_OUT),
        "wrap_up_time": writable(Integer(), default=0, description="Seconds."),
        "parameters": writable(JsonObject(), default="{}"),
        **STAMPS,
    },
    write_doc="An agent: a person who takes calls from queues.",
    read_doc="An agent: a person who takes calls from queues, as stored.",
)

_TIER: Final = shapes(
    "Tier",
    {
        **own("tier"),
        "queue": writable(Reference("queue")),
        "agent": writable(Reference("agent")),
        "level": writable(Integer(1), default=1),
        "position": writable(Integer(1), default=1),
        **STAMPS,
    },
    write_doc="A tier: the place of an agent in a queue.",
)


def _one_place_each(change: Change) -> Errors:
    tier = table_of(Tier).c
    query = select(tier.id).where(
        tier.queue_id == change.values["queue"],
        tier.agent_id == change.values["agent"],
        tier.id != change.record_id,
    )
    if change.unit.connection.execute(query).first() is None:
        return {}
    return {"agent": ["The agent is in the queue already. Change that tier instead."]}


def _behaviour_errors(change: Change) -> Errors:
    """Return the error in the simulated agent that the parameters describe, if any."""
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
    shapes=_QUEUE,
    filters=("name", "strategy"),
    orderings=("name", "strategy", "created_date", "updated_date"),
    names=("name",),
    remove=delete_queue,
    touches=lambda _, row: Touched(queues=frozenset({row["id"]})),
)
AGENTS = Resource(
    path="agent",
    model=Agent,
    shapes=_AGENT,
    agents_see=own_agents,
    agents_change=frozenset({"status"}),
    filters=("name", "status"),
    orderings=("name", "status", "created_date", "updated_date"),
    names=("name",),
    numbers=("contact",),
    rules=(FieldRule(("parameters",), _behaviour_errors), no_emergency_number("contact")),
    update=lambda change, columns: change_agent(change.unit, change.record_id, columns),
    remove=delete_agent,
    touches=lambda _, row: Touched(agents=frozenset({row["id"]})),
)
TIERS = Resource(
    path="tier",
    model=Tier,
    shapes=_TIER,
    owner="queue",
    filters=("level", "position"),
    orderings=("level", "position", "created_date", "updated_date"),
    touches=lambda _, row: Touched(queues=frozenset({row["queue_id"]})),
    rules=(FieldRule(("queue", "agent"), _one_place_each),),
)
