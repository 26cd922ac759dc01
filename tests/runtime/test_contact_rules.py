"""Tests of contact rules at work: over campaigns, restarts and media, people are contacted as often as rules allow."""

from functools import partial
from typing import Any, Final

import pytest

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import change_campaign
from dialer.app.contacts.contact_rules import add_rule, change_rule, delete_rule
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.domain.engine.recent_contacts import RecentContacts
from dialer.domain.words.enums import AgentDisposition, CampaignStatus, SubscriberStatus
from dialer.store.tables import SMS, CallRequest, Campaign, Gateway, SmsMessage, Subscriber
from tests.runtime.house import ALL_ANSWER, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_manual_dialling import ELSE, dial, manual
from tests.runtime.test_previews import number_seen, previewing
from tests.runtime.test_simulated_wishes import real_gateway

ADA: Final = "+12025550100"
BEA: Final = "+12025550101"
WEEK_MS: Final = 7 * DAY_MS
TWO_A_DAY: Final = {"most": 2, "period": 1, "unit": "days"}


def rule(house: House, **columns: object) -> int:
    """Add a rule to the account, by the use case."""
    row = {"user_id": house.user_id, "name": "rule", "created_date": house.now_ms(), "updated_date": house.now_ms()}
    return house.perform(lambda unit: int(add_rule(unit, {**row, **columns}).id))


def start(house: House, campaign_id: int) -> None:
    """Start a campaign. It dials when time passes."""
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"status": CampaignStatus.START}))


