"""Tests of calling people of a campaign that is over again, over the API."""

from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, update

from dialer.domain.rules.call_again import AgainOutcome
from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import AgentDisposition, CampaignStatus, LegType
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.database.database import Database
from dialer.store.tables import (
    CallDisposition,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    DncContact,
    PeopleToCopy,
    SealedSurvey,
    Subscriber,
    Transfer,
)
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, Json
from tests.api.routes.test_recycle import PHONEBOOK_NUMBER, people
from tests.console.building import store

ALL: Final = [outcome.value for outcome in AgainOutcome]
BUSY: Final = {"status": S.FAIL, "status_reason": "busy", "count_attempt": 1}
SENT: Final = {"status": S.SENT, "count_attempt": 1}
DAY_MS: Final = 86_400_000


def end(estate: Estate, status: CampaignStatus = CampaignStatus.END) -> None:
    this = Campaign.id == estate.campaign["id"]
    estate.database.write_now(lambda c: c.execute(update(Campaign).where(this).values(status=status)))


def again(estate: Estate, path: str = "", expected: int = 201, headers: Json = None, **fields: Json) -> Json:
    url = path or estate.campaign["url"]
    answer = estate.owner.request("POST", f"{url}call-again/", json=fields, headers=headers)
    assert answer.status_code == expected, answer.text
    return answer.json()


def numbers(database: Database, url: str) -> list[str]:
    campaign_id = int(url.rstrip("/").rpartition("/")[2])
    query = select(Subscriber.number).where(Subscriber.campaign_id == campaign_id).order_by(Subscriber.number)
    return list(database.read_now(lambda c: c.scalars(query).all()))


def number(place: int) -> str:
    return PHONEBOOK_NUMBER.format(place)


def call(
    estate: Estate, subscriber_id: int, attempt: int = 1, *, said: str = "", taken_ms: int | None = None, **cdr: Json
) -> None:
    """Store a call that is over, with its CDR, what the agent said, and when an agent took it."""
    times = {"started_ms": NOW_MS, "ring_limit_ms": 1, "talk_limit_ms": 1, "hold": 0, "call_rate": 0, "gateway_id": 1}
    call_id = stored(
        estate.database,
        CallRequest,
        campaign_id=estate.campaign["id"],
        subscriber_id=subscriber_id,
        user_id=estate.user_id,
        attempt=attempt,
        callid=f"c{subscriber_id}-{attempt}",
        phone_number="",
        callerid="",
        status=4,
        **times,
    )
    leg = {
        "starting_date": NOW_MS,
        "duration": 1,
        "billsec": 1,
        "call_cost": 0,
        "billed_duration": 1,
        "contact_id": None,
    }
    leg |= {"hangup_cause_q850": 16, "leg_type": LegType.A_LEG, "amd_status": 1, "campaign_id": None}
    names = {"user_id": estate.user_id, "callid": f"d{call_id}", "callerid": "", "phone_number": ""}
    stored(estate.database, Cdr, callrequest_id=call_id, subscriber_id=subscriber_id, **names, **{**leg, **cdr})
    if taken_ms is not None:
        transfer = {"place": 1, "section_id": 1, "status": 4, "joined_ms": NOW_MS, "answered_ms": taken_ms}
        owned = {"user_id": estate.user_id, "callrequest_id": call_id}
        stored(estate.database, Transfer, **owned, **transfer, parameters="", is_abandoned=True)
    if said:
        dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
        stored(estate.database, CallDisposition, callrequest_id=call_id, disposition=said, **dates)


