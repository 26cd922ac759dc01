"""Subscribers, one by one."""

import pytest
from sqlalchemy import update

from dialer.domain.calling_times.zones import zones_of_key
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Row, SmsMessage, Subscriber
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, NOW_MS, Caller, Json

STATUSES = (
    *("1 (pending)", "2 (pause)", "3 (abort)", "4 (fail)", "5 (sent)"),
    *("6 (in_process)", "7 (not_authorized)", "8 (completed)"),
)


def stored(database: Database, record_id: int) -> Json:
    query = Subscriber.__table__.select().where(Subscriber.id == record_id)
    return database.read_now(lambda connection: connection.execute(query).one())


def force(database: Database, record_id: int, **columns: Json) -> None:
    """Put a subscriber in a state, by nobody's leave."""
    statement = update(Subscriber).where(Subscriber.id == record_id).values(**columns)
    database.write_now(lambda connection: connection.execute(statement))


def test_a_subscriber_needs_no_contact(alice: Caller, estate: Estate, database: Database) -> None:
    subscriber = alice.create(
        "subscriber-list",
        campaign=estate.campaign["url"],
        duplicate_contact="+44 20 7946 0000",
        full_name="Bea",
        additional_vars='{"city": "London"}',
        gmt_offset="+5.5",
    )
    assert subscriber == {
        "id": 3,
        "url": f"{BASE}/subscriber-list/3/",
        "contact": None,
        "campaign": estate.campaign["url"],
        "last_attempt": None,
        "count_attempt": 0,
        "status": 1,
        "status_reason": "",
        "waits_for": "not_started",
        "waits_until": None,
        "duplicate_contact": "+44 20 7946 0000",
        "full_name": "Bea",
        "gmt_offset": "+5.5",
        "tz_code": "",
        "additional_vars": {"city": "London"},
        "created_date": NOW,
        "updated_date": NOW,
    }
    row = stored(database, subscriber["id"])
    assert (row.number, row.zone) == ("+442079460000", "UTC+05:30")
    assert alice.get(estate.campaign["url"])["totalcontact"] == 2


def test_a_subscriber_takes_from_its_contact_what_is_not_given(alice: Caller, estate: Estate) -> None:
    alice.change(estate.contact["url"], full_name="Ann Lee", additional_vars={"a": 1})
    fields = {"campaign": estate.campaign["id"], "contact": estate.contact["url"], "duplicate_contact": ""}
    subscriber = alice.create("subscriber-list", **fields, full_name="Ann")
    shown = (subscriber["duplicate_contact"], subscriber["full_name"], subscriber["additional_vars"])
    assert shown == ("+12025550100", "Ann", {"a": 1})
    assert subscriber["contact"] == estate.contact["url"]


def test_a_number_is_a_campaigns_subscriber_once(alice: Caller, estate: Estate) -> None:
    refusal = (400, {"duplicate_contact": ["The campaign has a subscriber with the number '+1-202-555-0122' already."]})
    twice = {"campaign": estate.campaign["url"], "duplicate_contact": "+1-202-555-0122"}
    assert alice.refused("POST", "subscriber-list/", **twice) == refusal
    assert alice.get(estate.campaign["url"])["totalcontact"] == 1


def test_a_new_subscriber_has_not_been_called(alice: Caller, estate: Estate) -> None:
    refusal = {"status": ["A new subscriber cannot have status 5. Use 1 (PENDING), 2 (PAUSE) or 3 (ABORT)."]}
    fields = {"campaign": estate.campaign["url"], "duplicate_contact": "+12025550129"}
    assert alice.refused("POST", "subscriber-list/", **fields, status=5) == (400, refusal)


def test_a_zone_that_nobody_knows_is_refused(alice: Caller, estate: Estate, database: Database) -> None:
    wrong = alice.refused("PATCH", estate.subscriber["url"], tz_code="Mars/Olympus", gmt_offset="+25", status=9)
    assert wrong == (
        400,
        {
            "tz_code": ["'Mars/Olympus' is not a time zone. Use an IANA name, such as Europe/Madrid."],
            "gmt_offset": ["'+25' is not an offset. Use signed decimal hours, such as -5 or +5.5."],
            "status": [f'"9" is not a valid choice. Use one of: {", ".join(STATUSES)}.'],
        },
    )
    of_this_machine = alice.refused("PATCH", estate.subscriber["url"], tz_code="localtime")
    assert of_this_machine == (
        400,
        {"tz_code": ["'localtime' is not a time zone. Use an IANA name, such as Europe/Madrid."]},
    )
    alice.change(estate.subscriber["url"], tz_code="Asia/Kathmandu")
    assert stored(database, estate.subscriber["id"]).zone == "Asia/Kathmandu@US"


def test_a_contacts_own_zone_goes_to_its_subscribers(alice: Caller, estate: Estate, database: Database) -> None:
    fields = {"phonebook": estate.phonebook["url"], "contact": "+12125550177", "tz_code": "America/Denver@US"}
    contact = alice.create("contact", **fields)
    added = alice.create("subscriber-list", campaign=estate.campaign["url"], contact=contact["url"])
    found = stored(database, added["id"])
    assert (found.tz_code, zones_of_key(found.zone)) == ("America/Denver@US", ("America/Denver",))
    alice.change(added["url"], full_name="Ann Lee")
    assert stored(database, added["id"]).zone == found.zone
    alice.change(added["url"], tz_code="")
    assert zones_of_key(stored(database, added["id"]).zone) == ("America/New_York",)


