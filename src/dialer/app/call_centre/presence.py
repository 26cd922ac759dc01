"""Use cases of presence: desks that are seen open, and agents on duty whose desk was closed.

The moments are those of the machine, since a browser keeps no virtual time.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, select, update

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.presence import DESK_CLOSED_MS, NOT_WATCHED, has_left
from dialer.domain.words.enums import AgentStatus
from dialer.store.database.touched import NOTHING
from dialer.store.tables import Agent

SEEN_EVERY_MS: Final = 10_000
"""The time after which an open desk is noted again."""
AT_ONCE_MAX: Final = 500
"""Agents who are looked at in one unit of work."""
_IS_ON_DUTY: Final = Agent.status.in_(sorted(TAKES_CALLS))


def desks_to_note(connection: Connection, login_ids: Collection[int], machine_ms: int) -> list[int]:
    """Return the agents on duty among those who sign in as these users, whose open desk is to be noted."""
    query = select(Agent.id).where(Agent.login_id.in_(sorted(login_ids)), _IS_ON_DUTY)
    query = query.where(Agent.desk_seen_ms <= machine_ms - SEEN_EVERY_MS)
    return list(connection.scalars(query.order_by(Agent.id).limit(AT_ONCE_MAX)))


def agents_who_left(connection: Connection, login_ids: Collection[int], machine_ms: int) -> list[int]:
    """Return the agents on duty whose desk was open and is closed; those of `login_ids` have theirs open."""
    query = select(Agent.id, Agent.login_id, Agent.desk_seen_ms).where(_IS_ON_DUTY)
    query = query.where(Agent.desk_seen_ms > NOT_WATCHED, Agent.desk_seen_ms <= machine_ms - DESK_CLOSED_MS)
    rows = connection.execute(query.order_by(Agent.id).limit(AT_ONCE_MAX))
    return [row.id for row in rows if row.login_id not in login_ids and has_left(row.desk_seen_ms, machine_ms)]


def note_desks(unit: UnitOfWork, agent_ids: Collection[int], machine_ms: int) -> None:
    """Note that the desks of agents are open."""
    seen = update(Agent).where(Agent.id.in_(sorted(agent_ids)), _IS_ON_DUTY)
    unit.connection.execute(seen.values(desk_seen_ms=machine_ms))
    unit.note(NOTHING)


def leave_desk(unit: UnitOfWork, agent_id: int) -> None:
    """Send an agent on a break whose desk is closed; one who talks, when the call is over."""
    change_agent(unit, agent_id, {"status": AgentStatus.ON_BREAK, "break_reason": "", "is_desk_closed": True})
