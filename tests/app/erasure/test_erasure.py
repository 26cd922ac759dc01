"""Erasing a person: nothing that was billed or counted has changed, and they are not called again."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, insert

from dialer.app.campaigns.delete import delete_campaign
from dialer.app.erasure.erasure import Erased, erase_ended, erase_number
from dialer.app.work.errors import RefusedError
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.forecast.campaign_copy import copy_campaign
from dialer.forecast.memory_database import MemoryDatabase
from dialer.store.backends import database_files
from dialer.store.database.database import Database
from dialer.store.queries.do_not_call import entries_on, hashed
from dialer.store.queries.survey_results import count_answers
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import (
    SMS,
    CallRecording,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    Did,
    DncContact,
    Gateway,
    LedgerEntry,
    ServiceState,
    SmsMessage,
    Subscriber,
    SurveyResult,
    User,
)
from dialer.store.timeline.reading import read_story
from tests.runtime.house import ALL_ANSWER, CENTS, DAY_MS, MONDAY_NOON_MS, House
from tests.store.leftovers import holding

NUMBER: Final = "+12025550187"
OTHER: Final = "+12025550188"
WRITTEN: Final = "(202) 555-0187"
SECTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no", "completed": True},
    {"type": 4, "script": "your postcode", "number_digits": 5, "max_number": 99_999},
    {"type": 5, "script": "say something"},
    {"type": 10, "script": "we send you a text", "sms_text": "Dear {full_name}, thank you"},
    {"type": 9, "script": "we will not call again"},
)
BRANCHES: Final[dict[int, dict[str, int | None]]] = {
    place: {"any": place + 1, "timeout": place + 1, "invalid": place + 1, "0": place + 1} for place in range(4)
}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    one = House(tmp_path, seed=3)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    yield one
    one.database.close()


def erase(house: House, deleted: list[str] | None = None) -> Erased:
    """Erase the number as the command does."""
    names: list[str] = [] if deleted is None else deleted
    done = erase_number(house.database, NUMBER, names.append, house.now_ms())
    database_files.compact(Path(str(house.database.url.database)))
    return done


async def surveyed(house: House, **settings: object) -> int:
    """Return a campaign of two numbers with every kind of answer; its calls are over in a minute or two."""
    house.meet_real_people()
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    book = house.phonebook(OTHER)
    house.contact(book, NUMBER, contact=WRITTEN, full_name="Ann Ash", additional_vars='{"street":"Elm"}')
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    more = {"sms_gateway_id": sms_gateway_id, "dnc_id": house.dnc_list(), **settings}
    return await house.started(house.survey(*SECTIONS, branches=BRANCHES), book, **more)


def bill(house: House) -> tuple[object, ...]:
    """All that was billed and counted."""
    cdrs = [{**row, "phone_number": "", "callerid": "", "contact_id": 0} for row in house.rows(Cdr)]
    costs = [(row["id"], row["status"], row["parts"], row["cost"]) for row in house.rows(SmsMessage)]
    return cdrs, costs, [*house.rows(LedgerEntry)], [*house.rows(User)], [*house.rows(Campaign)]


async def test_a_person_goes_and_the_bill_stays(house: House, tmp_path: Path) -> None:
    campaign_id = await surveyed(house)
    await house.advance(600)
    before, totals = bill(house), _totals(house, campaign_id)
    recordings = [row["record_file"] for row in house.rows(SurveyResult) if row["record_file"]]
    assert len(house.rows(Cdr)) == 2
    assert len(recordings) == 2
    deleted: list[str] = []
    assert erase(house, deleted) == Erased(contacts=1, subscribers=1, dnc_contacts=2, recordings=1)
    assert holding(tmp_path, NUMBER) == []
    assert bill(house) == before
    assert _totals(house, campaign_id) == totals
    assert deleted == [recordings[1]]
    assert [row["number"] for row in house.rows(Contact)] == [OTHER]


async def test_an_erasure_waits_for_tests_of_the_account_which_may_say_the_name(house: House) -> None:
    campaign_id = await surveyed(house)
    await house.advance(600)
    book = house.phonebook()
    house.contact(book, OTHER, full_name="Ann Ash")
    trial_id = await house.started(house.survey({"type": 1, "script": "hello"}), book)
    house.change(Campaign, trial_id, trial_of_id=campaign_id, status=CampaignStatus.PAUSE)
    with pytest.raises(RefusedError, match="A test of this account is in progress"):
        erase(house)
    await house.advance(600)
    house.change(Campaign, trial_id, status=CampaignStatus.END)
    erase(house)
    assert [row["full_name"] for row in house.rows(Subscriber) if row["campaign_id"] == trial_id] == [""]


def _totals(house: House, campaign_id: int) -> dict[int, int]:
    counts = house.database.read_now(lambda c: count_answers(c, campaign_id))
    return {section_id: section.total for section_id, section in counts.items()}


async def test_what_is_left_of_a_person_is_nobodys(house: House) -> None:
    """Answers that were chosen stay, words of their own go; the other person keeps everything."""
    await surveyed(house)
    await house.advance(600)
    others = [row for row in house.rows(SurveyResult) if row["callrequest_id"] == 1]
    inputs = [row["heard"] for row in house.rows(CallRequest)]
    chosen = [row["response"] for row in house.rows(SurveyResult) if row["section_type"] == 2]
    erase(house)
    other, person = house.rows(Subscriber)
    assert (other["number"], other["contact_id"]) == (OTHER, 1)
    assert {name: person[name] for name in ("contact_id", "number", "duplicate_contact", "full_name", "zone")} == {
        "contact_id": None,
        "number": "~2",
        "duplicate_contact": ERASED,
        "full_name": "",
        "zone": "",
    }
    assert (person["additional_vars"], person["status"]) == ("{}", SubscriberStatus.COMPLETED)
    results = house.rows(SurveyResult)
    assert [row for row in results if row["callrequest_id"] == 1] == others
    assert [row["response"] for row in results if row["section_type"] == 2] == chosen
    kept = {row["response"] for row in results if row["callrequest_id"] == 2 and row["section_type"] != 2}
    assert (kept, {row["record_file"] for row in results if row["callrequest_id"] == 2}) == ({ERASED}, {""})
    request, cdr, message = house.rows(CallRequest)[1], house.rows(Cdr)[1], house.rows(SmsMessage)[1]
    assert "" not in inputs
    assert [row["heard"] for row in house.rows(CallRequest)] == [inputs[0], ""]
    assert (request["phone_number"], request["dialled_number"], request["contact_id"]) == (ERASED, "", None)
    assert (cdr["phone_number"], cdr["contact_id"]) == (ERASED, None)
    assert (message["phone_number"], message["text_message"]) == (ERASED, ERASED)
    entry = house.rows(DncContact)[2]
    assert (entry["phone_number"], entry["number"]) == (
        ERASED,
        hashed(house.rows(ServiceState)[0]["number_key"], NUMBER),
    )


async def test_a_number_that_was_loaded_again_is_still_not_called_by_who_has_the_list(house: House) -> None:
    """A hash on the list is as good as the number: at the claim, for a retry, and for a leg of a call."""
    dnc_id, other_list_id = house.dnc_list(NUMBER), house.dnc_list(OTHER)
    erase(house)
    book = house.phonebook(NUMBER, OTHER)
    survey_id = house.survey({"type": 1, "script": "hello", "completed": True})
    await house.started(survey_id, book, dnc_id=dnc_id)
    await house.started(survey_id, book, dnc_id=other_list_id)
    await house.started(survey_id, book)
    await house.advance(600)
    states = [(row["campaign_id"], row["number"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert states == [
        (1, NUMBER, "dnc"),
        (1, OTHER, ""),
        (2, NUMBER, ""),
        (2, OTHER, "dnc"),
        (3, NUMBER, ""),
        (3, OTHER, ""),
    ]


async def test_a_forecast_and_a_story_know_of_hashes_too(house: House) -> None:
    dnc_id = house.dnc_list(NUMBER, "+12025550189")
    erase(house)
    survey_id = house.survey({"type": 1, "script": "hello"})
    await house.started(survey_id, house.phonebook(NUMBER, OTHER), dnc_id=dnc_id, frequency=1)
    memory = MemoryDatabase()
    house.database.read_now(lambda s: memory.write_now(lambda t: copy_campaign(s, t, 1, house.now_ms())))
    assert memory.read_now(lambda c: entries_on(c, [dnc_id], [NUMBER, OTHER])) == {(dnc_id, NUMBER): MONDAY_NOON_MS}
    memory.close()
    told: dict[str, Any] = {"now_ms": house.now_ms(), "region": None, "service_zone": "UTC"}
    stories = [
        house.database.read_now(partial(read_story, campaign="1", number=number, **told)) for number in (NUMBER, OTHER)
    ]
    assert [story.dnc is not None and story.dnc.since is not None for story in stories] == [True, False]


async def test_a_retry_is_not_made_once_the_number_is_listed_as_a_hash(house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters='{"answer": 0, "busy": 1, "rejected": 0, "invalid": 0}')
    dnc_id = house.dnc_list()
    survey_id = house.survey({"type": 1, "script": "hello"})
    await house.started(survey_id, house.phonebook(NUMBER), dnc_id=dnc_id, maxretry=3, intervalretry=300)
    await house.advance(60)
    key = b"k" * 32
    house.change(ServiceState, 1, number_key=key)
    house.add(DncContact, dnc_id=dnc_id, phone_number=ERASED, number=hashed(key, NUMBER))
    await house.advance(3_600)
    assert [(row["count_attempt"], row["status_reason"]) for row in house.rows(Subscriber)] == [(1, "dnc")]


async def test_who_is_still_to_be_called_is_not_also_when_another_process_erases_them(house: House) -> None:
    """The engine holds whom it calls next in memory: it notices that the file was changed by somebody else."""
    book = house.phonebook(OTHER, NUMBER)
    survey_id = house.survey({"type": 1, "script": "hello", "completed": True})
    campaign_id = await house.started(survey_id, book, frequency=1)
    await house.advance(30)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [OTHER]
    with closing(Database(house.url)) as beside:
        erase_number(beside, NUMBER, lambda _: None, house.now_ms())
    await house.advance(600)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [OTHER]
    assert [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)] == [
        (SubscriberStatus.COMPLETED, ""),
        (SubscriberStatus.ABORT, "erased"),
    ]
    campaign = house.row(Campaign, campaign_id)
    assert (campaign["status"], campaign["status_reason"]) == (CampaignStatus.END, "completed")


async def test_during_a_call_it_is_refused_and_nothing_changes(house: House) -> None:
    await surveyed(house)
    await house.advance(3)
    assert house.rows(CallRequest)[1]["status"] == CallRequestStatus.CALLING
    before = house.rows(Subscriber), house.rows(Contact)
    with pytest.raises(RefusedError, match="in progress: try again when it is over"):
        erase(house)
    assert (house.rows(Subscriber), house.rows(Contact)) == before


async def test_during_a_text_message_it_is_refused(house: House) -> None:
    gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    texts: dict[str, object] = {
        "medium": "sms",
        "sms_gateway_id": gateway_id,
        "aleg_gateway_id": None,
        "text_message": "hi",
    }
    await house.started(0, house.phonebook(NUMBER), **texts)
    await house.advance(1)
    with pytest.raises(RefusedError, match="in progress"):
        erase(house)
    await house.advance(60)
    assert erase(house).subscribers == 1
    (message,) = house.rows(SmsMessage)
    names = ("phone_number", "dialled_number", "text_message", "contact_id", "status", "parts")
    assert [message[name] for name in names] == [ERASED, "", ERASED, None, "Delivered", 1]


async def test_a_callee_who_was_going_to_call_back_does_not(house: House, tmp_path: Path) -> None:
    parameters = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "call_back": 1}'
    house.change(Gateway, house.gateway_id, parameters=parameters)
    survey_id = house.survey({"type": 1, "script": "hello"})
    campaign_id = await house.started(survey_id, house.phonebook(OTHER, NUMBER), callerid="+12025550100")
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550100", campaign_id=campaign_id)
    await house.advance(120)
    assert len(house.rows(CallRequest)) == 2
    erase(house)
    await house.advance(2 * 86_400)
    callers = [row["callerid"] for row in house.rows(Cdr) if row["phone_number"] == "+12025550100"]
    assert callers == [OTHER]
    assert holding(tmp_path, NUMBER) == []


async def test_who_called_in_is_erased_where_callers_stand(house: House, tmp_path: Path) -> None:
    parameters = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "call_back": 1}'
    house.change(Gateway, house.gateway_id, parameters=parameters)
    survey_id = house.survey({"type": 1, "script": "hello"})
    campaign_id = await house.started(survey_id, house.phonebook(NUMBER), callerid="+12025550100")
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550100", campaign_id=campaign_id)
    await house.advance(2 * 86_400)
    erase(house)
    records = [(row["callerid"], row["phone_number"]) for row in house.rows(Cdr)]
    assert records == [("+12025550100", ERASED), (ERASED, "+12025550100")]
    assert [row["callerid"] for row in house.rows(CallRequest)] == ["+12025550100", ERASED]
    assert holding(tmp_path, NUMBER) == []


async def test_records_of_deleted_campaigns_are_erased_too(house: House, tmp_path: Path) -> None:
    """Answers outlive their campaign: their CDR tells whose they are, and the other person's stay as they were."""
    campaign_id = await surveyed(house)
    await house.advance(600)
    answers, (other, person) = house.rows(SurveyResult), [row["callid"] for row in house.rows(Cdr)]
    house.perform(lambda unit: delete_campaign(unit, campaign_id))
    gone = {"campaign_id": None, "callrequest_id": None}
    assert house.rows(SurveyResult) == [{**row, **gone} for row in answers]
    deleted: list[str] = []
    assert erase(house, deleted) == Erased(contacts=1, dnc_contacts=2, recordings=1, others=1)
    assert [row["phone_number"] for row in house.rows(Cdr)] == [OTHER, ERASED]
    assert deleted == [row["record_file"] for row in answers if row["callid"] == person and row["record_file"]]
    left = house.rows(SurveyResult)
    assert [row for row in left if row["callid"] == other] == [
        {**row, **gone} for row in answers if row["callid"] == other
    ]
    own_words = {row["response"] for row in left if row["callid"] == person and row["section_type"] != 2}
    assert (own_words, {row["record_file"] for row in left if row["callid"] == person}) == ({ERASED}, {""})
    assert holding(tmp_path, NUMBER) == []


