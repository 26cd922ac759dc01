"""Use cases of agents and queues; an agent at work and a queue with waiting calls cannot be deleted."""

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, Select, delete, select, update

from dialer.app.call_centre.break_reasons import check_break_reason
from dialer.app.campaigns.lost_calls import free_of_needless_outcomes
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.events import AgentStatusChanged
from dialer.app.work.touched_records import hearers_of_music, touched_queue
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.call_recording import BY_CAMPAIGN
from dialer.domain.queueing.agent_periods import DutyEnd, PeriodEnd
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.presence import NOT_WATCHED
from dialer.domain.words.enums import AgentStatus, Consulted, TransferStatus
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.rows.agent_hours import Activities, read_clock
from dialer.store.tables import Agent, CallRequest, Queue, Transfer

_CHANGES_CALLS: Final = (Queue.moh_sound != "") | (Queue.record != BY_CAMPAIGN)
"""Campaigns are read again without a queue that changed their calls by its music or its recordings."""


def change_agent(unit: UnitOfWork, agent_id: int, values: Mapping[str, Any], by_user_id: int | None = None) -> None:
    """Write columns of an agent, and count the time in their former status. Only a break has a `break_reason`.

    `by_user_id` is the user who orders it; None if the service does.

    Raises:
        UnknownRecordError: there is no such agent.
        InvalidFieldsError: the reason is none of those that the agent's queues have.
    """
    clock = read_clock(unit.connection, agent_id)
    if clock is None:
        raise UnknownRecordError(f"There is no agent {agent_id}.")
    status = values.get("status", clock.status)
    reason = values.get("break_reason", clock.break_reason if status == clock.status else "")
    if status == AgentStatus.ON_BREAK and reason != clock.break_reason and not values.get("break_cause"):
        check_break_reason(unit.connection, agent_id, reason)
    written = {**values, "updated_date": unit.now_ms}
    if (status, reason) != (clock.status, clock.break_reason):
        written = {"break_cause": "", **written}
    if status != clock.status:
        written = {"desk_seen_ms": NOT_WATCHED, **written}
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(written))
    after = replace(clock, status=status, break_reason=reason if status == AgentStatus.ON_BREAK else "")
    if after != clock:
        activities = Activities()
        cause = values.get("break_cause") or _ordered_by(unit.connection, agent_id, by_user_id)
        ends_duty = status != clock.status and status not in TAKES_CALLS
        activities.change(agent_id, clock, after, unit.now_ms, PeriodEnd(cause if ends_duty else DutyEnd.UNKNOWN))
        activities.write(unit.connection)
    events = [AgentStatusChanged(agent_id, status)] if status != clock.status else []
    unit.note(Touched(agents=frozenset({agent_id})), *events)


def _ordered_by(connection: Connection, agent_id: int, user_id: int | None) -> DutyEnd:
    if user_id is None:
        return DutyEnd.UNKNOWN
    login_id = connection.scalar(select(Agent.login_id).where(Agent.id == agent_id))
    return DutyEnd.AGENT if login_id == user_id else DutyEnd.OTHERS


def delete_agent(unit: UnitOfWork, agent_id: int) -> None:
    """Delete an agent who has no call, is offered none, and is not consulted by another one.

    Raises:
        RefusedError: the agent is in a call, or is being offered one.
    """
    talks = _under_way(Transfer.status == TransferStatus.CONNECTED).where(Transfer.agent_id == agent_id)
    consulted = _under_way(Transfer.status != TransferStatus.OVER)
    consulted = consulted.where(Transfer.for_agent_id == agent_id, Transfer.consulted == Consulted.ASKED)
    if any(unit.connection.execute(query.limit(1)).first() is not None for query in (talks, consulted)):
        raise RefusedError(
            "The agent is in a call. Delete the agent when the call is over.", code=ErrorCode.IN_PROGRESS
        )
    waiting_calls = unit.connection.execute(_under_way(Transfer.status == TransferStatus.WAITING)).all()
    if any(str(agent_id) in json.loads(row.offers) for row in waiting_calls):
        raise RefusedError(
            "The agent is being offered a call. Delete the agent when the offer is over.", code=ErrorCode.IN_PROGRESS
        )
    unit.connection.execute(delete(Agent).where(Agent.id == agent_id))
    unit.note(Touched(agents=frozenset({agent_id})))


def delete_queue(unit: UnitOfWork, queue_id: int) -> None:
    """Delete a queue in which no call waits.

    Raises:
        RefusedError: a call waits in the queue.
    """
    waits = _under_way(Transfer.status == TransferStatus.WAITING).where(Transfer.queue_id == queue_id)
    if unit.connection.execute(waits.limit(1)).first() is not None:
        raise RefusedError("Calls wait in the queue. Delete the queue when no call waits.", code=ErrorCode.IN_PROGRESS)
    owner = select(Queue.user_id, _CHANGES_CALLS, Queue.outcome_required).where(Queue.id == queue_id)
    user_id, changes_calls, outcome_required = unit.connection.execute(owner).one()
    unit.connection.execute(delete(Queue).where(Queue.id == queue_id))
    unit.note(touched_queue(queue_id) | (hearers_of_music(unit.connection, user_id) if changes_calls else NOTHING))
    if outcome_required:
        free_of_needless_outcomes(unit, user_id)


def _under_way(condition: ColumnElement[bool]) -> Select[str]:
    """Return a query of the `offers` of transfers that meet a condition, in calls in progress."""
    query = select(Transfer.offers).join(CallRequest, CallRequest.id == Transfer.callrequest_id)
    return query.where(IS_CALLING, condition)
