"""Tests of rows of law at work: on real gateways, and on simulated ones where the setting says so."""

from functools import partial
from typing import Any

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import change_campaign
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.carriers.gateways import change_gateway
from dialer.app.contacts.contact_rules import change_rule, refusal_said
from dialer.domain.calls.plans import SIMULATED, VOICE, GatewayKey
from dialer.domain.words.contact_words import OFF, ON
from dialer.domain.words.enums import AgentDisposition, CampaignStatus
from dialer.store.database.service_state import ServiceSettings, save_settings
from dialer.store.journal.contact_history import ContactHistory
from dialer.store.queries.contact_rules import ruled_campaigns
from dialer.store.queries.law_switch import LAW_SWITCH
from dialer.store.rows.law_rules import keep_law_rows
from dialer.store.tables import SMS, CallRequest, Campaign, ContactRule, Gateway, SmsMessage
from tests.runtime.house import ALL_ANSWER, AS_REAL, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_rules import calling, dialled, held, rule, start
from tests.runtime.test_proofs_judged import judged

FLORIDA = "+13055550100"
TEXAS = "+12145550100"
MIAMI = "+13055550101"
SEATTLE = "+12065550100"
PARIS = "+33142345601"
SAN_JUAN = "+17875550100"
ALL_BUSY = '{"answer": 0, "machine": 0, "busy": 1, "rejected": 0, "invalid": 0, "ring": 4}'


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


async def test_a_process_dials_past_law_only_if_it_was_itself_started_so(house: House) -> None:
    """Another process stores `off`. This one has not been told to answer for it, so law holds on."""
    campaign_id = calling(house, FLORIDA, purpose="sales")
    house.change(Campaign, campaign_id, status=2)
    house.change(Gateway, house.gateway_id, protocol="sip")
    set_law(house, OFF)
    with LAW_SWITCH.stated(""):
        assert "us-fl-cap" in rows_in_force(house, campaign_id)
    with LAW_SWITCH.stated(OFF):
        assert rows_in_force(house, campaign_id) == []


async def test_a_setting_that_another_process_stores_holds_for_campaigns_that_run(house: House) -> None:
    calling(house, FLORIDA, purpose="sales", maxretry=0)
    await house.advance(60)
    for _ in range(3):
        calling(house, FLORIDA, purpose="sales", startingdate=house.now_ms() + 600_000)
    await house.advance(60)
    settings = ServiceSettings("virtual", "UTC", None, "media", None, ON)
    house.database.write_now(lambda connection: save_settings(connection, settings, house.now_ms()))
    await house.advance(1_200)
    assert (len(dialled(house, FLORIDA)), len(held(house, FLORIDA))) == (3, 1)


async def test_a_row_that_is_switched_off_lets_people_go_at_once_and_holds_them_again_when_it_is_on(
    house: House,
) -> None:
    """It does so for the campaigns of all accounts, and the archive of a campaign says who has switched it."""
    set_law(house, ON)
    house.database.write_now(lambda connection: keep_law_rows(connection, house.now_ms()))
    (row_id,) = (row["id"] for row in house.rows(ContactRule) if row["row"] == "us-fl-cap")

    def switch(*, enabled: bool) -> None:
        columns = {"enabled": enabled, "switched_by": "root", "switched_date": house.now_ms()}
        house.perform(lambda unit: change_rule(unit, row_id, columns))

    campaigns = [calling(house, FLORIDA, purpose="sales") for _ in range(4)]
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), len(held(house, FLORIDA))) == (3, 1)
    switch(enabled=False)
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), held(house, FLORIDA)) == (4, [])
    judges = [judged(house, campaign_id) for campaign_id in campaigns]
    assert [judge.complaints() for judge in judges] == [[], [], [], []]
    (shown,) = (one for one in judges[0].members["rules"] if one["row"] == "us-fl-cap")
    assert (shown["is_on"], shown["binds"], shown["switched_by"]) == (False, False, "root")
    assert shown["switched_date"] == "2026-03-02T12:01:00Z"
    switch(enabled=True)
    calling(house, FLORIDA, purpose="sales")
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), len(held(house, FLORIDA))) == (4, 1)
    house.restart()
    await house.advance(60)
    assert len(held(house, FLORIDA)) == 1


