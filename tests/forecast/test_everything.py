"""Tests of a forecast with queues, agents, transfers, texts, recordings and callees who call back."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.billing.money import format_money
from dialer.domain.figures.digest import cdr_digest
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order
from dialer.forecast.summary import Forecast
from dialer.sim.report import show_date
from dialer.store.queries.survey_results import count_answers
from dialer.store.tables import (
    SMS,
    Agent,
    CallBack,
    CallerId,
    CallerIdGroup,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    Did,
    Gateway,
    Queue,
    RateCardLine,
    SmsMessage,
    Tier,
    Transfer,
    User,
)
from tests.runtime.house import CENTS, House

NUMBERS: Final = [f"+1202555{place:04d}" for place in range(150, 290)]
PARAMETERS: Final = (
    '{"answer": 0.8, "machine": 0.1, "busy": 0.1, "ring": [4, 9], "listen": 0.9, "patience": [3, 30],'
    ' "call_back": 0.5, "call_back_after": [60, 900]}'
)
FRIEND: Final = "+12025550002"
"""The number to which every second callee's text is sent. It is on the do-not-call list."""
SECTIONS: Final[list[dict[str, Any]]] = [
    {"type": 2, "script": "press one or two", "key_1": "desk", "key_2": "boss"},
    {"type": 6, "script": "wait", "completed": True},
    {"type": 6, "script": "wait", "phonenumber": "+12025550001"},
    {"type": 10, "script": "you get a text", "sms_text": "Hello {first_name}"},
    {"type": 5, "script": "say something"},
    {"type": 8, "script": "all together", "conference": "1"},
]
BRANCHES: Final[dict[int, dict[str, int | None]]] = {
    0: {"1": 1, "2": 2, "timeout": 3},
    1: {"timeout": 4},
    3: {"0": 4},
    4: {"0": 5},
}


def furnished(folder: Path, dial_method: int) -> tuple[House, int]:
    """Build a service with two agents who serve a queue, and a new campaign."""
    house = House(folder, seed=3)
    house.change(Gateway, house.gateway_id, max_channels=20, max_cps=2, parameters=PARAMETERS)
    house.change(User, house.user_id, sms_rate=3 * CENTS)
    queue_id = house.add(Queue, user_id=house.user_id, name="desk", strategy=1, max_wait_time=15)
    for place in range(2):
        talk = f'{{"talk": [40, {90 + place}], "answer": [1, 4]}}'
        agent = {"name": "agent", "status": 2, "wrap_up_time": 5, "parameters": talk}
        house.add(Tier, queue_id=queue_id, agent_id=house.add(Agent, user_id=house.user_id, **agent), position=place)
    group_id = house.add(CallerIdGroup, name="numbers")
    for number in ("+12025550777", "+12025550778"):
        house.add(CallerId, callerid_group_id=group_id, areacode="*", callerid_num=number, user_id=house.user_id)
    sections = [{**section, "queue_id": queue_id} if place == 1 else section for place, section in enumerate(SECTIONS)]
    campaign_id = house.campaign(
        house.survey(*sections, branches=BRANCHES),
        house.phonebook(*NUMBERS),
        dial_method=dial_method,
        callerid_group_id=group_id,
        sms_gateway_id=house.add(Gateway, medium=SMS, name="texts", max_cps=1),
        dnc_id=house.dnc_list(NUMBERS[7], FRIEND),
        maxretry=1,
        intervalretry=120,
        max_xfer=8,
    )
    card = {"rate": 3 * CENTS, "connection_fee": 7, "first_increment": 30, "next_increment": 6}
    house.add(RateCardLine, user_id=house.user_id, prefix="120255500", **card)
    house.change(User, house.user_id, rate_card_version=1)
    for contact_id in range(1, len(NUMBERS), 2):
        house.change(Contact, contact_id, additional_vars=f'{{"sms_phonenumber": "{FRIEND}"}}')
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550777", campaign_id=campaign_id)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550778")
    return house, campaign_id


async def forecast(house: House, campaign_id: int) -> Forecast:
    return await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", 1, 3))