def seal(estate: Estate, *, has_completion: bool) -> None:
    survey = Survey((Section(id=1, type=1, question="", prompt=Prompt(), completed=has_completion),))
    values = {"id": estate.campaign["id"], "document": encode_survey(survey)}
    estate.database.write_now(lambda c: c.execute(insert(SealedSurvey).values(values)))


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("status", [CampaignStatus.END, CampaignStatus.ABORT])
def test_those_with_the_given_outcomes_are_in_a_new_campaign(
    estate: Estate, database: Database, status: CampaignStatus
) -> None:
    silent = {**BUSY, "status_reason": "no_answer"}
    people(estate, database, BUSY, silent, BUSY, {"status": S.COMPLETED, "count_attempt": 1}, SENT, {"status": 1})
    end(estate, status)
    made = again(estate, outcomes=["busy", "not_called"], confirm=3)
    assert made["people"] == 3
    assert made["by_outcome"] == {"not_called": 1, "busy": 2, "no_answer": 1}
    assert made["kept"] == {"done": 2}
    assert numbers(database, made["campaign"]) == [number(0), number(2), number(5)]
    new, old = estate.owner.get(made["campaign"]), estate.owner.get(estate.campaign["url"])
    assert (new["status"], new["totalcontact"], new["phonebook"]) == (0, 3, [])
    assert new["name"] == f"{old['name']} \N{EN DASH} again"
    assert new["source_campaign"] == old["url"]
    assert old["source_campaign"] is None
    same = ("object_id", "aleg_gateway", "frequency", "maxretry", "user", "end_when_done", "callerid")
    assert [new[name] for name in same] == [old[name] for name in same]
    listed = estate.owner.get(f"/rest-api/campaigns/?source_campaign={old['id']}")
    assert [one["id"] for one in listed["results"]] == [new["id"]]


@pytest.mark.usefixtures("worker")
def test_the_new_subscribers_begin_anew_with_what_was_known(estate: Estate, database: Database) -> None:
    known = {"full_name": "Ada", "additional_vars": '{"a": "b"}', "tz_code": "UTC", "gmt_offset": "+1", "zone": "z"}
    people(estate, database, {**BUSY, **known, "failure_count": 2, "due_ms": 9, "last_attempt": 9, "halt_reason": "x"})
    end(estate)
    made = again(estate, outcomes=["busy"])
    campaign_id = int(made["campaign"].rstrip("/").rpartition("/")[2])
    query = select(Subscriber.__table__).where(Subscriber.campaign_id == campaign_id)
    row = dict(database.read_now(lambda c: c.execute(query).mappings().one()))
    assert {name: row[name] for name in known} == known
    fresh = ("status_reason", "halt_reason", "count_attempt", "failure_count", "completion_count", "due_ms")
    assert [row["status"], *(row[name] for name in fresh)] == [S.PENDING, "", "", 0, 0, 0, 0]
    assert row["last_attempt"] is None
    assert row["user_id"] == estate.user_id


@pytest.mark.usefixtures("worker")
def test_a_dry_run_counts_and_creates_nothing(estate: Estate, database: Database) -> None:
    people(estate, database, BUSY, BUSY, SENT)
    end(estate)
    answer = {"campaign": None, "by_outcome": {"busy": 2}, "kept": {"done": 1}, "dry_run": True}
    assert again(estate, expected=200, dry_run=True) == {**answer, "people": 0}
    url = f"{estate.campaign['url']}call-again/?dry_run=true"
    assert estate.owner.request("POST", url, json={"outcomes": "busy"}).json() == {**answer, "people": 2}
    assert estate.owner.get("/rest-api/campaigns/")["count"] == 1


@pytest.mark.usefixtures("worker")
def test_orders_that_cannot_be_followed_are_refused(estate: Estate, database: Database) -> None:
    people(estate, database, BUSY, SENT)
    assert "so it is not over" in again(estate, expected=409, outcomes=["busy"])["detail"]
    end(estate)
    assert again(estate, expected=400) == {"outcomes": ["Give at least one outcome."]}
    assert "outcomes" in again(estate, expected=400, outcomes=["done"])
    assert "Nobody" in again(estate, expected=409, outcomes=["no_answer"])["detail"]
    assert "1 people" in again(estate, expected=409, outcomes=["busy"], confirm=2)["detail"]
    assert "name" in again(estate, expected=400, outcomes=["busy"], name="")
    assert "expirationdate" in again(estate, expected=400, outcomes=["busy"], expirationdate="2001-01-01")
    assert estate.owner.get("/rest-api/campaigns/")["count"] == 1


