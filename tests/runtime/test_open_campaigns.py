"""Tests of campaigns that stay open when nobody is left to call, on a real database."""

from dialer.app.campaigns.change import change_campaign
from dialer.app.contacts.contacts import add_contact
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order
from dialer.store.tables import Campaign, Cdr, Gateway
from tests.runtime.house import ALL_ANSWER, MONDAY_NOON_MS, House

FIRST, LATE = "+12025550101", "+12025550102"
HELLO = {"type": 1, "script": "hello"}


def state(house: House, campaign_id: int) -> tuple[int, str]:
    row = house.row(Campaign, campaign_id)
    return row["status"], row["status_reason"]


def called(house: House) -> list[str]:
    return [cdr["phone_number"] for cdr in house.rows(Cdr)]


async def opened(house: House) -> tuple[int, int]:
    """Start a campaign that stays open, and let it call its only contact. Return its id, and that of its phonebook."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    book = house.phonebook(FIRST)
    campaign_id = await house.started(house.survey(HELLO), book, end_when_done=False)
    await house.advance(600)
    return campaign_id, book


async def test_a_campaign_that_stays_open_calls_late_contacts_and_ends_at_its_expiration(house: House) -> None:
    campaign_id, book = await opened(house)
    assert (state(house, campaign_id), called(house)) == ((CampaignStatus.START, ""), [FIRST])
    values = {"phonebook_id": book, "contact": LATE, "number": LATE, "zone": "UTC", "user_id": house.user_id}
    dates = {"created_date": MONDAY_NOON_MS, "updated_date": MONDAY_NOON_MS}
    house.perform(lambda unit: add_contact(unit, {**values, **dates}))
    await house.advance(600)
    assert called(house) == [FIRST, LATE]
    await house.advance(10 * 86_400)
    assert state(house, campaign_id) == (CampaignStatus.END, "expired")


async def test_a_campaign_ends_at_once_if_it_need_not_stay_open_any_more(house: House) -> None:
    campaign_id, _ = await opened(house)
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"end_when_done": True}))
    await house.advance(1)
    assert state(house, campaign_id) == (CampaignStatus.END, "completed")


async def test_a_forecast_of_a_campaign_that_stays_open_says_when_its_last_call_ends(house: House) -> None:
    book = house.phonebook(FIRST)
    campaign_id = house.campaign(house.survey(HELLO), book, end_when_done=False)
    foretold = await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", 2, 0))
    assert [one.name for one in foretold.stop_reasons] == ["completed"]
