"""The present activity of agents, as lists of agents show it."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import select

from dialer.console.parts.cells import Cell
from dialer.console.words.language import gettext
from dialer.console.words.state_words import words_of
from dialer.domain.queueing.activity import AgentClock
from dialer.domain.words.enums import AgentActivity
from dialer.resources.crud.resource import Unit
from dialer.store.queries.breaks import BREAK_LIMITS
from dialer.store.tables import Agent

_TONES: Final = {AgentActivity.AVAILABLE: "good", AgentActivity.TALKING: "busy", AgentActivity.ON_BREAK: "fair"}
_CLOCK: Final = [Agent.__table__.c[name] for name in AgentClock.__struct_fields__]


def cells_of_agents(unit: Unit, ids: Sequence[int]) -> list[Cell]:
    """Return a cell for each agent with the activity, marked if a break lasts too long."""
    query = select(Agent.id, BREAK_LIMITS.c.limit_s, *_CLOCK)
    query = query.outerjoin(BREAK_LIMITS, BREAK_LIMITS.c.agent_id == Agent.id).where(Agent.id.in_(ids))
    cells = {row[0]: _cell(AgentClock(*row[2:]), row[1] or 0, unit.now_ms) for row in unit.connection.execute(query)}
    return [cells[identity] for identity in ids]


def _cell(clock: AgentClock, limit_s: int, now_ms: int) -> Cell:
    activity = clock.activity(now_ms)
    if clock.break_exceeded_ms(limit_s, now_ms):
        return Cell(gettext("On a break, over the limit"), tone="bad")
    return Cell(words_of(activity), tone=_TONES.get(activity, ""))