def rest_of_life(house: House, campaign_id: int, cdrs_before: int, cost_before: int) -> dict[str, Any]:
    """Return the campaign's figures since a moment, with its inbound calls and its B-legs."""
    row = house.row(Campaign, campaign_id)
    cdrs = [
        {**cdr, "starting_date": show_date(cdr["starting_date"]), "call_cost": format_money(cdr["call_cost"])}
        for cdr in house.rows(Cdr)
        if cdr["id"] > cdrs_before and cdr["campaign_id"] == campaign_id
    ]
    return {
        "digest": cdr_digest(cdrs),
        "cost": format_money(row["cost"] - cost_before),
        "finish_date": show_date(row["updated_date"]),
        "stop_reason": row["status_reason"],
    }


UNDER_WAY: Final = (100.25, 181, 600)
"""Seconds between moments at which calls of every kind are in progress."""


@pytest.mark.parametrize(("dial_method", "moments"), [(1, UNDER_WAY), (2, UNDER_WAY), (3, UNDER_WAY)])
async def test_the_campaign_runs_as_it_is_forecast(
    tmp_path: Path, dial_method: int, moments: tuple[float, ...]
) -> None:
    """Compare forecasts from the start and from later moments.

    Predictive campaigns are forecast from the start only. The engine asks a predictive strategy whenever it loads the
    campaign, which a copy does at its beginning, and the strategy may then dial at another moment.
    """
    house, campaign_id = furnished(tmp_path, dial_method)
    forecasts = [(await forecast(house, campaign_id), 0, 0)]
    await house.move(campaign_id, CampaignStatus.START)
    for seconds in moments:
        await house.advance(seconds)
        cost = house.row(Campaign, campaign_id)["cost"]
        forecasts.append((await forecast(house, campaign_id), len(house.rows(Cdr)), cost))
    await house.advance(3 * 86_400)
    for foretold, cdrs_before, cost_before in forecasts:
        found = rest_of_life(house, campaign_id, cdrs_before, cost_before)
        assert {name: getattr(foretold.per_seed[0], name) for name in found} == found
    whole = forecasts[0][0]
    row = house.row(Campaign, campaign_id)
    percent = round(100 * row["abandoned"] / row["live_answered"], 5)
    assert (whole.calls.p50, whole.answered.p50, whole.completed.p50, whole.abandoned_percent.p50) == (
        row["calls"],
        row["answered"],
        row["completed"],
        percent,
    )
    counted = house.database.read_now(lambda connection: count_answers(connection, campaign_id))
    assert {
        section.section_id: {each.answer: each.count.p50 for each in section.answers} for section in whole.sections
    } == {key: {each.response: each.count for each in found.answers} for key, found in counted.items()}
    house.database.close()


async def test_the_example_has_something_of_everything(tmp_path: Path) -> None:
    """Without that the test above would prove little."""
    house, campaign_id = furnished(tmp_path, 1)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(281.25)
    assert any(row["ended_ms"] is None for row in house.rows(CallRequest))
    assert any(row["ended_ms"] is None for row in house.rows(Transfer))
    assert any(row["queue_id"] and row["score_from_ms"] and row["answered_ms"] is None for row in house.rows(Transfer))
    assert house.rows(CallBack)
    await house.advance(86_400)
    legs = {row["leg_type"] for row in house.rows(Cdr)}
    came_in = [row["did_id"] for row in house.rows(CallRequest) if row["did_id"] is not None]
    assert (legs, bool(came_in), bool(house.rows(SmsMessage))) == ({1, 2}, True, True)
    assert {row["campaign_id"] for row in house.rows(Cdr)} == {campaign_id, None}
    assert house.row(Campaign, campaign_id)["abandoned"] > 0
    house.database.close()


async def test_agents_of_another_account_and_of_other_queues_change_nothing(tmp_path: Path) -> None:
    """The forecast of a campaign stays the same to the last figure, whatever others do with their agents and queues."""
    house, campaign_id = furnished(tmp_path, 1)
    alone = await forecast(house, campaign_id)
    assert alone.queues is not None
    rival_id = house.add(
        User, **{**house.row(User, house.user_id), "id": None, "username": "rival", "username_key": "rival"}
    )
    house.agent(user_id=rival_id)
    house.change(Queue, house.queue(house.agent(user_id=rival_id, wrap_up_time=600)), user_id=rival_id)
    house.queue(house.agent())
    assert await forecast(house, campaign_id) == alone
    house.database.close()