@pytest.mark.usefixtures("worker")
def test_nobody_calls_people_of_another_account_again(
    both_estates: tuple[Estate, Estate], database: Database, admin: Caller
) -> None:
    estate, stranger = both_estates
    people(estate, database, BUSY)
    end(estate)
    url = f"{estate.campaign['url']}call-again/"
    assert stranger.owner.request("POST", url, json={"outcomes": ["busy"]}).status_code == 404
    assert estate.owner.request("POST", "/rest-api/campaigns/999/call-again/", json={}).status_code == 404
    made = again(estate, outcomes=["busy"])["campaign"]
    assert admin.request("PATCH", made, json={"user": stranger.user_id}).status_code == 400


@pytest.mark.usefixtures("worker")
def test_the_same_order_twice_makes_one_campaign(estate: Estate, database: Database) -> None:
    people(estate, database, BUSY)
    end(estate)
    key = {"Idempotency-Key": "k"}
    first = again(estate, outcomes=["busy"], headers=key)
    assert again(estate, outcomes=["busy"], headers=key) == first
    assert again(estate, expected=200, outcomes=["busy"], dry_run=True)["kept"] == {"called_again": 1}
    assert "Nobody" in again(estate, expected=409, outcomes=["busy"])["detail"]


@pytest.mark.parametrize("has_completion", [True, False])
@pytest.mark.usefixtures("worker")
def test_an_answer_alone_does_not_say_that_a_person_was_reached(
    estate: Estate, database: Database, *, has_completion: bool
) -> None:
    ids = people(estate, database, *[SENT] * 9)
    seal(estate, has_completion=has_completion)
    call(estate, ids[0])
    call(estate, ids[1], amd_status=2)
    call(estate, ids[2], is_abandoned=True)
    for place, said in enumerate(
        ["no_conversation", "call_back", "success", "not_interested", "other", "wrong_person"]
    ):
        call(estate, ids[3 + place], said=said)
    end(estate)
    found = again(estate, expected=200, dry_run=True)
    outcomes = {"machine": 1, "abandoned": 1, "no_conversation": 1, "call_back": 1}
    assert found["by_outcome"] == outcomes | ({"not_completed": 1} if has_completion else {})
    assert found["kept"] == {"done": 2 if has_completion else 3, "refused": 2}


@pytest.mark.usefixtures("worker")
def test_people_whom_an_agent_took_late_were_reached(estate: Estate, database: Database) -> None:
    """The call counts as abandoned by the rule of two seconds, but did not wait in vain."""
    ids = people(estate, database, SENT, SENT)
    seal(estate, has_completion=False)
    call(estate, ids[0], is_abandoned=True, taken_ms=NOW_MS + 5_000)
    call(estate, ids[1], is_abandoned=True)
    end(estate)
    found = again(estate, expected=200, dry_run=True)
    assert (found["by_outcome"], found["kept"]) == ({"abandoned": 1}, {"done": 1})


@pytest.mark.parametrize("expected", ["PENDING", "SENT"])
@pytest.mark.usefixtures("worker")
def test_people_whose_transfer_nobody_took_are_called_again(estate: Estate, database: Database, expected: str) -> None:
    """One was called back in vain, one waited over two seconds, and one has an agent's word from an earlier call."""
    ids = people(estate, database, *[{"status": S[expected], "status_reason": "not_served", "count_attempt": 1}] * 3)
    seal(estate, has_completion=True)
    call(estate, ids[0])
    call(estate, ids[1], is_abandoned=True)
    call(estate, ids[2], said="success")
    end(estate)
    found = again(estate, expected=200, dry_run=True)
    by_outcome = {"not_served": 2} if expected == "PENDING" else {"abandoned": 1, "not_served": 1}
    assert (found["by_outcome"], found["kept"]) == (by_outcome, {"done": 1})


@pytest.mark.usefixtures("worker")
def test_people_who_completed_the_survey_by_calling_in_were_reached(estate: Estate, database: Database) -> None:
    ids = people(estate, database, BUSY, BUSY, BUSY)
    call(estate, ids[0], is_completed=False)
    call(estate, ids[0], -1, is_completed=True)
    call(estate, ids[0], -2, is_completed=False)
    call(estate, ids[1], -1, is_completed=False)
    end(estate)
    found = again(estate, expected=200, dry_run=True)
    assert (found["by_outcome"], found["kept"]) == ({"busy": 2}, {"done": 1})


