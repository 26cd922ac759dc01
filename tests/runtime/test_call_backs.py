"""Tests of call-backs that agents arrange: the engine calls at the time, within the rules, and not otherwise."""

from datetime import UTC, datetime
from functools import partial

import pytest

from dialer.app.call_centre.dispositions import CallBackTerm, Disposed, dispose_of_call, disposition_of, term_of
from dialer.app.campaigns.delete import delete_campaign
from dialer.app.erasure.people import erase_people
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import AgentDisposition, CampaignStatus, SubscriberStatus
from dialer.store.queries.promised_call_backs import promised_call_backs
from dialer.store.reconciliation.statistics import audit_statistics
from dialer.store.tables import CallDisposition, CallRequest, Campaign, DncContact, Gateway, Subscriber
from tests.runtime.house import ALL_ANSWER, DAY_MS, MONDAY_NOON_MS, House

HOUR_MS = 3_600_000
PEOPLE = ("+12025560001", "+12025560002", "+12025560003", "+12025560004", "+12025560005")


def moment(day: int, hour: int) -> int:
    """Return a moment of March 2026 by the clocks of Washington, which are 5 hours behind."""
    return int(datetime(2026, 3, day, tzinfo=UTC).timestamp() * 1_000) + (hour + 5) * HOUR_MS


def call_back(house: House, call: int, at_ms: int) -> None:
    given = Disposed(AgentDisposition.CALL_BACK, "later", at_ms)
    house.perform(lambda unit: dispose_of_call(unit, call, given))


def promised(house: House) -> list[tuple[int, int]]:
    found = house.database.read_now(lambda c: promised_call_backs(c, house.user_id))
    return [(one.callrequest_id, one.at_ms) for one in found]


