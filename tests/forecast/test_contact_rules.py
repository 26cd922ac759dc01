"""Tests that a forecast obeys contact rules as the service does, to the digest, and says what they cost."""

from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.words.contact_words import OFF, ON
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.spreads import CountSpread
from dialer.forecast.summary import HeldPeople
from dialer.forecast.what_if import NamedSetting, compare_settings
from dialer.sim.report import show_date
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, ContactWait, Gateway, SmsMessage
from tests.forecast.test_forecast import furnished, happened, open_house
from tests.runtime.house import ALL_ANSWER, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_law import FLORIDA, TEXAS, set_law
from tests.runtime.test_contact_rules import calling, rule
from tests.runtime.test_same_as_simulation import NUMBERS

Rules = list[dict[str, Any]]
RULES: Final[dict[str, Rules]] = {
    "a cap": [{"most": 2, "period": 1, "unit": "days"}],
    "a rest": [{"most": 0, "period": 30, "unit": "hours", "after": "conversation"}],
    "calendar days of two countries": [
        {"most": 1, "period": 2, "unit": "calendar_days", "country": "US"},
        {"most": 1, "period": 1, "unit": "calendar_days", "country": "DE"},
    ],
    "answers, and a limit of its own": [
        {"most": 1, "period": 1, "unit": "days", "counts": "answers"},
        {"most": 3, "period": 2, "unit": "days", "scope": "campaign"},
    ],
    "machines": [{"most": 0, "period": 20, "unit": "hours", "after": "machine"}],
}


async def with_history(folder: Path, rules: Rules, law: str = "") -> tuple[House, int]:
    """Build a service in which another campaign has called some of the people for three minutes, and a new campaign."""
    house = open_house(folder / "house", seed=3)
    campaign_id = furnished(house, amd_behavior=2, voicemail=True)
    other = house.campaign(1, house.phonebook(*NUMBERS[10:40]), frequency=10, end_when_done=False)
    await house.move(other, CampaignStatus.START)
    await house.advance(180)
    await house.move(other, CampaignStatus.PAUSE)
    await house.advance(180)
    for one in rules:
        rule(house, **one)
    if law:
        set_law(house, law)
    return house, campaign_id


async def forecast(house: House, campaign_id: int, **fields: Any) -> Any:  # noqa: ANN401 - fields of an order
    return await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", 1, 3, **fields))


@pytest.mark.parametrize("name", RULES)
async def test_the_run_of_a_seed_with_rules_equals_its_forecast(tmp_path: Path, name: str) -> None:
    """Forecast from before the start and under way, with calls of another campaign that count."""
    house, campaign_id = await with_history(tmp_path, RULES[name])
    (whole,) = (await forecast(house, campaign_id)).per_seed
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(97)
    midway = len([row for row in house.rows(Cdr) if row["campaign_id"] == campaign_id])
    (rest,) = (await forecast(house, campaign_id)).per_seed
    await house.advance(5 * 86_400)
    for foretold, before in ((whole, 0), (rest, midway)):
        found = happened(house, campaign_id, before)
        assert (foretold.digest, foretold.calls) == (found.digest, found.calls)
        assert (foretold.finish_date, foretold.stop_reason) == (found.finish_date, found.stop_reason)
    assert house.rows(ContactWait), "a rule has held somebody back"
    house.database.close()