async def test_a_gateway_for_texts_of_the_same_number_is_another_one(house: House) -> None:
    house.add(Gateway, id=house.gateway_id, name="texts", medium=SMS, protocol="http")
    campaign_id = calling(house, FLORIDA, purpose="sales")
    assert rows_in_force(house, campaign_id) == []


async def test_what_was_rehearsed_holds_no_real_person_back(house: House) -> None:
    """Four rehearsed sales calls, and one rehearsed text, and then real calls: law and rule count the real ones."""
    for _ in range(4):
        calling(house, FLORIDA, purpose="sales")
    texts = house.add(Gateway, name="texts", medium=SMS)
    values = {"medium": SMS, "aleg_gateway_id": None, "sms_gateway_id": texts, "text_message": "Hello"}
    start(house, house.campaign(0, house.phonebook(FLORIDA), **values))
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), len(house.rows(SmsMessage))) == (4, 1)
    rule(house, most=2, period=7, unit="days", media="call text")
    house.callerid = "+13055550199"
    house.call_at_any_hour()
    real = {"aleg_gateway_id": house.add(Gateway, name="trunk", **AS_REAL), "purpose": "sales"}
    for _ in range(3):
        calling(house, FLORIDA, **real)
    await house.advance(60)
    assert len(dialled(house, FLORIDA)) == 6
    assert [due for *_, due in held(house, FLORIDA)] == [dialled(house, FLORIDA)[4] + 7]
    assert house.worker.figures().broken == {}, "the guard counts as the rule does"


async def test_what_was_rehearsed_holds_nobody_back_after_its_campaign_was_deleted(house: House) -> None:
    """Its gateway tells that it was a rehearsal. The calls of a deleted campaign on a real one count on."""
    house.callerid = "+13055550199"
    house.call_at_any_hour()
    real = {"aleg_gateway_id": house.add(Gateway, name="trunk", **AS_REAL)}
    rehearsal, earlier = calling(house, FLORIDA), calling(house, TEXAS, **real)
    await house.advance(60)
    for campaign_id in (rehearsal, earlier):
        await house.move(campaign_id, CampaignStatus.ABORT)
        await house.advance(60)
        house.perform(partial(delete_campaign, campaign_id=campaign_id))
    await house.worker.settle()
    rule(house, most=1, period=7, unit="days")
    survey = house.survey({"type": 1, "script": "word"})
    start(house, house.campaign(survey, house.phonebook(FLORIDA, TEXAS), **real))
    await house.advance(60)
    assert (len(house.rows(CallRequest)), len(held(house, FLORIDA)), len(held(house, TEXAS))) == (1, 0, 1)


async def test_a_real_call_of_a_deleted_campaign_counts_after_its_gateway_was_made_a_simulated_one(
    house: House,
) -> None:
    house.callerid = "+13055550199"
    house.call_at_any_hour()
    trunk = house.add(Gateway, name="trunk", **AS_REAL)
    earlier = calling(house, TEXAS, aleg_gateway_id=trunk)
    await house.advance(60)
    await house.move(earlier, CampaignStatus.ABORT)
    await house.advance(60)
    house.perform(partial(delete_campaign, campaign_id=earlier))
    key, simulated = GatewayKey(VOICE, trunk), {"protocol": SIMULATED, "parameters": ALL_ANSWER}
    house.perform(partial(change_gateway, gateway=key, values=simulated))
    await house.worker.settle()
    rule(house, most=1, period=7, unit="days")
    calling(house, TEXAS, aleg_gateway_id=house.add(Gateway, name="another", **AS_REAL))
    await house.advance(60)
    assert (len(dialled(house, TEXAS)), len(held(house, TEXAS))) == (0, 1)


