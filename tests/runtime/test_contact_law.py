"""Tests of rows of law at work: on real gateways, and on simulated ones where the setting says so."""

from typing import Any

import pytest

from dialer.domain.words.contact_words import OFF, ON
from dialer.store.database.service_state import ServiceSettings, save_settings
from dialer.store.queries.contact_rules import ruled_campaigns
from dialer.store.tables import Campaign, Gateway
from tests.runtime.house import House
from tests.runtime.test_contact_rules import calling, dialled, held

FLORIDA = "+13055550100"
TEXAS = "+12145550100"


def set_law(house: House, setting: str) -> None:
    """Start the service again with a value of DIALER_CONTACT_RULES."""
    settings = ServiceSettings("virtual", "UTC", None, "media", None, setting)
    house.database.write_now(lambda connection: save_settings(connection, settings, house.now_ms()))
    house.restart()


def rows_in_force(house: House, campaign_id: int) -> list[str]:
    found: Any = house.database.read_now(lambda connection: ruled_campaigns(connection, [campaign_id], "UTC"))
    return [rule.row for rule in found[campaign_id].rules] if found else []


@pytest.mark.parametrize(("setting", "calls"), [("", 4), (OFF, 4), (ON, 3)])
async def test_the_fourth_sales_call_of_a_day_to_florida_waits(house: House, setting: str, calls: int) -> None:
    set_law(house, setting)
    for _ in range(4):
        calling(house, FLORIDA, TEXAS, purpose="sales")
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), len(dialled(house, TEXAS))) == (calls, 4)
    assert [due for *_, due in held(house, FLORIDA)] == [dialled(house, FLORIDA)[0] + 1] * (4 - calls)


async def test_a_survey_is_bound_by_no_row_of_sales_and_a_campaign_that_does_not_say_by_all(house: House) -> None:
    set_law(house, ON)
    for _ in range(4):
        calling(house, FLORIDA, purpose="survey")
    await house.advance(60)
    assert len(dialled(house, FLORIDA)) == 4
    silent = [calling(house, FLORIDA) for _ in range(2)]
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), len(held(house, FLORIDA))) == (5, 1), "a talk may have been about a debt"
    assert {"us-fl-cap", "us-regf-rest"} <= set(rows_in_force(house, silent[0]))


@pytest.mark.parametrize(("setting", "is_held"), [("", True), (OFF, False), (ON, True)])
async def test_law_holds_on_a_real_gateway_unless_it_is_switched_off(
    house: House, setting: str, *, is_held: bool
) -> None:
    set_law(house, setting)
    campaign_id = calling(house, FLORIDA, purpose="sales")
    house.change(Campaign, campaign_id, status=2)
    assert rows_in_force(house, campaign_id) == (rows_in_force(house, campaign_id) if setting == ON else [])
    house.change(Gateway, house.gateway_id, protocol="sip")
    assert ("us-fl-cap" in rows_in_force(house, campaign_id)) is is_held