async def test_old_answers_of_deleted_campaigns_are_erased_and_those_that_were_chosen_stay(house: House) -> None:
    campaign_id = await surveyed(house)
    await house.advance(600)
    house.perform(lambda unit: delete_campaign(unit, campaign_id))
    before, deleted = house.rows(SurveyResult), list[str]()
    first_ms = min(row["created_date"] for row in before)
    assert erase_ended(house.database, first_ms, deleted.append, house.now_ms()) == Erased()
    assert house.rows(SurveyResult) == before
    personal = sum(row["section_type"] != 2 for row in before)
    done = erase_ended(house.database, house.now_ms(), deleted.append, house.now_ms())
    assert done == Erased(recordings=2, others=personal)
    assert [row["response"] for row in house.rows(SurveyResult)] == [
        row["response"] if row["section_type"] == 2 else ERASED for row in before
    ]
    assert erase_ended(house.database, house.now_ms(), deleted.append, house.now_ms()) == Erased()


async def test_subscribers_of_a_contact_are_that_person_whatever_number_they_were_given(house: House) -> None:
    await surveyed(house)
    await house.advance(600)
    house.change(Subscriber, 2, number="+12025550199", duplicate_contact="+12025550199")
    assert erase(house).subscribers == 1
    assert house.row(Subscriber, 2)["duplicate_contact"] == ERASED