async def test_a_refusal_that_an_agent_notes_later_holds_back_who_was_read_before_it(house: House) -> None:
    set_law(house, ON)
    calling(house, SEATTLE, purpose="sales")
    await house.advance(30)
    calling(house, TEXAS, SEATTLE, purpose="sales", frequency=1)
    await house.advance(15)
    (call,) = (row["id"] for row in house.rows(CallRequest) if row["phone_number"] == SEATTLE)
    given = Disposed(AgentDisposition.NOT_INTERESTED, "")
    house.perform(lambda unit: dispose_of_call(unit, call, given))
    await house.advance(120)
    assert (len(dialled(house, TEXAS)), len(dialled(house, SEATTLE)), len(held(house, SEATTLE))) == (1, 1, 1)


@pytest.mark.parametrize(("setting", "is_read_anew"), [("", False), (ON, True)])
async def test_a_refusal_has_campaigns_read_anew_only_where_law_holds(
    house: House, setting: str, *, is_read_anew: bool
) -> None:
    set_law(house, setting)
    calling(house, SEATTLE, purpose="sales", maxretry=0)
    await house.advance(60)
    waiting = calling(house, SEATTLE, purpose="sales", startingdate=house.now_ms() + 600_000)
    (call,) = (row["id"] for row in house.rows(CallRequest))
    user_id = house.row(Campaign, waiting)["user_id"]
    assert house.row(CallRequest, call)["user_id"] == user_id
    touched = house.perform(lambda unit: refusal_said(unit, user_id, SEATTLE, is_taken_back=False))
    assert (waiting in touched.campaigns) is is_read_anew


async def test_a_rehearsed_call_in_progress_holds_no_real_person_back(house: House) -> None:
    rule(house, most=0, period=7, unit="days", after="conversation")
    house.callerid = "+13055550199"
    house.call_at_any_hour()
    calling(house, FLORIDA)
    trunk = house.add(Gateway, name="trunk", **AS_REAL)
    long = house.survey({"type": 1, "script": "word " * 150})
    start(house, house.campaign(long, house.phonebook(TEXAS)))
    await house.advance(10)
    calling(house, TEXAS, aleg_gateway_id=trunk)
    await house.advance(10)
    assert (len(dialled(house, TEXAS)), held(house, TEXAS)) == (2, [])


async def test_a_rehearsal_counts_what_happened_to_real_people_and_what_was_rehearsed(house: House) -> None:
    rule(house, most=2, period=7, unit="days")
    house.callerid = "+13055550199"
    house.call_at_any_hour()
    calling(house, TEXAS, aleg_gateway_id=house.add(Gateway, name="trunk", **AS_REAL))
    calling(house, TEXAS)
    await house.advance(60)
    calling(house, TEXAS)
    await house.advance(60)
    assert (len(dialled(house, TEXAS)), len(held(house, TEXAS))) == (2, 1)


async def test_a_purpose_that_changes_counts_in_the_campaigns_that_have_read_their_people(house: House) -> None:
    set_law(house, ON)
    surveys = [calling(house, FLORIDA, purpose="survey") for _ in range(3)]
    await house.advance(30)
    calling(house, TEXAS, FLORIDA, purpose="sales", frequency=1)
    await house.advance(15)
    for campaign_id in surveys:
        house.perform(partial(change_campaign, campaign_id=campaign_id, values={"purpose": "sales"}))
    await house.advance(120)
    assert (len(dialled(house, TEXAS)), len(dialled(house, FLORIDA)), len(held(house, FLORIDA))) == (1, 3, 1)
    assert house.worker.figures().broken == {}


@pytest.mark.parametrize(
    ("number", "purpose", "limit"), [(FLORIDA, "sales", 3), (PARIS, "sales", 4), (TEXAS, "debt", 7)]
)
async def test_the_guard_stops_an_engine_that_calls_past_a_row_of_law(
    house: House, monkeypatch: pytest.MonkeyPatch, number: str, purpose: str, limit: int
) -> None:
    set_law(house, ON)
    monkeypatch.setattr(ContactHistory, "judged", lambda *_: ())
    for _ in range(limit):
        calling(house, number, purpose=purpose)
    calling(house, number, purpose="survey")
    await house.advance(60)
    assert (len(dialled(house, number)), house.worker.figures().broken) == (limit + 1, {})
    last = calling(house, number, purpose=purpose)
    await house.advance(60)
    assert (house.row(Campaign, last)["status_reason"], len(dialled(house, number))) == ("invariant", limit + 1)


