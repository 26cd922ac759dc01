"""Tests of wishes not to be called: none is lost, whatever lists a campaign names, and all campaigns heed it."""

from functools import partial
from typing import Any, Final

import pytest
from sqlalchemy import delete

from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.campaigns.change import change_campaign
from dialer.app.campaigns.recycle import RecycleFilter, recycle_chunk
from dialer.app.campaigns.subscribers import change_subscriber
from dialer.app.contacts.contacts import change_contact, delete_contact
from dialer.app.contacts.do_not_call import delete_dnc_list, remove_from_dnc
from dialer.app.work.errors import RefusedError
from dialer.domain.words.enums import AgentDisposition, CampaignStatus, SubscriberStatus
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import (
    CallRequest,
    CampaignDncList,
    DncContact,
    DncList,
    Gateway,
    Subscriber,
    User,
)
from tests.runtime.house import House

SHORT: Final = {"type": 1, "script": "word", "completed": True}
GOODBYE: Final = {"type": 9, "script": "we will not call again"}
ADA, BEN, CARL = (f"+1202555{number}" for number in (1000, 1001, 1002))
NOBODY_ANSWERS: Final = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0}'
FAILED: Final = RecycleFilter(frozenset({int(SubscriberStatus.FAIL)}))
COMPLETED: Final = RecycleFilter(frozenset({int(SubscriberStatus.COMPLETED)}))
PAUSED: Final = {"duplicate_contact": "+12025550109", "number": "+12025550109", "zone": "", "additional_vars": ""}


@pytest.fixture
def sociable(house: House) -> House:
    """Return a service whose callees all answer and listen, as real people do."""
    house.meet_real_people()
    return house


def numbers_called(house: House, campaign_id: int) -> list[str]:
    """Return the numbers that a campaign has called, in order."""
    return [row["phone_number"] for row in house.rows(CallRequest) if row["campaign_id"] == campaign_id]


def wishes(house: House, user_id: int | None = None) -> set[str]:
    """Return the numbers on the own list of an account."""
    own = {
        row["id"]
        for row in house.rows(DncList)
        if row["keeps_wishes_of"] == "account" and row["user_id"] == (user_id or house.user_id)
    }
    return {row["number"] for row in house.rows(DncContact) if row["dnc_id"] in own}


def standing(house: House, campaign_id: int) -> dict[str, tuple[int, str]]:
    """Return status and reason of the subscribers of a campaign, by number."""
    mine = (row for row in house.rows(Subscriber) if row["campaign_id"] == campaign_id)
    return {row["number"]: (row["status"], row["status_reason"]) for row in mine}


@pytest.mark.parametrize("lists", [0, 1, 2])
async def test_who_presses_the_key_is_called_by_no_campaign_of_the_account(sociable: House, lists: int) -> None:
    """The next campaign has a list of its own, or none; its phonebook is another one."""
    named = [sociable.dnc_list() for _ in range(lists)]
    first = sociable.campaign(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    for dnc_id in named:
        sociable.add(CampaignDncList, campaign_id=first, dnc_id=dnc_id)
    await sociable.move(first, CampaignStatus.START)
    await sociable.advance(60)
    assert wishes(sociable) == {ADA}
    assert [row["number"] for row in sociable.rows(DncContact) if row["dnc_id"] in named[:1]] == [ADA] * min(lists, 1)
    second = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA, BEN), dnc_id=sociable.dnc_list())
    await sociable.advance(60)
    assert numbers_called(sociable, second) == [BEN]
    assert standing(sociable, second)[ADA] == (SubscriberStatus.NOT_AUTHORIZED, "dnc")


async def test_a_campaign_that_has_claimed_them_hears_of_it_at_once(sociable: House) -> None:
    """The callee asks at 5 s. The other campaign, which names no list either, would dial at 6 s."""
    first = sociable.campaign(sociable.survey(GOODBYE), sociable.phonebook(ADA), frequency=1)
    start = {"startingdate": sociable.now_ms() + 6_000}
    second = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA), frequency=1, **start)
    await sociable.move(first, CampaignStatus.START)
    await sociable.advance(30)
    assert (numbers_called(sociable, first), numbers_called(sociable, second)) == ([ADA], [])
    assert sociable.worker.figures().broken == {}


