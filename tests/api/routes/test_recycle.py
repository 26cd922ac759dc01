"""Tests of recycling over the API."""

from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, update

from dialer.app.campaigns import recycle as recycle_campaign
from dialer.domain.words.enums import CallRequestStatus
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, SmsMessage, Subscriber
from tests.api.builders import Estate, stored
from tests.api.harness import NOW_MS, Caller, FakeWorker, Json
from tests.console.building import store
from tests.databases.choice import is_postgresql
from tests.databases.steps import steps

PHONEBOOK_NUMBER: Final = "+1202555{:04d}"


def people(estate: Estate, database: Database, *states: Json) -> list[int]:
    """Replace the subscribers of the estate's campaign by some in these states, and return their ids."""
    campaign_id = estate.campaign["id"]
    database.write_now(
        lambda connection: connection.execute(delete(Subscriber).where(Subscriber.campaign_id == campaign_id))
    )
    completed = sum(state["status"] == S.COMPLETED for state in states)
    database.write_now(lambda c: c.execute(update(Campaign).values(completed=completed)))
    ids = []
    for place, state in enumerate(states):
        number = PHONEBOOK_NUMBER.format(place)
        values = {"campaign_id": campaign_id, "duplicate_contact": number, "number": number, "zone": "", **state}
        ids.append(stored(database, Subscriber, **values))
    return ids


def statuses(database: Database, ids: list[int]) -> list[int]:
    query = Subscriber.__table__.select().where(Subscriber.id.in_(ids)).order_by(Subscriber.id)
    return [row.status for row in database.read_now(lambda connection: connection.execute(query).all())]