async def test_the_guard_leaves_out_calls_of_trials_which_no_rule_binds(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_law(house, ON)
    monkeypatch.setattr(ContactHistory, "judged", lambda *_: ())
    first = calling(house, FLORIDA, purpose="sales")
    calling(house, FLORIDA, purpose="sales", trial_of_id=first)
    await house.advance(60)
    last = [calling(house, FLORIDA, purpose="sales") for _ in range(2)]
    await house.advance(60)
    assert (len(dialled(house, FLORIDA)), house.worker.figures().broken) == (4, {})
    assert [house.row(Campaign, campaign_id)["status_reason"] for campaign_id in last] == ["", ""]


async def test_a_call_back_that_somebody_agreed_to_is_made_at_its_time_and_counts(house: House) -> None:
    """Two people who owe are called. One agrees to a call in two days; the other one rests for seven."""
    set_law(house, ON)
    calling(house, FLORIDA, TEXAS, purpose="debt")
    await house.advance(60)
    (call,) = (row["id"] for row in house.rows(CallRequest) if row["phone_number"] == FLORIDA)
    given = Disposed(AgentDisposition.CALL_BACK, "", MONDAY_NOON_MS + 2 * DAY_MS)
    house.perform(lambda unit: dispose_of_call(unit, call, given))
    calling(house, FLORIDA, TEXAS, purpose="debt")
    await house.advance(8 * 86_400)
    assert (dialled(house, FLORIDA)[1:], len(dialled(house, TEXAS))) == ([2], 2)
    assert [due for *_, due in held(house, FLORIDA)] == [8 + 16 / 24], (
        "seven days, of which that of the second talk is one"
    )


async def test_whoever_takes_back_a_call_back_that_was_tried_rests_although_they_were_read_before_it(
    house: House,
) -> None:
    """Two call-backs find the line busy, and are tried again. The second is taken back when the first is dialled."""
    set_law(house, ON)
    campaign_id = calling(house, FLORIDA, MIAMI, purpose="debt", maxretry=2, intervalretry=600, frequency=1)
    await house.advance(180)
    calls = {row["phone_number"]: row["id"] for row in house.rows(CallRequest)}
    agreed = Disposed(AgentDisposition.CALL_BACK, "", MONDAY_NOON_MS + DAY_MS)
    for call in calls.values():
        house.perform(partial(dispose_of_call, callrequest_id=call, disposed=agreed))
    house.change(Gateway, house.gateway_id, parameters=ALL_BUSY)
    await house.advance(86_400)
    assert (len(dialled(house, FLORIDA)), len(dialled(house, MIAMI))) == (2, 2)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    await house.advance(3_600)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(15)
    assert (len(dialled(house, FLORIDA)), len(dialled(house, MIAMI))) == (3, 2)
    settled = Disposed(AgentDisposition.SUCCESS, "")
    house.perform(partial(dispose_of_call, callrequest_id=calls[MIAMI], disposed=settled))
    await house.advance(3_600)
    assert (len(dialled(house, MIAMI)), len(held(house, MIAMI))) == (2, 1)


async def test_a_row_of_law_counts_the_calls_to_a_territory(house: House) -> None:
    """The day of the conversation is the first of seven in which nobody calls about a debt, in Puerto Rico as well."""
    set_law(house, ON)
    calling(house, SAN_JUAN, purpose="debt")
    await house.advance(60)
    calling(house, SAN_JUAN, purpose="debt")
    await house.advance(60)
    assert (len(dialled(house, SAN_JUAN)), len(held(house, SAN_JUAN))) == (1, 1)
