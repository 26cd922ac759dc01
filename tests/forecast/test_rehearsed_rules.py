"""Tests that a forecast obeys the calling hours if it is asked to, and says which rules it obeys."""

from pathlib import Path

import pytest

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.forecast.rehearsed_rules import RehearsedRule
from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.what_if import NamedSetting, compare_settings
from dialer.sim.report import show_date
from dialer.store.tables import ContactRule, Gateway
from tests.forecast.test_forecast import open_house
from tests.runtime.house import ALL_ANSWER

HOURS = (RehearsedRule.CALLING_HOURS, RehearsedRule.COUNTRY_HOURS)


@pytest.mark.parametrize(
    ("service_hours", "asked", "are_obeyed"),
    [
        (None, None, False),
        (None, False, False),
        (None, True, True),
        ("08:00-20:00", None, True),
        ("08:00-20:00", False, False),
        ("off", True, False),
    ],
)
async def test_it_says_which_rules_it_obeys(
    tmp_path: Path,
    service_hours: str | None,
    asked: bool | None,  # noqa: FBT001 - three cases
    are_obeyed: bool,  # noqa: FBT001
) -> None:
    """It is noon in UTC, and 07:00 at the callees, where nobody may be called before 08:00."""
    house = open_house(tmp_path / "house")
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "hello"})
    campaign_id = house.campaign(survey_id, house.phonebook("+12025550101", "+12025550102"))
    order = Order(campaign_id, house.now_ms(), "UTC", 1, calling_hours=service_hours, obey_calling_hours=asked)
    found = await forecast_campaign(house.database, order)
    assert found.per_hour[0].hour == show_date((house.now_ms() // HOUR_MS + are_obeyed) * HOUR_MS)
    assert (found.rules_obeyed[-2:] == HOURS, found.rules_left_aside) == (are_obeyed, () if are_obeyed else HOURS)
    tried = [NamedSetting({}, TriedSetting()), NamedSetting({}, TriedSetting(obey_calling_hours=not are_obeyed))]
    compared = await compare_settings(house.database, order, tried)
    same, other = (one.forecast.rules_left_aside for one in compared.settings)
    assert compared.present == found
    assert (same, other) == (found.rules_left_aside, HOURS if are_obeyed or service_hours == "off" else ())
    house.database.close()


async def test_a_forecast_without_a_limit_of_money_says_so(tmp_path: Path) -> None:
    house = open_house(tmp_path / "house")
    campaign_id = house.campaign(house.survey({"type": 1, "script": "hello"}), house.phonebook("+12025550101"))
    found = await forecast_campaign(house.database, Order(campaign_id, house.now_ms(), "UTC", 1, is_rich=True))
    assert found.rules_left_aside == (RehearsedRule.BALANCE, *HOURS)
    house.database.close()


async def test_contact_rules_are_obeyed_where_one_binds_the_campaign(tmp_path: Path) -> None:
    house = open_house(tmp_path / "house")
    campaign_id = house.campaign(house.survey({"type": 1, "script": "hello"}), house.phonebook("+12025550101"))
    order = Order(campaign_id, house.now_ms(), "UTC", 1)
    before = await forecast_campaign(house.database, order)
    house.add(ContactRule, user_id=house.user_id, name="rule", most=1, period=1, unit="days")
    after = await forecast_campaign(house.database, order)
    assert (before.rules_left_aside, after.rules_left_aside) == (HOURS, HOURS)
    assert after.rules_obeyed == (*before.rules_obeyed, RehearsedRule.CONTACT_RULES)
    house.database.close()
