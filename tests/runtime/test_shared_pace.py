"""Tests of campaigns with agents in common: one of them holds the others back only while its own calls are at risk."""

from typing import Any, Final

import pytest

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import AgentStatus, CampaignStatus
from dialer.store.tables import CallRequest
from tests.runtime.house import MONDAY_NOON_MS, House

NEIGHBOURS: Final[dict[str, dict[str, Any]]] = {
    "nobody to call": {"people": 0},
    "paused": {"status": CampaignStatus.PAUSE},
    "not yet begun": {"startingdate": MONDAY_NOON_MS + 3_600_000},
    "closed on this day": {"monday": False},
    "previews": {"dial_method": 4},
    "one call for each agent": {"dial_method": 2},
}
AHEAD: Final = {"dial_method": 2, "agent_dial_rate": 500_000}
"""Five calls for each idle agent, as far as the limit of abandoned calls allows."""


def numbers(first: int, count: int) -> list[str]:
    return [f"+1202555{number}" for number in range(first, first + count)]


async def calls_ahead(house: House, *, restarts: bool = False, **neighbour: Any) -> int:  # noqa: ANN401 - columns
    """Return the calls that a campaign places for two idle agents, beside a neighbour that may abandon none."""
    agents = [house.agent(status=AgentStatus.ON_BREAK) for _ in range(2)]
    survey = house.survey({"type": 6, "script": "wait", "queue_id": house.queue(*agents)})
    people, status = neighbour.pop("people", 9), neighbour.pop("status", CampaignStatus.START)
    campaign_id = await house.started(survey, house.phonebook(*numbers(1000, 30)), **AHEAD)
    other_book = house.phonebook(*numbers(2000, people))
    other_id = await house.started(survey, other_book, **{"dial_method": 3, "abandon_rate_max": 0} | neighbour)
    await house.move(other_id, status)

    def come(unit: UnitOfWork) -> None:
        for agent_id in agents:
            change_agent(unit, agent_id, {"status": AgentStatus.AVAILABLE})

    house.perform(come)
    if restarts:
        house.restart()
    await house.worker.settle()
    return sum(row["campaign_id"] == campaign_id for row in house.rows(CallRequest))


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("neighbour", NEIGHBOURS.values(), ids=NEIGHBOURS)
async def test_a_neighbour_that_calls_nobody_holds_nobody_back(
    house: House, neighbour: dict[str, Any], *, restarts: bool
) -> None:
    """Two calls are for the agents, and three may be abandoned."""
    assert await calls_ahead(house, restarts=restarts, **neighbour) == 5


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_neighbour_that_may_dial_and_has_no_credit_holds_others_back(house: House, *, restarts: bool) -> None:
    assert await calls_ahead(house, restarts=restarts) == 2
