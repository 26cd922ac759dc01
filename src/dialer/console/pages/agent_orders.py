"""Orders of supervisors to an agent: on the wall board, and on the page of the agent."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.break_reasons import break_reasons_of
from dialer.console.serving.forms import read_fields
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.roles import Permission
from dialer.resources.crud import records
from dialer.resources.crud.resource import Unit
from dialer.resources.records.queues import AGENTS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.tables import Agent

STATUSES: Final = {"in": AgentStatus.AVAILABLE, "out": AgentStatus.LOGGED_OUT, "break": AgentStatus.ON_BREAK}
"""The statuses that the buttons set."""
REASON_MAX: Final = 100
"""Characters of a reason that are read."""


class OrderedAgent(NamedTuple):
    """An agent who can be given orders."""

    id: int
    name: str
    status: int
    is_talking: bool
    break_reasons: list[str]
    """The reasons among which one chooses for a break; none if any text will do."""

    @property
    def is_on_break(self) -> bool:
        """Return whether the agent is on a break, or will be once the present call is over."""
        return self.status == AgentStatus.ON_BREAK

    @property
    def is_logged_out(self) -> bool:
        """Return whether the agent is logged out, or will be once the present call is over."""
        return self.status == AgentStatus.LOGGED_OUT


def may_order(request: ApiRequest) -> bool:
    """Return whether the viewer may give orders to agents."""
    return request.user.may(Permission.WORK)


def read_ordered_agent(unit: Unit, identity: int) -> OrderedAgent:
    """Return an agent that is visible to the viewer.

    Raises:
        RecordNotFoundError: there is no such agent, or the viewer may not see it.
    """
    records.require_seen(unit, AGENTS, identity)
    columns = (Agent.id, Agent.name, Agent.status, Agent.is_talking)
    row = unit.connection.execute(select(*columns).where(Agent.id == identity)).one()
    return OrderedAgent(row[0], row[1], row[2], row[3], break_reasons_of(unit.connection, identity))


def read_status(filled: Mapping[str, str]) -> tuple[AgentStatus, str]:
    """Return the status and the reason of a break that a form gives.

    Raises:
        RecordNotFoundError: the form has no such button.
    """
    status = STATUSES.get(filled.get("status", ""))
    if status is None:
        raise RecordNotFoundError("There is no such button.")
    reason = filled.get("reason", "").strip()[:REASON_MAX] if status is AgentStatus.ON_BREAK else ""
    return status, reason


async def obey(request: ApiRequest, identity: int) -> None:
    """Log an agent in or out, or send them on a break with a reason, as a form says.

    Raises:
        RecordNotFoundError: there is no such agent or button, or the viewer may not see the agent.
        InvalidFieldsError: the reason is none of those that the agent's queues have.
    """
    status, reason = read_status(await read_fields(request))

    def change(unit: Unit) -> None:
        records.require_seen(unit, AGENTS, identity)
        change_agent(unit, identity, {"status": status, "break_reason": reason}, unit.actor.id)

    await request.service.write(request, change)
