"""Tests that the seed of a forecast decides the future only: calls in progress keep the fate of the service's seed."""

from pathlib import Path

import pytest

from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import ignore_progress, run_seeds, staged
from dialer.forecast.parameters import Order
from dialer.store.tables import Campaign, Cdr, Gateway
from tests.runtime.house import House

NUMBERS = [f"+120255502{place:02d}" for place in range(12)]
PARAMETERS = (
    '{"answer": 0.8, "machine": 0.1, "ring": [2, 9], "patience": [20, 90], "talk": [10, 60],'
    ' "keys": {"1": 0.8, "": 0.2}, "listen": 0.9}'
)


def furnished(folder: Path) -> tuple[House, int]:
    """Build a service with seed 1 whose one agent serves a queue for which many calls wait."""
    house = House(folder, seed=1)
    house.change(Gateway, house.gateway_id, parameters=PARAMETERS)
    queue_id = house.queue(house.agent(parameters='{"answer": [1, 4]}'), max_wait_time=60)
    sections = [
        {"type": 2, "script": "press one", "key_1": "desk"},
        {"type": 6, "script": "wait", "queue_id": queue_id},
    ]
    survey_id = house.survey(*sections, branches={0: {"1": 1}})
    return house, house.campaign(survey_id, house.phonebook(*NUMBERS), frequency=600)


@pytest.mark.parametrize("seconds", [1.5, 8, 20, 45])
async def test_calls_in_progress_end_as_they_do_in_the_service(tmp_path: Path, seconds: float) -> None:
    """Everybody has been called by then, and nobody is called again. So all seeds have the same future."""
    house, campaign_id = furnished(tmp_path)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(seconds)
    before = len(house.rows(Cdr))
    assert len(house.rows(Cdr)) < house.row(Campaign, campaign_id)["calls"] == len(NUMBERS)
    stage, _ = staged(house.database, Order(campaign_id, house.now_ms(), "UTC", service_seed=1))
    (runs,) = run_seeds([stage], range(6), 1, ignore_progress)
    await house.advance(3_600)
    happened = house.rows(Cdr)[before:]
    assert {run.counters.cost for run in runs} == {sum(cdr["call_cost"] for cdr in happened)}
    assert len({(run.counters, run.stop, tuple(run.hours), run.calls_in_progress_peak) for run in runs}) == 1
    assert all(run.answers == runs[0].answers for run in runs)
    house.database.close()