async def test_a_recording_under_a_legal_hold_is_left_and_counted(house: House) -> None:
    await surveyed(house)
    await house.advance(600)
    common = {"user_id": 1, "phone_number": NUMBER, "start_date": 0, "seconds": 1, "state": "stored"}

    def store(connection: Connection) -> None:
        connection.execute(insert(CallRecording).values(callid="a", legal_hold=True, **common))
        connection.execute(insert(CallRecording).values(callid="b", **common))

    house.database.write_now(store)
    assert erase(house).held == 1
    kept, gone = house.rows(CallRecording)
    assert (kept["state"], kept["phone_number"], kept["kept_until_ms"]) == ("stored", NUMBER, 0)
    assert (gone["state"], gone["phone_number"]) == ("removed", ERASED)


async def test_erasing_twice_is_erasing_once(house: House) -> None:
    await surveyed(house)
    await house.advance(600)
    erase(house)
    before = [house.rows(model) for model in (Subscriber, CallRequest, Cdr, SmsMessage, SurveyResult, DncContact)]
    assert erase(house) == Erased()
    after = [house.rows(model) for model in (Subscriber, CallRequest, Cdr, SmsMessage, SurveyResult, DncContact)]
    assert after == before


async def test_after_some_days_the_people_of_campaigns_that_ended_go(house: House) -> None:
    """Contacts and do-not-call lists belong to no campaign, and stay."""
    old_id = await surveyed(house)
    await house.advance(600)
    assert house.row(Campaign, old_id)["status"] == CampaignStatus.END
    before, totals = bill(house), _totals(house, old_id)
    ended_ms = house.row(Campaign, old_id)["updated_date"]
    deleted: list[str] = []
    assert erase_ended(house.database, ended_ms, deleted.append, house.now_ms()) == Erased()
    assert erase_ended(house.database, ended_ms + 1, deleted.append, house.now_ms()) == Erased(
        subscribers=2, recordings=2
    )
    assert {row["duplicate_contact"] for row in house.rows(Subscriber)} == {ERASED}
    assert {row["phone_number"] for row in house.rows(Cdr)} == {ERASED}
    assert (bill(house), _totals(house, old_id), len(deleted)) == (before, totals, 2)
    assert ([row["contact"] for row in house.rows(Contact)], len(house.rows(DncContact))) == ([OTHER, WRITTEN], 4)
    assert erase_ended(house.database, ended_ms + DAY_MS, deleted.append, house.now_ms()) == Erased()