async def test_a_wish_is_kept_once_though_the_process_ends_during_its_call(sociable: House) -> None:
    """The callee asks at 5 s. A list that the campaign names later does not get the number, with or without the end."""
    campaign_id = await sociable.started(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    await sociable.advance(6)
    sociable.add(CampaignDncList, campaign_id=campaign_id, dnc_id=sociable.dnc_list())
    sociable.restart()
    await sociable.advance(60)
    (entry,) = sociable.rows(DncContact)
    assert (wishes(sociable), entry["callrequest_id"]) == ({ADA}, 1)


async def test_a_wish_that_is_not_on_record_at_a_restart_is_kept_at_the_end_of_its_call(sociable: House) -> None:
    await sociable.started(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    await sociable.advance(6)
    sociable.database.write_now(lambda connection: connection.execute(delete(DncContact)))
    sociable.restart()
    await sociable.advance(60)
    (entry,) = sociable.rows(DncContact)
    assert (wishes(sociable), entry["callrequest_id"]) == ({ADA}, 1)


async def test_another_account_still_calls_them(sociable: House) -> None:
    await sociable.started(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    await sociable.advance(60)
    sociable.user_id = sociable.add(User, username="ben", password_hash="-")
    other = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA))
    await sociable.advance(60)
    assert numbers_called(sociable, other) == [ADA]


@pytest.mark.parametrize("named", ["nothing", "dnc", "dnc_lists"])
async def test_an_agent_can_always_say_do_not_call(sociable: House, named: str) -> None:
    """A campaign that names its list in `dnc_lists` only is no exception."""
    dnc_id = sociable.dnc_list()
    values: dict[str, Any] = {"dnc_id": dnc_id} if named == "dnc" else {}
    campaign_id = sociable.campaign(sociable.survey(SHORT), sociable.phonebook(ADA), **values)
    if named == "dnc_lists":
        sociable.add(CampaignDncList, campaign_id=campaign_id, dnc_id=dnc_id)
    await sociable.move(campaign_id, CampaignStatus.START)
    await sociable.advance(60)
    stop = Disposed(AgentDisposition.DO_NOT_CALL)
    sociable.perform(lambda unit: dispose_of_call(unit, 1, stop))
    assert wishes(sociable) == {ADA}
    assert (dnc_id in {row["dnc_id"] for row in sociable.rows(DncContact)}) == (named != "nothing")


async def test_the_wish_of_a_caller_without_a_number_is_not_refused(sociable: House) -> None:
    """Nothing can be kept, as nobody knows the number."""
    campaign_id = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA))
    await sociable.advance(60)
    sociable.change(CallRequest, 1, subscriber_id=None, callerid="")
    sociable.perform(lambda unit: dispose_of_call(unit, 1, Disposed(AgentDisposition.DO_NOT_CALL)))
    assert (wishes(sociable), numbers_called(sociable, campaign_id)) == (set(), [ADA])


async def test_a_wish_is_taken_back_by_deleting_its_entry_and_not_the_list(sociable: House) -> None:
    await sociable.started(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    await sociable.advance(60)
    (own,) = (row["id"] for row in sociable.rows(DncList))
    with pytest.raises(RefusedError, match="keeps the wishes of people"):
        sociable.perform(lambda unit: delete_dnc_list(unit, own))
    sociable.perform(lambda unit: remove_from_dnc(unit, 1))
    again = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA), purpose="survey")
    await sociable.advance(60)
    assert numbers_called(sociable, again) == [ADA]
    sociable.perform(lambda unit: delete_dnc_list(unit, own))
    assert sociable.rows(DncList) == []


async def test_a_wish_while_it_rings_does_not_cut_the_call_and_prevents_the_retry(house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters=NOBODY_ANSWERS)
    survey, book = house.survey(SHORT), house.phonebook(ADA)
    campaign_id = await house.started(survey, book, maxretry=2, intervalretry=10)
    await house.advance(1)
    stop = Disposed(AgentDisposition.DO_NOT_CALL)
    house.perform(lambda unit: dispose_of_call(unit, 1, stop))
    await house.advance(600)
    assert numbers_called(house, campaign_id) == [ADA]
    assert standing(house, campaign_id) == {ADA: (SubscriberStatus.NOT_AUTHORIZED, "dnc")}


# --- contacts -------------------------------------------------------------------------------------------------------


async def test_nobody_calls_a_person_again_whose_contact_was_deleted_after_the_call(house: House) -> None:
    """Neither by recycling, nor by setting the subscriber back, nor by a call-back."""
    house.change(Gateway, house.gateway_id, parameters=NOBODY_ANSWERS)
    book = house.phonebook(ADA)
    campaign_id = await house.started(house.survey(SHORT), book)
    house.add(Subscriber, campaign_id=campaign_id, status=SubscriberStatus.PAUSE, **PAUSED)  # It must not end.
    await house.advance(100)
    assert standing(house, campaign_id)[ADA] == (SubscriberStatus.FAIL, "no_answer")
    house.perform(lambda unit: delete_contact(unit, 1))
    chunk = house.perform(lambda unit: recycle_chunk(unit, campaign_id, FAILED))
    assert (chunk.recycled, chunk.kept) == ({}, {"deleted": 1})
    ada = next(row["id"] for row in house.rows(Subscriber) if row["number"] == ADA)
    with pytest.raises(RefusedError, match="contact was deleted"):
        house.perform(lambda unit: change_subscriber(unit, ada, {"status": SubscriberStatus.PENDING}))
    later = Disposed(AgentDisposition.CALL_BACK, "", house.now_ms() + 60_000)
    with pytest.raises(RefusedError, match="contact was deleted"):
        house.perform(lambda unit: dispose_of_call(unit, 1, later))
    await house.advance(600)
    assert numbers_called(house, campaign_id) == [ADA]