def recycle(estate: Estate, query: str = "", **fields: Json) -> Json:
    answer = estate.owner.request("POST", f"{estate.campaign['url']}recycle/{query}", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def called(estate: Estate, subscriber_id: int, attempt: int, cause: int, status: int = 2) -> None:
    stored(
        estate.database,
        CallRequest,
        campaign_id=estate.campaign["id"],
        subscriber_id=subscriber_id,
        user_id=estate.user_id,
        gateway_id=1,
        attempt=attempt,
        callid=f"c{subscriber_id}-{attempt}",
        phone_number="",
        callerid="",
        status=status,
        started_ms=NOW_MS,
        ring_limit_ms=1,
        talk_limit_ms=1,
        hold=0,
        call_rate=0,
        hangup_cause_q850=cause,
    )


def test_those_in_the_given_states_are_called_again(estate: Estate, database: Database, worker: FakeWorker) -> None:
    ids = people(estate, database, *[{"status": status, "count_attempt": 1} for status in S])
    answer = recycle(estate, status=[4, "sent"])
    assert answer == {"dry_run": False, "recycled": 2, "by_status": {"FAIL": 1, "SENT": 1}, "kept": {}}
    assert statuses(database, ids) == [1, 2, 3, 1, 1, 6, 7, 8]
    assert worker.settled == 1
    assert recycle(estate, status=4)["recycled"] == 0


@pytest.mark.skipif(is_postgresql(), reason="counts the steps of SQLite")
def test_a_look_at_one_person_costs_the_same_however_many_calls_and_texts_are_under_way(
    estate: Estate, database: Database
) -> None:
    person, other = people(estate, database, {"status": S.COMPLETED}, {"status": S.IN_PROCESS})

    def look(connection: Connection) -> None:
        assert recycle_campaign.why_not_again(connection, person, 0) is None

    steps(database, look)
    few = steps(database, look)
    shared = {"campaign_id": estate.campaign["id"], "subscriber_id": other, "user_id": estate.user_id, "gateway_id": 1}
    shared |= {"phone_number": "", "callerid": "", "hold": 0}
    call = {**shared, "status": CallRequestStatus.CALLING, "started_ms": NOW_MS, "ring_limit_ms": 1, "talk_limit_ms": 1}
    text = {**shared, "message_id": "", "text_message": "", "parts": 1, "status": "sent", "send_date": NOW_MS}
    calls = [{**call, "call_rate": 0, "attempt": one, "callid": str(one)} for one in range(1, 1_000)]
    store(
        database,
        insert(CallRequest).values(calls),
        insert(SmsMessage).values([{**text, "attempt": one} for one in range(1, 1_000)]),
    )
    assert steps(database, look) <= few + 5


def test_a_recycled_subscriber_is_due_and_keeps_its_attempts(estate: Estate, database: Database) -> None:
    failed = {"status": 4, "status_reason": "busy", "halt_reason": "x", "count_attempt": 2, "failure_count": 2}
    ids = people(estate, database, failed, {"status": 3})
    recycle(estate, status=["FAIL", "ABORT"])
    rows = database.read_now(lambda c: c.execute(Subscriber.__table__.select().where(Subscriber.id.in_(ids))).all())
    found = [
        (row.status, row.status_reason, row.halt_reason, row.count_attempt, row.failure_count, row.due_ms)
        for row in rows
    ]
    assert found == [(1, "", "", 2, 2, NOW_MS), (1, "", "", 0, 0, 0)]


def test_the_counter_of_completed_follows(estate: Estate, database: Database) -> None:
    people(estate, database, {"status": 8}, {"status": 8}, {"status": 5})
    assert recycle(estate, status=[5])["by_status"] == {"SENT": 1}
    assert estate.owner.get(estate.campaign["url"])["completed"] == 2
    assert recycle(estate, status=[8])["by_status"] == {"COMPLETED": 2}
    assert estate.owner.get(estate.campaign["url"])["completed"] == 0


def test_reasons_and_last_causes_narrow(estate: Estate, database: Database) -> None:
    busy, silent = {"status": 4, "status_reason": "busy"}, {"status": 4, "status_reason": "no_answer"}
    twice = {"count_attempt": 2}
    ids = people(estate, database, busy | twice, silent | twice, busy | twice, silent | {"count_attempt": 1})
    causes = [(ids[0], 1, 19), (ids[0], 2, 17), (ids[1], 1, 17), (ids[1], 2, 19), (ids[2], 2, 34), (ids[3], 1, 19)]
    for subscriber_id, attempt, cause in causes:
        called(estate, subscriber_id, attempt, cause)
    assert recycle(estate, "?dry_run=true", status=[4], reason=["busy"])["recycled"] == 2
    assert recycle(estate, "?dry_run=true", status=[4], hangup_cause=[17, 34])["recycled"] == 2
    recycle(estate, status=[4], reason="busy", hangup_cause=17)
    assert statuses(database, ids) == [1, 4, 4, 4]
    recycle(estate, status=[4], hangup_cause=[19])
    assert statuses(database, ids) == [1, 1, 4, 1]


def test_those_who_must_not_be_called_are_kept(estate: Estate, database: Database) -> None:
    sent: Json = {"status": 5}
    deleted = {"status": 3, "status_reason": "contact_deleted"}
    erased = {"status": 3, "duplicate_contact": "erased", "number": "#x", "status_reason": "erased"}
    emergency = {"status": 7, "duplicate_contact": "911", "number": "911"}
    ids = people(estate, database, sent, sent, sent, deleted, erased, emergency)
    called(estate, ids[1], -1, 0, status=7)
    estate.owner.change(estate.campaign["url"], dnc=estate.dnc["url"])
    estate.owner.create("dnc-contact", dnc=estate.dnc["url"], phone_number="(202) 555-0000".replace("(", "+1 ("))
    answer = recycle(estate, status=[3, 5, 7])
    assert answer["kept"] == {"deleted": 2, "dnc": 1, "emergency": 1, "in_progress": 1}
    assert (answer["by_status"], statuses(database, ids)) == ({"SENT": 1}, [5, 5, 1, 3, 3, 7])


def test_a_dry_run_changes_nothing(estate: Estate, database: Database, worker: FakeWorker) -> None:
    ids = people(estate, database, {"status": 4}, {"status": 4})
    expected = {"dry_run": True, "recycled": 2, "by_status": {"FAIL": 2}, "kept": {}}
    assert recycle(estate, "?dry_run=true", status=[4]) == expected
    assert recycle(estate, status=[4], dry_run=True) == expected
    assert (statuses(database, ids), worker.settled) == ([4, 4], 0)
    assert recycle(estate, "?dry_run=false", status=[4])["dry_run"] is False


@pytest.mark.parametrize("status", [3, 4])
def test_a_campaign_that_is_over_is_refused(estate: Estate, database: Database, status: int) -> None:
    ids = people(estate, database, {"status": 4})
    database.write_now(lambda connection: connection.execute(update(Campaign).values(status=status)))
    for query in ("", "?dry_run=true"):
        refused, body = estate.owner.refused("POST", f"{estate.campaign['url']}recycle/{query}", status=[4])
        assert (refused, "Call its people again in a new campaign" in body["detail"]) == (409, True)
    assert statuses(database, ids) == [4]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["status"]),
        ({"status": []}, ["status"]),
        ({"status": [1]}, ["status"]),
        ({"status": ["IN_PROCESS"]}, ["status"]),
        ({"status": [True]}, ["status"]),
        ({"status": [[4]]}, ["status"]),
        ({"status": [4] * 101}, ["status"]),
        ({"status": None, "reason": ["weather"], "hangup_cause": [128]}, ["hangup_cause", "reason", "status"]),
        ({"status": [4], "dry_run": "perhaps"}, ["dry_run"]),
    ],
)
def test_wrong_fields_are_named(estate: Estate, body: Json, fields: list[str]) -> None:
    status, errors = estate.owner.refused("POST", f"{estate.campaign['url']}recycle/", **body)
    assert (status, sorted(errors)) == (400, fields)


