"""Tests of webhooks over the API: who may have them, what they may be, and what was sent to them."""

import pytest
from sqlalchemy import Connection, insert, select

from dialer.app.telling.account_events import EVENT_TYPES
from dialer.app.telling.webhooks import WEBHOOKS_MAX
from dialer.store.database.database import Database
from dialer.store.rows.account_events import event_row, write_events
from dialer.store.tables import AccountEvent, Webhook, WebhookDelivery
from dialer.webhooks.signing import check_secret
from tests.api.harness import NOW_MS, Caller

URL = "https://192.0.2.7/events"


def sent(database: Database, count: int) -> None:
    """Write events of Alice that webhook 1 received."""

    def write(connection: Connection) -> None:
        write_events(connection, [event_row(2, "call.ended", NOW_MS, f"callrequest/{n}", 1) for n in range(count)])
        common = {"webhook_id": 1, "status": "received", "first_ms": NOW_MS, "last_ms": NOW_MS, "attempts": 1}
        ids = connection.scalars(select(AccountEvent.id)).all()
        connection.execute(insert(WebhookDelivery.__table__), [{**common, "event_id": one} for one in ids])

    database.write_now(write)


def test_the_secret_is_in_the_first_answer_only_and_nowhere_in_plain(alice: Caller, database: Database) -> None:
    created = alice.create("webhook", name="CRM", target_url=URL)
    secret = check_secret(created["secret"])
    assert alice.get("webhook/1/") == {**created, "secret": None}
    assert (created["types"], created["state"], created["problem"], created["failing_since"]) == ([], "on", "", None)
    raw = database.read_now(lambda connection: connection.exec_driver_sql("SELECT secret FROM webhook").scalar())
    assert secret not in str(raw)
    assert alice.get("events/")["enabled"] is True


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://127.0.0.1:8000/", "127.0.0.1 leads to no public address of another machine."),
        ("http://localhost/", "leads to no public address of another machine."),
        ("https://[::ffff:10.0.0.1]/", "leads to no public address of another machine."),
        ("http://169.254.169.254/latest/meta-data/", "leads to no public address of another machine."),
        ("http://2130706433/", "leads to no public address of another machine."),
        ("http://0x7f.1/", "leads to no public address of another machine."),
        ("ftp://192.0.2.7/", "Use an address such as"),
        ("https://user:word@192.0.2.7/", "The address must not hold a password."),
        ("https://no-such-name.invalid/", "The name no-such-name.invalid has no address."),
    ],
)
def test_an_address_to_which_nothing_may_be_sent_is_refused(alice: Caller, url: str, problem: str) -> None:
    status, errors = alice.refused("POST", "webhook/", name="CRM", target_url=url)
    assert (status, [problem in message for message in errors["target_url"]]) == (400, [True])
    alice.create("webhook", name="CRM", target_url=URL)
    status, errors = alice.refused("PATCH", "webhook/1/", target_url=url)
    assert (status, list(errors)) == (400, ["target_url"])
    assert alice.get("webhook/1/")["target_url"] == URL


def test_types_are_a_list_of_known_ones(alice: Caller) -> None:
    for given in (["call.ended", "agent.status"], "call.ended, agent.status", "agent.status call.ended"):
        created = alice.create("webhook", name="CRM", target_url=URL, types=given)
        assert created["types"] == ["agent.status", "call.ended"]
    status, errors = alice.refused("POST", "webhook/", name="CRM", target_url=URL, types=["call.lost"])
    assert status == 400
    assert errors["types"][0].startswith('"call.lost" is not a type of events. Known: ')
    assert all(kind in errors["types"][0] for kind in EVENT_TYPES)


def test_an_account_has_ten_webhooks_at_most(alice: Caller) -> None:
    for place in range(WEBHOOKS_MAX):
        alice.create("webhook", name=f"number {place}", target_url=URL)
    status, errors = alice.refused("POST", "webhook/", name="one more", target_url=URL)
    assert (status, errors["detail"]) == (409, "An account has at most 10 webhooks. Delete one first.")