def calling(house: House, *numbers: str, **columns: Any) -> int:  # noqa: ANN401 - columns of the campaign
    """Start a campaign of calls that are over within seconds, a month long, and return it."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey = house.survey({"type": 1, "script": "word", "completed": True})
    long = {"expirationdate": MONDAY_NOON_MS + 30 * DAY_MS, "end_when_done": False, **columns}
    campaign_id = house.campaign(survey, house.phonebook(*numbers), **long)
    start(house, campaign_id)
    return campaign_id


def held(house: House, number: str = ADA) -> list[tuple[int, int, str, float]]:
    """Return the subscribers with a number who wait for a rule, and until when in days."""
    return [
        (row["id"], row["status"], row["status_reason"], (row["due_ms"] - MONDAY_NOON_MS) / DAY_MS)
        for row in house.rows(Subscriber)
        if (row["status_reason"], row["number"]) == ("frequency", number)
    ]


def dialled(house: House, number: str = ADA) -> list[float]:
    """Return when a number was called, in days since the start."""
    moments = [row["started_ms"] for row in house.rows(CallRequest) if row["phone_number"] == number]
    return [(at_ms - MONDAY_NOON_MS) / DAY_MS for at_ms in sorted(moments)]


async def test_three_campaigns_at_one_moment_call_twice_and_the_third_waits_to_the_second(house: House) -> None:
    rule(house, **TWO_A_DAY)
    for _ in range(3):
        calling(house, BEA, ADA)  # All of them have read both people before the second is called.
    await house.advance(60)
    assert (len(dialled(house)), len(dialled(house, BEA))) == (2, 2)
    ((_, status, reason, until),) = held(house)
    assert (status, reason, until) == (SubscriberStatus.PENDING, "frequency", dialled(house)[0] + 1)
    await house.advance(DAY_MS // 1_000 - 1 - 60)
    assert len(dialled(house)) == 2
    await house.advance(60)
    assert dialled(house)[2] == dialled(house)[0] + 1, "24:00:00 later, and no second before"


async def test_a_restart_forgets_nothing_and_calls_before_the_rule_count(house: House) -> None:
    first = calling(house, ADA, BEA)
    await house.advance(60)
    rule(house, most=1, period=7, unit="days")
    house.restart()
    calling(house, ADA, "+12025550102")
    await house.advance(60)
    assert [len(dialled(house, number)) for number in (ADA, BEA, "+12025550102")] == [1, 1, 1]
    assert [row[3] for row in held(house)] == [pytest.approx(dialled(house)[0] + 7)]
    house.change(Campaign, first, status=4)
    house.restart()
    await house.advance(60)
    assert len(dialled(house)) == 1


async def test_a_rule_that_is_taken_back_lets_people_be_called_at_once(house: House) -> None:
    rule_id = rule(house, most=1, period=7, unit="days")
    calling(house, ADA)
    calling(house, ADA)
    await house.advance(60)
    assert (len(dialled(house)), len(held(house))) == (1, 1)
    house.perform(partial(_delete, rule_id))
    await house.advance(60)
    assert (len(dialled(house)), held(house)) == (2, [])


def _delete(rule_id: int, unit: Any) -> None:  # noqa: ANN401 - a unit of work
    delete_rule(unit, rule_id)


@pytest.mark.parametrize(
    ("columns", "calls"),
    [
        ({"scope": "campaign"}, 2),
        ({"scope": "account"}, 1),
        ({"scope": "seller"}, 2),
        ({"purposes": "sales"}, 2),
        ({"purposes": "survey"}, 2),
        ({"country": "US"}, 1),
        ({"country": "US", "state": "DC"}, 1),
        ({"country": "US", "state": "FL"}, 2),
        ({"country": "DE"}, 2),
        ({"from_date": "2026-03-03"}, 2),
        ({"until_date": "2026-03-02"}, 1),
        ({"until_date": "2026-03-01"}, 2),
        ({"counts": "answers"}, 1),
        ({"counts": "conversations", "seconds": 60}, 2),
        ({"counts": "abandoned"}, 2),
        ({"media": "text"}, 2),
        ({"after": "conversation", "most": 0}, 1),
        ({"after": "refusal", "most": 0}, 2),
        ({"enabled": False}, 2),
    ],
)
async def test_a_rule_holds_for_those_whom_its_fields_name(house: House, columns: dict[str, Any], calls: int) -> None:
    """Two campaigns of two sellers, one of sales and one that is a survey, call one person of Washington."""
    rule(house, **{"most": 1, "period": 7, "unit": "days", **columns})
    calling(house, ADA, seller="one", purpose="sales")
    calling(house, ADA, seller="two", purpose="survey")
    await house.advance(120)
    assert len(dialled(house)) == calls


async def test_calendar_days_end_at_the_midnight_of_the_callee(house: House) -> None:
    rule(house, most=1, period=2, unit="calendar_days")
    calling(house, ADA)
    calling(house, ADA)
    await house.advance(60)
    assert [row[3] for row in held(house)] == [pytest.approx((2 * 24 - 12 + 5) / 24)], "07:00 in Washington is day one"


async def test_texts_and_calls_are_counted_together(house: House) -> None:
    gateway_id = house.add(Gateway, name="texts", medium=SMS)
    rule(house, most=1, period=7, unit="days", media="call text")
    calling(house, ADA)
    await house.advance(30)
    values = {"medium": SMS, "aleg_gateway_id": None, "sms_gateway_id": gateway_id, "text_message": "Hello"}
    texts = house.campaign(0, house.phonebook(ADA, BEA), expirationdate=MONDAY_NOON_MS + 30 * DAY_MS, **values)
    start(house, texts)
    await house.advance(30)
    assert [row["phone_number"] for row in house.rows(SmsMessage)] == [BEA]
    assert [row[3] for row in held(house)] == [pytest.approx(dialled(house)[0] + 7)]


async def test_the_guard_stops_an_engine_that_reads_people_and_forgets_what_happens_then(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RecentContacts, "outdate", lambda *_: False)
    rule(house, most=1, period=7, unit="days")
    calling(house, BEA, ADA)
    calling(house, ADA)
    await house.advance(60)
    assert {(row["status"], row["status_reason"]) for row in house.rows(Campaign)} == {(2, "invariant")}
    assert len(dialled(house)) <= 1


async def test_a_call_over_a_real_line_after_a_rehearsed_one_is_no_fault_of_the_rehearsal(house: House) -> None:
    """A real campaign counts no rehearsed calls, so it calls Ada between two calls of a rehearsal."""
    line = real_gateway(house)
    rule(house, most=1, period=7, unit="days")
    rehearsal = calling(house, ADA, BEA)
    real = calling(house, ADA, aleg_gateway_id=line, startingdate=house.now_ms() + 500)
    await house.advance(60)
    calls = [(row["campaign_id"], row["phone_number"]) for row in house.rows(CallRequest)]
    assert calls == [(rehearsal, ADA), (real, ADA), (rehearsal, BEA)]
    assert [row["status_reason"] for row in house.rows(Campaign)] == ["", ""]


async def test_an_agent_may_not_call_either_whom_a_rule_holds_back(house: House) -> None:
    rule(house, most=1, period=1, unit="days")
    agent_id = await manual(house)
    dial(house, agent_id, ELSE)
    await house.advance(60)
    with pytest.raises(RefusedError) as refused:
        dial(house, agent_id, ELSE)
    assert (refused.value.code, len(dialled(house, ELSE))) == (ErrorCode.FREQUENCY, 1)


async def test_an_agent_may_not_call_either_who_is_held_back_beyond_a_retry(house: House) -> None:
    rule(house, most=1, period=1, unit="days")
    agent_id = await manual(house)
    person_id = dial(house, agent_id, ELSE)
    await house.advance(60)
    house.change(Subscriber, person_id, status=SubscriberStatus.PENDING, due_ms=house.now_ms() + 60_000)
    with pytest.raises(RefusedError) as refused:
        dial(house, agent_id, ELSE, again=True)
    assert (refused.value.code, len(dialled(house, ELSE))) == (ErrorCode.FREQUENCY, 1)


async def test_an_agreed_time_stays_whatever_becomes_of_a_rule_that_holds_back(house: House) -> None:
    """An agent wants to call somebody again, whom a new rule holds back, and who has a time of their own since."""
    agent_id = await manual(house)
    person_id = dial(house, agent_id, ELSE)
    await house.advance(60)
    dial(house, agent_id, ELSE, again=True)
    rule_id = rule(house, most=1, period=1, unit="days")
    agreed_ms = house.now_ms() + 2 * 3_600_000
    house.change(Subscriber, person_id, due_ms=agreed_ms)
    await house.advance(5)
    house.perform(partial(_delete, rule_id))
    await house.advance(5)
    person = house.row(Subscriber, person_id)
    assert (person["status"], person["due_ms"], len(dialled(house, ELSE))) == (1, agreed_ms, 1)


async def _held_pair(house: House, **columns: Any) -> int:  # noqa: ANN401 - columns of a rule
    """Call two people in one campaign, whom a rule then holds back in another. Return the rule."""
    rule_id = rule(house, **{"most": 1, "period": 7, "unit": "days", **columns})
    calling(house, ADA, BEA)
    calling(house, ADA, BEA)
    await house.advance(60)
    assert [len(held(house, number)) for number in (ADA, BEA)] == [1, 1]
    return rule_id


def _refuse(house: House, number: str, disposition: AgentDisposition = AgentDisposition.NOT_INTERESTED) -> None:
    (call,) = (row["id"] for row in house.rows(CallRequest) if row["phone_number"] == number)
    house.perform(lambda unit: dispose_of_call(unit, call, Disposed(disposition)))


@pytest.mark.parametrize("enabled", [True, False])
async def test_a_refusal_lets_nobody_be_looked_at_again(house: House, enabled: bool) -> None:  # noqa: FBT001 - a parameter
    await _held_pair(house)
    rule(house, most=0, period=7, unit="days", after="refusal", enabled=enabled)
    await house.advance(60)
    before = [held(house, number) for number in (ADA, BEA)]
    _refuse(house, ADA)
    assert [held(house, number) for number in (ADA, BEA)] == before


async def test_a_refusal_holds_its_number_back_until_it_is_taken_back(house: House) -> None:
    rule(house, most=0, period=7, unit="days", after="refusal")
    calling(house, ADA, BEA)
    await house.advance(60)
    _refuse(house, ADA)
    calling(house, ADA, BEA)
    await house.advance(60)
    assert ([len(dialled(house, number)) for number in (ADA, BEA)], len(held(house))) == ([1, 2], 1)
    _refuse(house, ADA, AgentDisposition.SUCCESS)
    await house.advance(60)
    assert (len(dialled(house)), held(house)) == (2, [])


async def test_a_new_name_of_a_rule_lets_nobody_be_looked_at_again(house: House) -> None:
    rule_id = await _held_pair(house)
    before = held(house)
    house.perform(lambda unit: change_rule(unit, rule_id, {"name": "another", "source": "the law", "most": 1}))
    assert held(house) == before
    house.perform(lambda unit: change_rule(unit, rule_id, {"most": 2}))
    await house.advance(60)
    assert (held(house), len(dialled(house))) == ([], 2)


async def test_a_call_of_another_campaign_ends_the_look_at_a_person_whom_a_rule_now_holds_back(house: House) -> None:
    """A service that is started again reads the person anew. One that runs on does the same."""
    rule(house, most=1, period=1, unit="days")
    (agent_id,) = await previewing(house, ADA, BEA)
    await house.advance(10)
    assert number_seen(house, agent_id) == ADA
    calling(house, ADA)
    await house.advance(2)
    assert (number_seen(house, agent_id), len(dialled(house))) == (BEA, 1)
    assert len(held(house)) == 1