async def test_a_contact_that_is_deleted_and_added_again_is_called(sociable: House) -> None:
    book = sociable.phonebook(ADA, BEN)
    campaign_id = await sociable.started(sociable.survey(SHORT), book, startingdate=sociable.now_ms() + 60_000)
    sociable.perform(lambda unit: delete_contact(unit, 1))
    assert standing(sociable, campaign_id)[ADA] == (SubscriberStatus.ABORT, "contact_deleted")
    again = sociable.contact(book, ADA)
    await sociable.advance(120)
    assert sorted(numbers_called(sociable, campaign_id)) == [ADA, BEN]
    assert {row["contact_id"] for row in sociable.rows(Subscriber)} == {2, again}
    assert sociable.database.read_now(audit).differences == []


async def test_a_person_who_was_reached_is_not_called_again_because_the_contact_is_added_again(
    sociable: House,
) -> None:
    book = sociable.phonebook(ADA)
    campaign_id = await sociable.started(sociable.survey(SHORT), book, purpose="survey")
    sociable.add(Subscriber, campaign_id=campaign_id, status=SubscriberStatus.PAUSE, **PAUSED)
    await sociable.advance(60)
    sociable.perform(lambda unit: delete_contact(unit, 1))
    sociable.contact(book, ADA)
    await sociable.advance(60)
    assert numbers_called(sociable, campaign_id) == [ADA]
    sociable.perform(lambda unit: recycle_chunk(unit, campaign_id, COMPLETED))
    await sociable.advance(60)
    assert numbers_called(sociable, campaign_id) == [ADA, ADA]


async def test_only_the_corrected_number_of_a_contact_is_dialled(sociable: House) -> None:
    """The wrong number is dialled again only after it is corrected back."""
    book = sociable.phonebook(ADA)
    campaign_id = await sociable.started(sociable.survey(SHORT), book, startingdate=sociable.now_ms() + 60_000)
    for number in (BEN, ADA, CARL):
        values = {"contact": number, "number": number, "zone": "America/New_York"}
        sociable.perform(partial(change_contact, contact_id=1, values=values))
    await sociable.advance(120)
    assert numbers_called(sociable, campaign_id) == [CARL]
    assert standing(sociable, campaign_id)[ADA] == (SubscriberStatus.ABORT, "number_corrected")
    assert sociable.database.read_now(audit).differences == []


async def test_a_wish_stays_with_the_number_when_the_contact_is_corrected_to_it(sociable: House) -> None:
    await sociable.started(sociable.survey(GOODBYE), sociable.phonebook(ADA))
    await sociable.advance(60)
    book = sociable.phonebook(BEN)
    start = {"startingdate": sociable.now_ms() + 60_000}
    campaign_id = await sociable.started(sociable.survey(SHORT), book, **start)
    values = {"contact": ADA, "number": ADA, "zone": "America/New_York"}
    sociable.perform(lambda unit: change_contact(unit, 2, values))
    await sociable.advance(120)
    assert numbers_called(sociable, campaign_id) == []


# --- rates ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [(60,), (60, 1, 60), (1, 60, 2, 60)])
async def test_a_raised_frequency_holds_at_once(sociable: House, way: tuple[int, ...]) -> None:
    """One dial a minute becomes one a second. Changing it to and fro does not make two dials closer than that."""
    book = sociable.phonebook(ADA, BEN, CARL)
    campaign_id = await sociable.started(sociable.survey(SHORT), book, frequency=1)
    await sociable.advance(0.25)
    for frequency in way:
        sociable.perform(partial(change_campaign, campaign_id=campaign_id, values={"frequency": frequency}))
        await sociable.advance(0.05)
    await sociable.advance(10)
    assert sociable.dials_s() == [0, 1, 2]
    assert sociable.worker.figures().broken == {}


async def test_a_lowered_frequency_holds_at_once(sociable: House) -> None:
    campaign_id = await sociable.started(sociable.survey(SHORT), sociable.phonebook(ADA, BEN, CARL))
    await sociable.advance(0.5)
    sociable.perform(lambda unit: change_campaign(unit, campaign_id, {"frequency": 6}))
    await sociable.advance(60)
    assert sociable.dials_s() == [0, 10, 20]