@pytest.mark.parametrize("status", ["NOPE", "99", 99, "PENDING", None, True, {}])
def test_a_wrong_status_is_answered_with_those_that_there_are(estate: Estate, status: Json) -> None:
    found, errors = estate.owner.refused("POST", f"{estate.campaign['url']}recycle/", status=[status])
    ways = "2 (PAUSE), 3 (ABORT), 4 (FAIL), 5 (SENT), 7 (NOT_AUTHORIZED), 8 (COMPLETED)"
    assert (found, list(errors)) == (400, ["status"])
    assert errors["status"][0].endswith(f"is not a status to recycle. Use {ways}.")


def test_a_wrong_parameter_is_named(estate: Estate) -> None:
    status, errors = estate.owner.refused("POST", f"{estate.campaign['url']}recycle/?dry_run=x", status=[4])
    assert (status, list(errors)) == (400, ["dry_run"])


def test_nobody_recycles_the_campaign_of_another(estate: Estate, bob: Caller) -> None:
    assert bob.refused("POST", f"{estate.campaign['url']}recycle/", status=[4])[0] == 404


def test_a_repeated_request_gets_the_first_answer(estate: Estate, database: Database) -> None:
    people(estate, database, {"status": 4})
    path, key = f"{estate.campaign['url']}recycle/", {"Idempotency-Key": "k1"}
    first, again = (estate.owner.request("POST", path, json={"status": [4]}, headers=key) for _ in range(2))
    assert (first.json()["recycled"], again.content) == (1, first.content)
    other = estate.owner.request("POST", f"{path}?dry_run=true", json={"status": [4]}, headers=key)
    assert other.status_code == 422


def test_a_campaign_of_messages_is_recycled(estate: Estate, database: Database) -> None:
    of_campaign = Subscriber.campaign_id == estate.sms_campaign["id"]
    database.write_now(lambda c: c.execute(update(Subscriber).where(of_campaign).values(status=5, count_attempt=1)))
    path = f"{estate.sms_campaign['url']}recycle/"
    assert estate.owner.request("POST", path, json={"status": [5]}).json()["recycled"] == 1


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(st.sampled_from(list(S)), min_size=1, max_size=12),
    wanted=st.sets(st.sampled_from([2, 3, 4, 5, 7, 8]), min_size=1),
    chunk=st.integers(1, 5),
)
def test_chunks_of_any_size_recycle_exactly_those_that_are_wanted(
    estate: Estate, database: Database, states: list[S], wanted: set[int], chunk: int
) -> None:
    ids = people(estate, database, *[{"status": status} for status in states])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recycle_campaign, "RECYCLE_CHUNK", chunk)
        counted = recycle(estate, "?dry_run=true", status=sorted(wanted))
        answer = recycle(estate, status=sorted(wanted))
    assert answer == counted | {"dry_run": False}
    assert statuses(database, ids) == [1 if status in wanted else status for status in states]
    assert answer["recycled"] == sum(status in wanted for status in states)


KINDS: Final = st.sampled_from(["collected", "given a contact", "without a contact"])
PERSONS: Final = st.lists(st.tuples(KINDS, st.sampled_from(sorted(S)), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(persons=PERSONS)
def test_nobody_whose_contact_was_deleted_is_ever_set_back(
    estate: Estate, database: Database, persons: list[tuple[str, S, bool]]
) -> None:
    """Neither by recycling nor by a PATCH, whichever way they came into the campaign."""
    people(estate, database)
    store(database, update(Campaign).values(status=1))
    book = estate.owner.create("phonebook", name="Book")["url"]
    deleted = set()
    book_id = int(book.rstrip("/").rpartition("/")[2])
    for place, (kind, status, is_deleted) in enumerate(persons):
        number = PHONEBOOK_NUMBER.format(place)
        is_contact = kind != "without a contact"
        contact: Json = estate.owner.create("contact", contact=number, phonebook=book) if is_contact else None
        if kind == "collected":
            where = {"contact_id": contact["id"], "phonebook_id": book_id}
            values = {"duplicate_contact": number, "number": number, "zone": ""}
            made = stored(database, Subscriber, campaign_id=estate.campaign["id"], **values, **where)
        else:
            named = {"contact": contact["url"]} if is_contact else {"duplicate_contact": number}
            made = estate.owner.create("subscriber-list", campaign=estate.campaign["url"], **named)["id"]
        store(database, update(Subscriber).where(Subscriber.id == made).values(status=status))
        if is_contact and is_deleted:
            assert estate.owner.request("DELETE", contact["url"]).status_code == 204
            deleted.add(made)
    for subscriber_id in deleted:
        estate.owner.request("PATCH", f"subscriber-list/{subscriber_id}/", json={"status": 1})
    recycle(estate, status=[2, 3, 4, 5, 7, 8])
    assert S.PENDING not in statuses(database, sorted(deleted))
