"""Queues, the agents who serve them, and where each stands in which."""

import json
from typing import Final

from sqlalchemy import Select, literal_column, select

from dialer.api.crud.declaration import NAME, OWNER, STAMPS, own, shapes, writable
from dialer.api.crud.fields import Boolean, Choice, Integer, JsonObject, Text, TextChoice
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, Resource, Rule, Unit, Values, table_of
from dialer.api.http.errors import ConflictError, Errors
from dialer.api.records.emergency import no_emergency_number
from dialer.domain.enums import AgentStatus, CallRequestStatus, QueueStrategy, TransferStatus
from dialer.sim.callee_profile import BehaviourError, parse_agent
from dialer.store.tables import Agent, CallRequest, Queue, Tier, Transfer

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
    write_doc="A waiting line for calls that want a person; all times in seconds.",
    read_doc="A waiting line for calls that want a person, as it is stored.",
)

_AGENT: Final = shapes(
    "Agent",
    {
        **own("agent"),
        "name": NAME,
        "user": OWNER,
        "contact": writable(Text(), default=""),
        "status": writable(Choice(AgentStatus), default=AgentStatus.LOGGED_OUT),
        "wrap_up_time": writable(Integer(), default=0, description="Seconds."),
        "parameters": writable(JsonObject(), default="{}"),
        **STAMPS,
    },
    write_doc="Someone who takes calls from queues.",
    read_doc="Someone who takes calls from queues, as they are stored.",
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
    write_doc="An agent's place in a queue.",
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


def _under_way(status: TransferStatus) -> Select[tuple[str]]:
    """Of the transfers that calls in progress have come to, those that stand so: who is being asked, as JSON."""
    transfer, call = table_of(Transfer).c, table_of(CallRequest).c
    # A literal, as the index over calls in progress serves only a query that says which without a parameter.
    is_calling = call.status == literal_column(str(int(CallRequestStatus.CALLING)))
    query: Select[tuple[str]] = select(transfer.offers).join(table_of(CallRequest), call.id == transfer.callrequest_id)
    return query.where(is_calling, transfer.status == status)


def _refuse_while_waited_in(unit: Unit, stored: Values) -> None:
    """Raise `ConflictError` for a queue in which calls wait."""
    waits = _under_way(TransferStatus.WAITING).where(table_of(Transfer).c.queue_id == stored["id"])
    if unit.connection.execute(waits.limit(1)).first() is not None:
        raise ConflictError("Calls wait in the queue.")


def _refuse_while_at_work(unit: Unit, stored: Values) -> None:
    """Raise `ConflictError` for an agent who talks, or is being asked to take a call."""
    talks = _under_way(TransferStatus.CONNECTED).where(table_of(Transfer).c.agent_id == stored["id"])
    if unit.connection.execute(talks.limit(1)).first() is not None:
        raise ConflictError("The agent is in a call.")
    asked = [row.offers for row in unit.connection.execute(_under_way(TransferStatus.WAITING))]
    if any(str(stored["id"]) in json.loads(offers) for offers in asked):
        raise ConflictError("The agent is being asked to take a call.")


QUEUES = Resource(
    path="queue",
    model=Queue,
    shapes=_QUEUE,
    filters=("name", "strategy"),
    before_delete=_refuse_while_waited_in,
    moves_dialling=True,
)
AGENTS = Resource(
    path="agent",
    model=Agent,
    shapes=_AGENT,
    filters=("name", "status"),
    rules=(Rule(("parameters",), _behaviour_errors), no_emergency_number("contact")),
    before_delete=_refuse_while_at_work,
    moves_dialling=True,
)
TIERS = Resource(
    path="tier",
    model=Tier,
    shapes=_TIER,
    owner="queue",
    filters=("level", "position"),
    moves_dialling=True,
    rules=(Rule(("queue", "agent"), _one_place_each),),
)
