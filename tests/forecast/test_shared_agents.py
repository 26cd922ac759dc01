"""Tests of forecasts that name the running campaigns whose calls come to the same agents."""

from pathlib import Path

from dialer.app.campaigns.shared_agents import SharingCampaign
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.what_if import NamedSetting, compare_settings
from dialer.store.tables import Campaign, Queue, Tier
from tests.runtime.house import House


def campaign_for(house: House, queue_id: int, name: str, **columns: object) -> int:
    survey = house.survey({"type": 6, "script": "wait", "queue_id": queue_id})
    return house.campaign(survey, house.phonebook("+12025550150"), name=name, **columns)


async def test_running_campaigns_with_the_same_agents_are_named(tmp_path: Path) -> None:
    house = House(tmp_path, seed=3)
    sales, support, other = (house.add(Queue, user_id=house.user_id, name=name) for name in "abc")
    ann, ben = house.agent(name="Ann", status=2), house.agent(name="Ben", status=2)
    for queue_id, agent_id in ((sales, ann), (support, ann), (other, ben)):
        house.add(Tier, queue_id=queue_id, agent_id=agent_id)
    own = campaign_for(house, sales, "Sales")
    sharing = campaign_for(house, support, "Support")
    for queue_id, name in ((other, "Others"), (support, "Not yet")):
        campaign_for(house, queue_id, name)
    for identity in (sharing, sharing + 1):
        house.change(Campaign, identity, status=CampaignStatus.START)
    order = Order(own, house.now_ms(), "UTC", seeds=1)
    expected = (SharingCampaign(sharing, "Support"),)
    assert (await forecast_campaign(house.database, order)).agents_shared_with == expected
    outcome = await compare_settings(house.database, order, [NamedSetting({"agents": "2"}, TriedSetting(agents=2))])
    assert [one.agents_shared_with for one in (outcome.present, outcome.settings[0].forecast)] == [expected] * 2