@pytest.mark.usefixtures("worker")
def test_those_who_must_not_be_called_are_in_no_new_campaign(estate: Estate, database: Database) -> None:
    lost = {**BUSY, "phonebook_id": estate.phonebook["id"], "contact_id": None}
    erased = {**BUSY, "duplicate_contact": "erased", "number": "#x"}
    emergency = {**BUSY, "duplicate_contact": "911", "number": "911"}
    stopped = {"status": S.ABORT, "status_reason": ""}
    ids = people(estate, database, BUSY, BUSY, BUSY, lost, stopped, erased, emergency)
    call(estate, ids[1], said="do_not_call")
    listed = {"user_id": estate.user_id, "phone_number": number(2), "number": number(2)}
    estate.owner.change(estate.campaign["url"], dnc=estate.dnc["url"])
    stored(database, DncContact, dnc_id=estate.dnc["id"], **listed, created_date=0, updated_date=0)
    end(estate)
    made = again(estate, outcomes=ALL)
    kept = {"refused": 1, "dnc": 1, "deleted": 2, "stopped": 1, "emergency": 1}
    assert (made["people"], made["kept"]) == (1, kept)
    assert numbers(database, made["campaign"]) == [number(0)]


@pytest.mark.usefixtures("worker")
def test_text_messages_are_sent_again_to_those_who_got_none(estate: Estate, database: Database) -> None:
    campaign = estate.sms_campaign
    for place, reason in enumerate(["not_delivered", "no_route", ""]):
        values = {"duplicate_contact": number(place), "number": number(place), "zone": "", "status_reason": reason}
        status = S.FAIL if reason else S.SENT
        stored(database, Subscriber, campaign_id=campaign["id"], status=status, count_attempt=1, **values)
    this = Campaign.id == campaign["id"]
    database.write_now(lambda c: c.execute(update(Campaign).where(this).values(status=4)))
    made = again(estate, path=campaign["url"], outcomes=["not_delivered", "no_route"], name="Once more")
    assert numbers(database, made["campaign"]) == [number(0), number(1)]
    new = estate.owner.get(made["campaign"])
    assert (new["name"], new["source_campaign"]) == ("Once more", campaign["url"])
    assert new["text_message"] == campaign["text_message"]


@pytest.mark.usefixtures("worker")
def test_late_contacts_join_only_if_asked_for_and_never_those_of_the_other_campaign(
    estate: Estate, database: Database
) -> None:
    owner, book = estate.owner, estate.phonebook["url"]
    people(estate, database, BUSY, SENT)
    owner.change(estate.campaign["url"], phonebook=[book])
    end(estate)
    made = again(estate, outcomes=["busy"], late_contacts=True)
    owner.change(made["campaign"], status=1)
    third = again_of_again(estate, database, made["campaign"])
    for place in range(3):
        owner.create("contact", contact=number(place), phonebook=book)
    assert numbers(database, made["campaign"]) == [number(0)]
    assert numbers(database, third) == [number(0), number(2)]
    # Not by naming the phonebook either.
    owner.change(third, phonebook=[book])
    assert number(1) not in numbers(database, third)


def again_of_again(estate: Estate, database: Database, url: str) -> str:
    """End a campaign whose one subscriber was busy, and start one that calls them again, with late contacts."""
    campaign_id = int(url.rstrip("/").rpartition("/")[2])
    of_campaign = Subscriber.campaign_id == campaign_id
    database.write_now(lambda c: c.execute(update(Subscriber).where(of_campaign).values(BUSY)))
    estate.owner.change(url, status=4)
    third: str = again(estate, path=url, outcomes=["busy"], late_contacts=True)["campaign"]
    estate.owner.change(third, status=1)
    return third


@pytest.mark.usefixtures("worker")
def test_without_late_contacts_nobody_joins(estate: Estate, database: Database) -> None:
    people(estate, database, BUSY)
    estate.owner.change(estate.campaign["url"], phonebook=[estate.phonebook["url"]])
    end(estate)
    made = again(estate, outcomes=["busy"])
    estate.owner.change(made["campaign"], status=1)
    estate.owner.create("contact", contact=number(7), phonebook=estate.phonebook["url"])
    assert numbers(database, made["campaign"]) == [number(0)]


