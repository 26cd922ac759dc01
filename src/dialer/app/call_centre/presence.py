"""Use cases of presence: desks that are seen open, and agents on duty whose desk was closed.

The moments are those of the machine, since a browser keeps no virtual time.
"""

from collections.abc import Collection, Mapping
from typing import Final

from sqlalchemy import Connection, func, select, update

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.work.unit import UnitOfWork
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.queueing.presence import NOT_WATCHED
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.reasons import BreakCause
from dialer.store.database.touched import NOTHING
from dialer.store.tables import Agent

AT_ONCE_MAX: Final = 500
"""Agents who are looked at in one unit of work, those with the oldest notes."""
_CAUSE: Final = {"break_cause": BreakCause.DESK_CLOSED}
_IS_WATCHED: Final = Agent.status.in_(sorted(TAKES_CALLS)) & Agent.desk_watched
"""The condition that an agent is on duty, and goes on a break when the desk is closed."""


def desks_to_note(connection: Connection, login_ids: Collection[int]) -> list[int]:
    """Return the agents on duty whose desks these users have open: of agents with one login, the first."""
    shown = select(func.min(Agent.id)).where(Agent.login_id.in_(sorted(login_ids))).group_by(Agent.login_id)
    query = select(Agent.id).where(Agent.id.in_(shown), _IS_WATCHED)
    return list(connection.scalars(query.order_by(Agent.id)))


def notes_of_desks(connection: Connection) -> dict[int, int]:
    """Return the notes of the agents on duty who have opened a desk, by their ids, the oldest ones."""
    query = select(Agent.id, Agent.desk_seen_ms).where(_IS_WATCHED, Agent.desk_seen_ms > NOT_WATCHED)
    rows = connection.execute(query.order_by(Agent.desk_seen_ms, Agent.id).limit(AT_ONCE_MAX))
    return {row.id: row.desk_seen_ms for row in rows}


def note_desks(unit: UnitOfWork, agent_ids: Collection[int], machine_ms: int) -> None:
    """Note that the desks of agents are open."""
    seen = update(Agent).where(Agent.id.in_(sorted(agent_ids)), _IS_WATCHED)
    unit.connection.execute(seen.values(desk_seen_ms=machine_ms))
    unit.note(NOTHING)


def write_notes_again(unit: UnitOfWork, agent_ids: Collection[int]) -> None:
    """Write the notes of agents as they are. This fails if other processes can write none either."""
    notes = update(Agent).where(Agent.id.in_(sorted(agent_ids)))
    unit.connection.execute(notes.values(desk_seen_ms=Agent.desk_seen_ms))
    unit.note(NOTHING)


def leave_desks(unit: UnitOfWork, left: Mapping[int, int]) -> list[int]:
    """Send agents on a break whose desks are closed; those who talk, when the call is over.

    `left` has their notes by their ids. Return those who have not been noted anew meanwhile, and so go.
    """
    now = notes_of_desks(unit.connection)
    gone = [agent_id for agent_id, note_ms in sorted(left.items()) if now.get(agent_id) == note_ms]
    for agent_id in gone:
        change_agent(unit, agent_id, {"status": AgentStatus.ON_BREAK, "break_reason": "", **_CAUSE})
    return gone