async def called_campaign(house: House) -> int:
    """Return a campaign that has called everybody once, between 9 and 21 o'clock, and goes on."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey = house.survey({"type": 1, "script": "hello", "completed": True})
    await house.advance(2 * 3_600)
    campaign_id = await house.started(
        survey,
        house.phonebook(*PEOPLE),
        dnc_id=house.dnc_list(),
        daily_start_time="09:00:00",
        daily_stop_time="21:00:00",
    )
    paused = {"duplicate_contact": "+12025550109", "number": "+12025550109", "zone": "", "additional_vars": ""}
    house.add(Subscriber, campaign_id=campaign_id, status=SubscriberStatus.PAUSE, **paused)  # It must not end.
    await house.advance(600)
    return campaign_id


async def test_people_are_called_back_at_their_time_within_the_rules(house: House) -> None:
    campaign_id = await called_campaign(house)
    assert [row["status"] for row in house.rows(Subscriber)][:5] == [SubscriberStatus.COMPLETED] * 5
    calls = {row["phone_number"]: row["id"] for row in house.rows(CallRequest)}
    soon, night, called_off, taken_back, refused = (calls[number] for number in PEOPLE)
    call_back(house, soon, moment(2, 15))
    call_back(house, night, moment(2, 23))
    call_back(house, called_off, moment(2, 16))
    call_back(house, taken_back, moment(2, 16))
    done = Disposed(AgentDisposition.SUCCESS)
    house.perform(lambda unit: dispose_of_call(unit, taken_back, done))
    stop = Disposed(AgentDisposition.DO_NOT_CALL)
    house.perform(lambda unit: dispose_of_call(unit, refused, stop))
    house.call_off(house.row(Campaign, campaign_id)["dnc_id"], PEOPLE[2])
    with pytest.raises(RefusedError, match="on a do-not-call list"):
        call_back(house, refused, moment(2, 16))
    house.restart()
    await house.advance(24 * 3_600)
    again = [(row["phone_number"], row["started_ms"]) for row in house.rows(CallRequest) if row["attempt"] == 2]
    assert again == [(PEOPLE[0], moment(2, 15)), (PEOPLE[1], moment(3, 9))]
    assert {row["number"] for row in house.rows(DncContact)} == {PEOPLE[2], PEOPLE[4]}
    assert house.database.read_now(lambda c: disposition_of(c, taken_back)) == done
    states = {row["number"]: row["status"] for row in house.rows(Subscriber)}
    assert (states[PEOPLE[2]], states[PEOPLE[3]]) == (SubscriberStatus.NOT_AUTHORIZED, SubscriberStatus.COMPLETED)
    assert house.row(Campaign, campaign_id)["completed"] == 4
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []


async def test_a_campaign_that_ended_as_nobody_was_left_goes_on_with_a_call_back(house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey = house.survey({"type": 1, "script": "hello"})
    campaign_id = await house.started(survey, house.phonebook(PEOPLE[0]))
    await house.advance(600)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    term = house.database.read_now(lambda c: term_of(c, 1))
    assert term == CallBackTerm(house.row(Campaign, campaign_id)["expirationdate"], is_over=False, wait_s=900)
    at_ms = MONDAY_NOON_MS + HOUR_MS
    call_back(house, 1, at_ms)
    assert promised(house) == [(1, at_ms)]
    house.restart()
    await house.advance(2_000)
    assert (house.row(Campaign, campaign_id)["status"], promised(house)) == (CampaignStatus.START, [(1, at_ms)])
    await house.advance(3_600)
    assert [row["started_ms"] for row in house.rows(CallRequest)][1:] == [at_ms]
    row = house.row(Campaign, campaign_id)
    assert (row["status"], row["status_reason"], promised(house)) == (CampaignStatus.END, "completed", [])
    assert house.database.read_now(lambda c: list(audit_statistics(c))) == []


async def test_a_campaign_that_a_user_ended_takes_no_call_backs(house: House) -> None:
    campaign_id = await called_campaign(house)
    await house.move(campaign_id, CampaignStatus.END)
    with pytest.raises(RefusedError, match="The campaign is over"):
        call_back(house, 1, moment(2, 16))
    term = house.database.read_now(lambda c: term_of(c, 1))
    assert term is not None
    assert term.is_over


@pytest.mark.parametrize(
    ("full_name", "values", "shown"),
    [
        ("Ada Lovelace", '{"first_name": "Augusta"}', "Ada Lovelace"),
        ("", '{"first_name": "Ada", "last_name": "Byron"}', "Ada Byron"),
        ("", "", ""),
    ],
)
async def test_a_promise_is_listed_with_the_name_that_the_list_has(
    house: House, full_name: str, values: str, shown: str
) -> None:
    await called_campaign(house)
    house.change(Subscriber, 1, full_name=full_name, additional_vars=values)
    call_back(house, 1, moment(2, 15))
    found = house.database.read_now(lambda c: promised_call_backs(c, house.user_id))
    assert [(one.callrequest_id, one.full_name, one.same_agent) for one in found] == [(1, shown, False)]


async def test_a_promise_is_listed_until_it_is_kept_or_taken_back(house: House) -> None:
    await called_campaign(house)
    call_back(house, 3, moment(2, 17))
    call_back(house, 1, moment(2, 15))
    call_back(house, 2, moment(2, 16))
    assert promised(house) == [(1, moment(2, 15)), (2, moment(2, 16)), (3, moment(2, 17))]
    house.perform(lambda unit: dispose_of_call(unit, 2, Disposed(AgentDisposition.SUCCESS)))
    assert promised(house) == [(1, moment(2, 15)), (3, moment(2, 17))]
    others = house.database.read_now(lambda c: promised_call_backs(c, house.user_id + 1))
    assert others == []
    await house.advance((moment(2, 15) - house.now_ms()) // 1_000 + 60)
    assert promised(house) == [(3, moment(2, 17))]


async def test_a_wrong_call_back_changes_nothing(house: House) -> None:
    campaign_id = await called_campaign(house)
    before = [dict(row) for row in house.rows(Subscriber)]
    wrong = (
        (Disposed(AgentDisposition.CALL_BACK, "", MONDAY_NOON_MS), "The time is past."),
        (Disposed(AgentDisposition.CALL_BACK, "", MONDAY_NOON_MS + 9 * DAY_MS), "The campaign ends before that time."),
        (Disposed(AgentDisposition.OTHER, "", moment(2, 16)), "A time goes with the disposition call_back, not with"),
    )
    for given, said in wrong:
        with pytest.raises(InvalidFieldsError) as caught:
            house.perform(partial(dispose_of_call, callrequest_id=1, disposed=given))
        assert said in caught.value.errors["call_back_date"][0]
    house.contact(1, "+12025560009")
    await house.advance(3)
    talking = max(row["id"] for row in house.rows(CallRequest))
    with pytest.raises(RefusedError, match="The call is in progress"):
        call_back(house, talking, moment(2, 16))
    await house.move(campaign_id, CampaignStatus.ABORT)
    with pytest.raises(RefusedError, match="The campaign is over"):
        call_back(house, 1, moment(2, 16))
    assert [dict(row) for row in house.rows(Subscriber)][:5] == before[:5]
    assert house.rows(CallDisposition) == []


async def test_a_note_goes_with_its_person_and_a_disposition_with_its_campaign(house: House) -> None:
    campaign_id = await called_campaign(house)
    call_back(house, 1, moment(2, 16))
    person = house.row(CallRequest, 1)["subscriber_id"]
    house.perform(lambda unit: erase_people(unit, [person], lambda _: None))
    left = house.row(CallDisposition, 1)
    assert (left["disposition"], left["note"], left["call_back_ms"]) == ("call_back", "", None)
    await house.move(campaign_id, CampaignStatus.ABORT)
    await house.advance(60)

    def delete(unit: UnitOfWork) -> None:
        delete_campaign(unit, campaign_id)

    house.perform(delete)
    assert house.rows(CallDisposition) == []
