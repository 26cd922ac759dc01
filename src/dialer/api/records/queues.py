"""Queues, the agents who serve them, and where each stands in which."""

import json
from typing import Annotated, Final

from sqlalchemy import Select, literal_column, select

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
from dialer.api.crud.resource import Change, Resource, Rule, Unit, Values, table_of
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import ConflictError, Errors
from dialer.api.records.emergency import no_emergency_number
from dialer.domain.enums import AgentStatus, CallRequestStatus, QueueStrategy, TransferStatus
from dialer.sim.callee_profile import BehaviourError, parse_agent
from dialer.store.tables import Agent, CallRequest, Queue, Tier, Transfer

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
    read=QueueRead,
    write=QueueWrite,
    filters=("name", "strategy"),
    before_delete=_refuse_while_waited_in,
    moves_dialling=True,
)
AGENTS = Resource(
    path="agent",
    model=Agent,
    read=AgentRead,
    write=AgentWrite,
    filters=("name", "status"),
    rules=(Rule(("parameters",), _behaviour_errors), no_emergency_number("contact")),
    before_delete=_refuse_while_at_work,
    moves_dialling=True,
)
TIERS = Resource(
    path="tier",
    model=Tier,
    read=TierRead,
    write=TierWrite,
    owner="queue",
    filters=("level", "position"),
    moves_dialling=True,
    rules=(Rule(("queue", "agent"), _one_place_each),),
)
