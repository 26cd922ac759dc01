"""Phonebooks, contacts and do-not-call lists."""

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select, update

from dialer.domain.calling_times.zones import zones_of_key
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, DncContact, Subscriber
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, Caller, FakeWorker, Json


def row(database: Database, model: Json, record_id: int) -> dict[str, Any]:
    table = model.__table__
    query = table.select().where(table.c.id == record_id)
    return dict(database.read_now(lambda connection: connection.execute(query).mappings().one()))


def test_a_contact_is_kept_as_it_was_given_and_in_normal_form(alice: Caller, database: Database) -> None:
    book = alice.create("phonebook", name="friends")
    contact = alice.create(
        "contact",
        contact="+1 (202) 555-0100",
        phonebook=book["id"],
        full_name="Ann Lee",
        additional_vars='{"city": "Köln", "n": [1]}',
    )
    assert contact == {
        "id": 1,
        "url": f"{BASE}/contact/1/",
        "phonebook": book["url"],
        "contact": "+1 (202) 555-0100",
        "full_name": "Ann Lee",
        "additional_vars": '{"city":"Köln","n":[1]}',
        "tz_code": "",
        "created_date": NOW,
        "updated_date": NOW,
    }
    stored = row(database, Contact, 1)
    assert (stored["number"], stored["zone"]) == ("+12025550100", "America/New_York")
    alice.change(contact["url"], contact="+49 30 901820", additional_vars={"a": 1})
    stored = row(database, Contact, 1)
    assert (stored["number"], stored["zone"]) == ("+4930901820", "Europe/Berlin")
    assert alice.get(contact["url"])["additional_vars"] == '{"a":1}'


@pytest.mark.parametrize(
    ("tz_code", "zones"),
    [
        ("America/Vancouver", ("America/Vancouver",)),
        ("America/New_York&America/Chicago", ("America/Chicago", "America/New_York")),
        ("UTC-05:00", ("UTC-05:00",)),
        ("Europe/Paris@FR", ("Europe/Paris",)),
        ("@CA", ("America/New_York",)),
        ("", ("America/New_York",)),
    ],
)
def test_a_persons_own_zone_wins_over_that_of_the_number(
    alice: Caller, database: Database, tz_code: str, zones: tuple[str, ...]
) -> None:
    book = alice.create("phonebook", name="friends")
    contact = alice.create("contact", contact="+12025550100", phonebook=book["id"], tz_code=tz_code)
    alice.change(contact["url"], full_name="Ann Lee")
    fields = {"phonebook": book["id"], "contact": "+12025550101", "tz_code": tz_code}
    (bulk,) = alice.request("POST", "contact/bulk/", json=[fields]).json()["results"]
    assert (alice.get(contact["url"])["tz_code"], bulk["status"]) == (tz_code, 201)
    assert zones_of_key(row(database, Contact, bulk["id"])["zone"]) == zones
    assert zones_of_key(row(database, Contact, 1)["zone"]) == zones


@pytest.mark.parametrize("tz_code", ["Mars/Olympus", "localtime", "America/New_York@us", "UTC+25:00", "a&", "@", "&"])
def test_a_zone_that_nobody_knows_is_refused(alice: Caller, tz_code: str) -> None:
    book = alice.create("phonebook", name="friends")
    fields = {"contact": "+12025550100", "phonebook": book["id"], "tz_code": tz_code}
    refusal = {"tz_code": [f"{tz_code!r} is not a time zone. Use an IANA name, such as Europe/Madrid."]}
    assert alice.refused("POST", "contact/", **fields) == (400, refusal)
    (bulk,) = alice.request("POST", "contact/bulk/", json=[fields]).json()["results"]
    assert bulk == {"status": 400, "errors": refusal}


def test_a_contact_that_repeats_another_names_the_first(alice: Caller) -> None:
    books = [alice.create("phonebook", name=name)["id"] for name in ("friends", "family")]
    spellings = ["+12025550100", "+1 (202) 555-0100", "+1.202.555.0100"]
    answers = [
        alice.request("POST", "contact/", json={"contact": number, "phonebook": book})
        for book in books
        for number in spellings
    ]
    assert [answer.status_code for answer in answers] == [201] * 6
    first, other = f"{BASE}/contact/1/", f"{BASE}/contact/4/"
    named = [answer.headers.get("x-duplicate-of") for answer in answers]
    assert named == [None, first, first, None, other, other]