@pytest.mark.usefixtures("worker")
def test_a_corrected_number_is_called_in_place_of_the_old_one(estate: Estate, database: Database) -> None:
    contact = estate.owner.create("contact", contact=number(0), phonebook=estate.phonebook["url"])
    origin = {"contact_id": contact["id"], "phonebook_id": estate.phonebook["id"]}
    people(estate, database, {**BUSY, **origin})
    end(estate)
    made = again(estate, outcomes=["busy"])
    estate.owner.change(contact["url"], contact=number(8))
    assert numbers(database, made["campaign"]) == [number(0), number(8)]
    campaign_id = int(made["campaign"].rstrip("/").rpartition("/")[2])
    query = select(Subscriber.number, Subscriber.status).where(Subscriber.campaign_id == campaign_id)
    assert dict(database.read_now(lambda c: c.execute(query).all())) == {number(0): S.ABORT, number(8): S.PENDING}


@pytest.mark.usefixtures("worker")
def test_a_new_campaign_that_was_ended_keeps_nothing_from_being_deleted(estate: Estate, database: Database) -> None:
    people(estate, database, BUSY)
    end(estate)
    made = again(estate, outcomes=["busy"])["campaign"]
    campaign_id = int(made.rstrip("/").rpartition("/")[2])
    store(database, insert(PeopleToCopy).values(id=campaign_id, outcomes="busy", after_number=""))
    estate.owner.change(made, status=4)
    assert estate.owner.request("DELETE", estate.campaign["url"]).status_code == 200


STATES: Final = st.fixed_dictionaries(
    {
        "status": st.sampled_from(list(S)),
        "status_reason": st.sampled_from(["", *SubscriberReason]),
        "count_attempt": st.integers(0, 2),
    }
)
PERSON: Final = st.tuples(
    STATES,
    st.sampled_from(["", *AgentDisposition]),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@pytest.mark.usefixtures("worker")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(persons=st.lists(PERSON, max_size=8), chosen=st.sets(st.sampled_from(ALL), min_size=1))
def test_nobody_who_is_done_or_must_not_be_called_is_ever_called_again(
    estate: Estate, database: Database, persons: list[Json], chosen: set[str]
) -> None:
    reset(estate, database)
    rows = []
    for state, _, _, _, is_lost, _ in persons:
        rows.append({**state, **({"phonebook_id": 1} if is_lost else {})})
    ids = people(estate, database, *rows)
    never = set()
    for place, (state, said, amd_status, is_abandoned, is_lost, is_listed) in enumerate(persons):
        call(estate, ids[place], said=said, amd_status=amd_status, is_abandoned=is_abandoned)
        if is_listed:
            listed = {"user_id": estate.user_id, "phone_number": number(place), "number": number(place)}
            stored(database, DncContact, dnc_id=estate.dnc["id"], **listed, created_date=0, updated_date=0)
        is_done = state["status"] == S.COMPLETED or said == "success"
        has_refused = said in {"not_interested", "wrong_person", "do_not_call"}
        if is_done or has_refused or is_lost or is_listed or state["status"] == S.IN_PROCESS:
            never.add(number(place))
    end(estate)
    url = f"{estate.campaign['url']}call-again/"
    dry = again(estate, expected=200, outcomes=sorted(chosen), dry_run=True)
    assert sum(dry["by_outcome"].values()) + sum(dry["kept"].values()) == len(persons)
    answer = estate.owner.request("POST", url, json={"outcomes": sorted(chosen), "confirm": dry["people"]})
    assert answer.status_code == (201 if dry["people"] else 409)
    if dry["people"]:
        called = numbers(database, answer.json()["campaign"])
        assert len(called) == dry["people"]
        assert never.isdisjoint(called)


def reset(estate: Estate, database: Database) -> None:
    """Remove what an earlier example left."""
    this = estate.campaign["id"]
    store(
        database,
        delete(Campaign).where(Campaign.source_campaign_id == this),
        delete(DncContact),
        delete(Cdr),
        delete(CallRequest),
        delete(Contact),
        update(Campaign).where(Campaign.id == this).values(status=0, dnc_id=estate.dnc["id"]),
    )