def test_deliveries_are_listed_page_by_page_and_sent_again(alice: Caller, database: Database) -> None:
    alice.create("webhook", name="CRM", target_url=URL)
    sent(database, 5)
    first = alice.get("webhook/1/deliveries/?limit=2")
    assert [one["id"] for one in first["results"]] == [5, 4]
    second = alice.get(first["next"].partition("/rest-api/")[2])
    assert [one["id"] for one in second["results"]] == [3, 2]
    assert alice.get("webhook/1/deliveries/?status=failed") == {"results": [], "next": None}
    assert first["results"][0] == {
        "id": 5,
        "event": "evt_5",
        "type": "call.ended",
        "subject": "callrequest/4",
        "status": "received",
        "attempts": 1,
        "last_date": "2026-11-18T11:06:40Z",
        "next_date": None,
        "answer_status": None,
        "milliseconds": 0,
        "problem": "",
    }
    again = alice.request("POST", "webhook/1/deliveries/5/resend/")
    assert (again.status_code, again.json()["status"], again.json()["next_date"]) == (
        200,
        "waiting",
        "2026-11-18T11:06:40Z",
    )
    for query, name in (
        ("status=lost", "status"),
        ("before=x", "before"),
        ("limit=0", "limit"),
        ("limit=9999", "limit"),
    ):
        assert (alice.request("GET", f"webhook/1/deliveries/?{query}").json().keys()) == {name}
    assert alice.request("POST", "webhook/1/deliveries/77/resend/").status_code == 404


def test_a_webhook_that_is_off_resends_nothing_and_events_cannot_be_switched_off_beside_one(
    alice: Caller, database: Database
) -> None:
    alice.create("webhook", name="CRM", target_url=URL)
    sent(database, 1)
    refused = alice.request("PATCH", "events/", json={"enabled": False})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "A webhook gets the events of the account. Switch it off first.",
    )
    alice.change("webhook/1/", enabled=False)
    assert alice.get("webhook/1/")["state"] == "off"
    assert alice.request("POST", "webhook/1/deliveries/1/resend/").status_code == 409
    assert alice.request("PATCH", "events/", json={"enabled": False}).json()["enabled"] is False
    alice.change("webhook/1/", enabled=True)
    assert alice.get("events/")["enabled"] is True


def test_a_new_secret_is_shown_once_and_the_old_one_is_kept_for_a_day(alice: Caller, database: Database) -> None:
    old = alice.create("webhook", name="CRM", target_url=URL)["secret"]
    new = alice.request("POST", "webhook/1/rotate/").json()["secret"]
    columns = select(Webhook.secret, Webhook.old_secrets)
    stored, kept = database.read_now(lambda connection: connection.execute(columns).one())
    assert (stored, str(kept).partition(":")[2]) == (new, old)
    assert alice.get("webhook/1/")["secret"] is None
    log = alice.get("audit-log/")["results"]
    assert "webhook_secret_rotated" in {entry["action"] for entry in log}
    assert old not in str(log)


def test_others_do_not_find_a_webhook(alice: Caller, bob: Caller, database: Database) -> None:
    alice.create("webhook", name="CRM", target_url=URL)
    sent(database, 1)
    for method, path in (
        ("GET", "webhook/1/"),
        ("PATCH", "webhook/1/"),
        ("DELETE", "webhook/1/"),
        ("GET", "webhook/1/deliveries/"),
        ("POST", "webhook/1/deliveries/1/resend/"),
        ("POST", "webhook/1/test/"),
        ("POST", "webhook/1/rotate/"),
    ):
        options = {"json": {"name": "mine"}} if method == "PATCH" else {}
        assert bob.request(method, path, **options).status_code == 404, (method, path)


def test_a_deleted_webhook_takes_its_deliveries_along_and_the_events_stay(alice: Caller, database: Database) -> None:
    alice.create("webhook", name="CRM", target_url=URL)
    sent(database, 2)
    assert alice.request("DELETE", "webhook/1/").status_code == 204
    assert database.read_now(lambda connection: connection.execute(select(WebhookDelivery.id)).all()) == []
    assert len(alice.get("events/")["results"]) == 2