def test_a_contact_that_repeats_another_is_refused_where_the_client_is_strict(alice: Caller) -> None:
    body = {"contact": "+12025550100", "phonebook": alice.create("phonebook", name="friends")["id"]}
    strict = {"Prefer": "handling=strict", "Idempotency-Key": "once"}
    answers = [alice.request("POST", "contact/", json=body, headers=strict) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]  # One that is sent again repeats nothing.
    refused = alice.request("POST", "contact/", json=body, headers={"Prefer": "handling=strict"})
    detail = f"This record repeats {BASE}/contact/1/. Change that record, or send this without handling=strict."
    assert (refused.status_code, refused.json()) == (409, {"detail": detail})
    assert alice.get("contact/")["count"] == 1


def test_the_answer_to_a_duplicate_that_is_sent_again_names_the_first_again(alice: Caller) -> None:
    body = {"contact": "+12025550100", "phonebook": alice.create("phonebook", name="friends")["id"]}
    alice.create("contact", **body)
    answers = [alice.request("POST", "contact/", json=body, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [answer.headers["x-duplicate-of"] for answer in answers] == [f"{BASE}/contact/1/"] * 2
    assert alice.get("contact/")["count"] == 2


def test_a_contact_may_move_to_another_phonebook_by_its_id(alice: Caller, estate: Estate) -> None:
    other = alice.create("phonebook", name="others")
    alice.change(estate.contact["url"], phonebook=other["id"])
    assert alice.get(estate.contact["url"])["phonebook"] == other["url"]
    assert alice.get("contact/", phonebook_id=estate.phonebook["id"])["count"] == 0


def test_deleting_a_phonebook_deletes_its_contacts(alice: Caller, estate: Estate) -> None:
    assert alice.request("DELETE", estate.phonebook["url"]).status_code == 204
    assert alice.refused("GET", estate.contact["url"])[0] == 404


@pytest.mark.parametrize("status", [0, 1, 2])
def test_a_phonebook_stays_while_an_unfinished_campaign_calls_it(
    alice: Caller, estate: Estate, database: Database, status: int
) -> None:
    alice.change(estate.campaign["url"], phonebook=[estate.phonebook["url"]])
    force(database, estate.campaign["id"], status)
    detail = f"Still used by campaigns {estate.campaign['id']}. Change or delete them first."
    assert alice.refused("DELETE", estate.phonebook["url"]) == (409, {"detail": detail})
    force(database, estate.campaign["id"], 4)
    assert alice.request("DELETE", estate.phonebook["url"]).status_code == 204
    assert alice.get(estate.campaign["url"])["phonebook"] == []


def force(database: Database, campaign_id: int, status: int) -> None:
    """Put a campaign in a state, by nobody's leave."""
    statement = update(Campaign).where(Campaign.id == campaign_id).values(status=status)
    database.write_now(lambda connection: connection.execute(statement))


@pytest.mark.parametrize(
    ("status", "after"),
    [
        (1, (3, "contact_deleted", "")),
        (2, (3, "contact_deleted", "")),
        (4, (4, "", "")),
        (5, (5, "", "")),
        (6, (6, "", "contact_deleted")),
        (8, (8, "", "")),
    ],
)
@pytest.mark.parametrize("whole_book", [False, True])
def test_nobody_calls_a_contact_that_was_deleted(
    alice: Caller, estate: Estate, database: Database, status: int, after: tuple[int, str, str], *, whole_book: bool
) -> None:
    subscriber = alice.create("subscriber-list", campaign=estate.campaign["url"], contact=estate.contact["url"])
    statement = update(Subscriber).where(Subscriber.id == subscriber["id"]).values(status=status)
    database.write_now(lambda connection: connection.execute(statement))
    target = estate.phonebook if whole_book else estate.contact
    assert alice.request("DELETE", target["url"]).status_code == 204
    stored = row(database, Subscriber, subscriber["id"])
    assert (stored["status"], stored["status_reason"], stored["halt_reason"]) == after
    assert alice.get(subscriber["url"])["contact"] is None


@pytest.mark.parametrize(("status", "settled"), [(1, 1), (2, 1), (3, 0), (4, 0), (5, 0)])
def test_the_dialling_is_told_of_a_new_contact_whom_a_started_campaign_calls(
    alice: Caller, estate: Estate, database: Database, worker: FakeWorker, status: int, settled: int
) -> None:
    """Another one touches nothing that dials, nor does a new name: a subscriber has a name of their own."""
    values = {"campaign_id": estate.campaign["id"], "phonebook_id": estate.phonebook["id"], "collected_contact_id": 1}
    database.write_now(lambda c: c.execute(insert(CampaignPhonebook).values(values)))
    database.write_now(lambda c: c.execute(update(Campaign).values(status=status)))
    before = worker.settled
    contact = alice.create("contact", contact="+12025550177", phonebook=estate.phonebook["url"])
    assert worker.settled - before == settled
    alice.change(contact["url"], full_name="Ann Other")
    assert worker.settled - before == settled
    alice.change(contact["url"], contact="+12025550178")
    assert worker.settled - before == 2 * settled
    assert alice.request("DELETE", contact["url"]).status_code == 204
    assert worker.settled - before == 3 * settled


def test_a_list_of_numbers_answers_under_both_its_paths(alice: Caller) -> None:
    never = alice.create("dnc-list", name="never")
    assert never["url"] == f"{BASE}/dnc/1/"
    assert alice.get("dnc-list/1/") == alice.get("dnc/1/") == never
    alice.change("/rest-api/dnc/1/", name="ever")
    entry = alice.create("dnc-contact", phone_number="+12025550100", dnc="/rest-api/dnc/1/")
    assert entry["dnc"] == never["url"]
    assert alice.create("dnc-contact", phone_number="+12025550101", dnc="/rest-api/dnc-list/1/")["dnc"] == never["url"]


def test_a_number_is_on_a_list_once_however_it_is_written(alice: Caller, estate: Estate, database: Database) -> None:
    def refusal(number: str) -> tuple[int, Json]:
        return 400, {"phone_number": [f"{number!r} is on the list already."]}

    twice = {"phone_number": "+1 (202) 555.0111", "dnc": estate.dnc["url"]}
    assert alice.refused("POST", "dnc-contact/", **twice) == refusal("+1 (202) 555.0111")
    other = alice.create("dnc-contact", phone_number="+12025550112", dnc=estate.dnc["url"])
    assert alice.refused("PATCH", other["url"], phone_number="+1-202-555-0111") == refusal("+1-202-555-0111")
    alice.change(estate.dnc_contact["url"], phone_number="+1 202 555 0111")
    assert row(database, DncContact, estate.dnc_contact["id"])["number"] == "+12025550111"


CORRECTIONS: Final = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=8)


@pytest.mark.usefixtures("worker")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corrections=CORRECTIONS)
def test_only_the_present_numbers_of_contacts_wait_for_a_call(
    estate: Estate, database: Database, corrections: list[tuple[int, int]]
) -> None:
    """Whichever contacts are corrected to whichever numbers, to and fro: an old number waits in no started campaign."""
    book = estate.owner.create("phonebook", name="Book")["url"]
    made = [estate.owner.create("contact", contact=f"+1202555010{place}", phonebook=book) for place in range(3)]
    campaign = estate.owner.create("campaigns", **estate.campaign_fields(), phonebook=[book])
    estate.owner.change(campaign["url"], status=1)
    for which, number in corrections:
        estate.owner.request("PATCH", made[which]["url"], json={"contact": f"+1202555010{number}"})
    query = select(Subscriber.number).where(Subscriber.campaign_id == campaign["id"], Subscriber.status == 1)
    waiting = set(database.read_now(lambda c: c.scalars(query).all()))
    assert waiting <= {estate.owner.get(contact["url"])["contact"] for contact in made}