async def test_a_forecast_says_what_each_rule_costs(house: House) -> None:
    """Two of three people were called today: one of them waits for a day, and both past the end of the campaign."""
    daily = rule(house, name="Daily", most=1, period=1, unit="days", country="US", state="FL")
    rule(house, name="Of others", most=1, period=1, unit="days", country="DE")
    calling(house, FLORIDA, TEXAS)
    await house.advance(60)
    campaign_id = house.campaign(
        house.survey({"type": 1, "script": "word"}),
        house.phonebook(FLORIDA, TEXAS, "+12145550101"),
        expirationdate=MONDAY_NOON_MS + 3 * DAY_MS,
    )
    three = rule(house, name="Three", most=1, period=3, unit="days")
    found = await forecast(house, campaign_id)
    one, two, none = (CountSpread(count, count, count) for count in (1, 2, 0))
    (first,) = [row["starting_date"] for row in house.rows(Cdr) if row["phone_number"] == FLORIDA]
    now_ms = house.now_ms()
    waited_s = CountSpread(*[(first + DAY_MS - now_ms) // 1_000] * 3)
    longer_s = CountSpread(*[(MONDAY_NOON_MS + 3 * DAY_MS - now_ms) // 1_000] * 3)
    assert found.held == (
        HeldPeople(f"/rest-api/contact-rule/{daily}/", "", "Daily", one, one, waited_s, none),
        HeldPeople(f"/rest-api/contact-rule/{three}/", "", "Three", two, two, longer_s, two),
    )
    assert (found.calls, found.stop_reasons[0].name) == (one, "expired"), "nobody is called but the third"


async def test_rows_of_law_are_rehearsed_if_that_is_asked(house: House) -> None:
    """Three campaigns of sales have called somebody in Florida today."""
    for _ in range(3):
        calling(house, FLORIDA, TEXAS, purpose="sales")
    await house.advance(60)
    numbers = house.phonebook(FLORIDA, TEXAS)
    campaign_id = house.campaign(house.survey({"type": 1, "script": "word"}), numbers, purpose="sales")

    async def costs(setting: str, *, asked: bool | None = None) -> tuple[list[str], bool]:
        set_law(house, setting)
        found = await forecast(house, campaign_id, obey_contact_rules=asked)
        return [one.row for one in found.held], "contact_rules" in found.rules_left_aside

    assert await costs("") == ([], False)
    assert await costs("", asked=True) == (["us-fl-cap"], False)
    assert await costs(ON) == (["us-fl-cap"], False)
    assert await costs(ON, asked=False) == ([], True)
    assert await costs(OFF, asked=True) == ([], False), "who has switched them off is asked nothing"


async def test_a_method_of_dialling_that_is_tried_has_its_own_rows_of_law(house: House) -> None:
    """A person who answered and found no agent rests in Britain, unless an agent is there for certain."""
    set_law(house, ON)
    queue_id = house.queue(max_wait_time=20)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey = house.survey({"type": 6, "script": "wait", "queue_id": queue_id})
    long = {"expirationdate": MONDAY_NOON_MS + 9 * DAY_MS, "end_when_done": False}
    first = house.campaign(survey, house.phonebook("+442079460000"), dial_method=1, **long)
    await house.move(first, CampaignStatus.START)
    await house.advance(60)
    campaign_id = house.campaign(survey, house.phonebook("+442079460000"), dial_method=2, **long)
    tried = [NamedSetting({}, TriedSetting({"dial_method": 1}))]
    found = await compare_settings(house.database, Order(campaign_id, house.now_ms(), "UTC", 1), tried)
    rows = [[one.row for one in each.held] for each in (found.present, found.settings[0].forecast)]
    assert rows == [[], ["gb-72h"]]


async def test_texts_of_a_campaign_obey_rules_in_its_forecast(house: House) -> None:
    gateway_id = house.add(Gateway, name="texts", medium=SMS)
    rule(house, most=1, period=1, unit="days", media="call text")
    calling(house, FLORIDA)
    await house.advance(30)
    texts = {"medium": SMS, "sms_gateway_id": gateway_id, "text_message": "Hello", "aleg_gateway_id": None}
    campaign_id = house.campaign(1, house.phonebook(FLORIDA, TEXAS), **texts)
    found = await forecast(house, campaign_id)
    assert (found.calls.p50, [one.people.p50 for one in found.held]) == (2, [1])
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(2 * 86_400)
    sent = [row["send_date"] for row in house.rows(SmsMessage)]
    (first,) = [row["started_ms"] for row in house.rows(CallRequest)]
    assert (len(sent), max(sent) - first) == (2, DAY_MS)
    assert found.finish_date.p50 == show_date(house.row(Campaign, campaign_id)["updated_date"])
