"""Tests of the measured figures of campaigns that end and go on: they count all calls, whatever the engine forgot."""

from typing import Any, Final

import msgspec
import pytest

from dialer.domain.pacing.inputs import PacingFigures, PeriodFigures
from dialer.domain.words.enums import CampaignStatus
from dialer.store.queries.load_engine import figures_of
from dialer.store.tables import Campaign
from tests.runtime.house import MONDAY_NOON_MS, House
from tests.runtime.test_call_backs import call_back
from tests.runtime.test_queues import waiting
from tests.runtime.test_same_agent import BEHAVIOUR, PEOPLE, SHORT

MONTH_MS: Final = 720 * 3_600_000
WITHIN: Final[dict[str, Any]] = {"dial_method": 3, "is_completed": True}


def counts(house: House, campaign_id: int) -> tuple[int, int, list[PeriodFigures]]:
    """Return the dialled and the answered calls of a campaign, and its periods, as they are stored."""
    figures = figures_of(house.row(Campaign, campaign_id)["pacing_figures"])
    return figures.dialled, figures.answered, figures.periods


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_campaign_that_a_call_back_opens_again_counts_on(house: House, *, restarts: bool) -> None:
    queue_id = house.queue(house.agent(parameters=SHORT))
    campaign_id = await waiting(house, queue_id, PEOPLE[0], behaviour=BEHAVIOUR, **WITHIN)
    await house.advance(120)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    period = PeriodFigures(MONDAY_NOON_MS, 1, until_ms=MONDAY_NOON_MS + MONTH_MS)
    assert counts(house, campaign_id) == (1, 1, [period])
    call_back(house, 1, house.now_ms() + 600_000)
    if restarts:
        house.restart()
    await house.advance(800)
    assert counts(house, campaign_id) == (2, 2, [msgspec.structs.replace(period, answered=2)])


@pytest.mark.parametrize("restarts", [False, True])
async def test_calls_that_go_on_after_the_end_of_their_campaign_count(house: House, *, restarts: bool) -> None:
    """The call is answered after the end, and the figures from before are kept as well."""
    queue_id = house.queue(house.agent(parameters=SHORT))
    campaign_id = await waiting(house, queue_id, PEOPLE[0], behaviour=BEHAVIOUR, **WITHIN)
    before = PeriodFigures(MONDAY_NOON_MS, 40, 1, MONDAY_NOON_MS + MONTH_MS)
    stored = msgspec.json.encode(PacingFigures(dialled=90, answered=40, abandoned=1, periods=[before])).decode()
    await house.move(campaign_id, CampaignStatus.END)
    if restarts:
        house.change(Campaign, campaign_id, pacing_figures=stored)
        house.restart()
    await house.advance(120)
    if restarts:
        assert counts(house, campaign_id) == (90, 41, [msgspec.structs.replace(before, answered=41)])
    else:
        assert counts(house, campaign_id) == (1, 1, [PeriodFigures(MONDAY_NOON_MS, 1, until_ms=before.until_ms)])