async def test_campaigns_that_are_not_over_keep_their_people(house: House) -> None:
    survey_id = house.survey({"type": 1, "script": "hello", "completed": True})
    campaign_id = await house.started(survey_id, house.phonebook(NUMBER), startingdate=house.now_ms() + DAY_MS)
    for status in (CampaignStatus.START, CampaignStatus.PAUSE):
        house.change(Campaign, campaign_id, status=status)
        assert erase_ended(house.database, 2**62, lambda _: None, house.now_ms()) == Erased()
    house.change(Campaign, campaign_id, status=CampaignStatus.ABORT)
    assert erase_ended(house.database, 2**62, lambda _: None, house.now_ms()) == Erased(subscribers=1)


@pytest.mark.parametrize(
    ("last", "busy_s"),
    [
        ({"type": 6, "script": "wait", "phonenumber": OTHER}, 30),
        ({"type": 10, "script": "wait", "sms_text": "Dear {full_name}"}, 17.5),
    ],
)
async def test_whoever_is_busy_in_another_campaign_is_left_for_the_next_time(
    house: House, tmp_path: Path, last: dict[str, Any], busy_s: float
) -> None:
    """They missed a call of one campaign, and have called back a number that another one answers."""
    nobody = '{"answer": 0, "busy": 0, "rejected": 0, "invalid": 0, "call_back": 1, "call_back_after": [10, 10]'
    answers = f'"talk": 60, "numbers": {{"{OTHER}": {{"outcome": "answer"}}, "+33199001234": {{"outcome": "answer"}}}}'
    house.change(Gateway, house.gateway_id, parameters=f"{nobody}, {answers}}}")
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    hello: dict[str, Any] = {"type": 1, "script": "hello"}
    answering = house.survey(hello, last, branches={0: {"0": 1}})
    other_id = await house.started(answering, sms_gateway_id=sms_gateway_id)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550100", campaign_id=other_id)
    shown: dict[str, Any] = {"callerid": "+12025550100", "calltimeout": 5}
    campaign_id = await house.started(house.survey(hello), house.phonebook(NUMBER, "+33199001234"), **shown)
    await house.advance(busy_s)
    assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.END
    assert erase_ended(house.database, 2**62, lambda _: None, house.now_ms()).subscribers == 1
    assert [row["number"] for row in house.rows(Subscriber)] == [NUMBER, "~2"]
    with pytest.raises(RefusedError, match="in progress"):
        erase(house)
    await house.advance(600)
    assert erase_ended(house.database, 2**62, lambda _: None, house.now_ms()).subscribers == 1
    erase(house)
    assert holding(tmp_path, NUMBER) == []
    assert house.database.read_now(audit).differences == []
    assert house.worker.problem() is None