def test_a_start_takes_the_own_zones_of_contacts(alice: Caller, estate: Estate) -> None:
    fields = {"phonebook": estate.phonebook["url"], "contact": "+12125550177", "tz_code": "America/Denver@US"}
    alice.create("contact", **fields)
    alice.change(
        estate.campaign["url"], status=1, phonebook=[estate.phonebook["url"]], expirationdate="2099-01-01T00:00:00Z"
    )
    found = alice.get("subscriber-list/", campaign=estate.campaign["id"], duplicate_contact="+12125550177")
    assert [one["tz_code"] for one in found] == ["America/Denver@US"]


MOVES = {1: {2, 3}, 2: {1, 3}, 4: {1}}


@pytest.mark.parametrize("current", range(1, 9))
@pytest.mark.parametrize("wanted", range(1, 9))
def test_a_client_moves_a_subscriber_only_where_it_may(
    alice: Caller, estate: Estate, database: Database, current: int, wanted: int
) -> None:
    force(database, estate.subscriber["id"], status=current, failure_count=3)
    answer = alice.request("PATCH", estate.subscriber["url"], json={"status": wanted})
    if wanted in MOVES.get(current, set()) | {current}:
        assert (answer.status_code, stored(database, estate.subscriber["id"]).status) == (202, wanted)
    else:
        assert (answer.status_code, list(answer.json())) == (409, ["status"])
        assert stored(database, estate.subscriber["id"]).status == current


def test_one_that_was_given_up_is_due_at_once_and_keeps_its_counters(
    alice: Caller, estate: Estate, database: Database
) -> None:
    force(database, estate.subscriber["id"], status=4, status_reason="busy", failure_count=3, count_attempt=3)
    alice.change(estate.subscriber["url"], status=1)
    row = stored(database, estate.subscriber["id"])
    assert (row.status, row.status_reason, row.due_ms, row.failure_count, row.count_attempt) == (1, "", NOW_MS, 3, 3)


@pytest.mark.parametrize("status", [4, 5, 6, 7, 8])
def test_a_new_subscriber_cannot_be_over_already(alice: Caller, estate: Estate, status: int) -> None:
    fields = {"campaign": estate.campaign["url"], "duplicate_contact": "+12025550144", "status": status}
    assert alice.refused("POST", "subscriber-list/", **fields)[1].keys() == {"status"}


def test_a_subscriber_stays_in_its_campaign(alice: Caller, estate: Estate) -> None:
    other = alice.create("campaigns", **estate.campaign_fields())
    refusal = (400, {"campaign": ["This field may not be changed."]})
    assert alice.refused("PATCH", estate.subscriber["url"], campaign=other["url"]) == refusal


def in_progress(database: Database, model: type[Row], estate: Estate, **columns: Json) -> None:
    """Return an attempt that the subscriber has in progress, whatever their state."""
    table = model.__table__
    values = {
        "campaign_id": estate.campaign["id"],
        "subscriber_id": estate.subscriber["id"],
        "user_id": 1,
        "gateway_id": 1,
        "attempt": 1,
        "callerid": "",
        "phone_number": "+12025550100",
        **columns,
    }
    database.write_now(lambda connection: connection.execute(table.insert().values(values)))


def end(database: Database, model: type[Row], **columns: Json) -> None:
    """They are over."""
    statement = model.__table__.update().values(**columns)
    database.write_now(lambda connection: connection.execute(statement))


def test_one_who_has_called_back_is_not_deleted_or_renumbered_during_that_call(
    alice: Caller, estate: Estate, database: Database
) -> None:
    """A call that came in leaves the subscriber's state as it is; its CDR is still to be written."""
    url = estate.subscriber["url"]
    force(database, estate.subscriber["id"], status=5)
    limits = {"ring_limit_ms": 0, "talk_limit_ms": 0, "hold": 0, "call_rate": 0}
    in_progress(database, CallRequest, estate, callid="a", status=7, started_ms=NOW_MS, **limits | {"attempt": -1})
    assert alice.refused("DELETE", url) == (
        409,
        {"detail": "The subscriber is in a call. Try again when the call is over."},
    )
    alice.change(url, full_name="Ann Lee")
    refusal = alice.refused("PATCH", url, duplicate_contact="+12025550155")
    assert refusal == (409, {"detail": "The subscriber is in a call. Try again when the call is over."})
    end(database, CallRequest, status=4)
    alice.change(url, duplicate_contact="+12025550155")
    assert alice.request("DELETE", url).status_code == 200


def test_one_to_whom_a_message_is_on_its_way_is_not_deleted(alice: Caller, estate: Estate, database: Database) -> None:
    """Money is held for it."""
    url = estate.subscriber["url"]
    force(database, estate.subscriber["id"], status=5)
    text = {"message_id": "a", "text_message": "Hello", "parts": 1, "send_date": NOW_MS, "status": "Sent"}
    in_progress(database, SmsMessage, estate, hold=5, cost=0, **text)
    assert alice.refused("DELETE", url) == (
        409,
        {"detail": "A text message to the subscriber is on its way. Try again when it is delivered."},
    )
    end(database, SmsMessage, ended_ms=NOW_MS)
    assert alice.request("DELETE", url).status_code == 200


def test_one_who_is_being_called_is_not_deleted(alice: Caller, estate: Estate, database: Database) -> None:
    url = estate.subscriber["url"]
    force(database, estate.subscriber["id"], status=6)
    refusal = (409, {"detail": "The subscriber is in a call. Try again when the call is over."})
    assert alice.refused("DELETE", url) == refusal
    assert alice.refused("PATCH", url, duplicate_contact="+12025550155") == refusal
    force(database, estate.subscriber["id"], status=5)
    answer = alice.request("DELETE", url)
    assert (answer.status_code, answer.json()) == (200, {"data": "subscriber deleted"})
    assert alice.get(estate.campaign["url"])["totalcontact"] == 0
