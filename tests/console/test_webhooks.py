"""Tests of webhooks in the console: made, tested, paused, sent again, with a secret that is shown once."""

import re

from sqlalchemy import Connection, insert

from dialer.store.database.database import Database
from dialer.store.rows.account_events import event_row, write_events
from dialer.store.tables import WebhookDelivery
from tests.api.harness import NOW_MS, Caller
from tests.console.visitor import Visitor, words

ADDRESS = "http://192.0.2.7:9/events"


def sent(database: Database, webhook_id: int) -> None:
    """Write three events of Alice, of which the webhook received the first."""

    def write(connection: Connection) -> None:
        rows = [event_row(2, "call.ended", NOW_MS, f"callrequest/{call}", 1, call=call) for call in (1, 2, 3)]
        write_events(connection, rows)
        common = {"webhook_id": webhook_id, "first_ms": NOW_MS, "last_ms": NOW_MS, "attempts": 1}
        connection.execute(
            insert(WebhookDelivery.__table__),
            [
                {**common, "event_id": 1, "status": "received", "answer_status": 204, "problem": "", "next_ms": None},
                {
                    **common,
                    "event_id": 2,
                    "status": "waiting",
                    "answer_status": 500,
                    "problem": "status 500",
                    "next_ms": NOW_MS,
                },
                {
                    **common,
                    "event_id": 3,
                    "status": "failed",
                    "answer_status": None,
                    "problem": "no answer",
                    "next_ms": None,
                },
            ],
        )

    database.write_now(write)


def test_a_webhook_is_made_with_types_and_its_secret_is_shown_once(alice: Visitor, api: Caller) -> None:
    form = alice.get("records/webhook/new/")
    assert 'name="types.call.ended"' in form
    chosen = {"types": "", "types.call.ended": "1", "types.campaign.ended": "1"}
    made = alice.send("records/webhook/", name="CRM", target_url=ADDRESS, enabled="1", **chosen)
    (secret,) = set(re.findall(r"whsec_[A-Za-z0-9+/=]+", made.text))
    assert "This is the only time that it is shown." in made.text
    webhook = api.get("webhook/")["results"][0]
    assert (webhook["types"], webhook["secret"], webhook["state"]) == (["call.ended", "campaign.ended"], None, "on")
    page = alice.text("webhooks/1/")
    assert secret not in page
    assert ("Events are sent." in page, "Nothing has been sent yet." in page) == (True, True)


def test_an_address_inside_is_refused_with_the_reason(alice: Visitor, api: Caller) -> None:
    alice.get("records/webhook/new/")
    refused = alice.send("records/webhook/", name="CRM", target_url="http://127.0.0.1/", enabled="1", types="")
    assert refused.status_code == 400
    assert "127.0.0.1 leads to no public address of another machine." in words(refused.text)
    assert api.get("webhook/")["count"] == 0


def test_a_manager_pauses_sends_again_and_replaces_the_secret(
    alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller, database: Database
) -> None:
    api.create("webhook", name="CRM", target_url=ADDRESS)
    sent(database, 1)
    page = alice.text("webhooks/1/")
    for text in ("Received", "Waits for the next attempt", "Not received", "evt_3", "status 500", "no answer"):
        assert text in page, text
    assert alice.send("webhooks/1/resend/", delivery="3").status_code == 303
    assert [one["status"] for one in api.get("webhook/1/deliveries/")["results"]] == ["waiting", "waiting", "received"]
    shown = alice.send("webhooks/1/rotate/")
    assert re.search(r"whsec_[A-Za-z0-9+/=]+", shown.text)
    assert alice.send("webhooks/1/state/", enabled="").status_code == 303
    assert "Events wait, and are sent once it is on again." in alice.text("webhooks/1/")
    refused = alice.send("webhooks/1/resend/", delivery="3")
    assert (refused.status_code, "The webhook is off. Switch it on first." in words(refused.text)) == (409, True)
    assert alice.send("webhooks/1/state/", enabled="1").status_code == 303
    assert api.get("webhook/1/")["state"] == "on"
    for wrong in ("99", "x", ""):
        assert alice.send("webhooks/1/resend/", delivery=wrong).status_code == 404
    assert bob.request("GET", "webhooks/1/").status_code == 404
    bob.get("account/")
    assert bob.send("webhooks/1/rotate/").status_code == 404
    visitor.sign_in("vera")
    assert "Send again" not in visitor.text("webhooks/1/")
    assert visitor.send("webhooks/1/rotate/").status_code == 403


def test_a_test_event_that_is_not_received_is_shown_with_the_reason(alice: Visitor, api: Caller) -> None:
    api.create("webhook", name="CRM", target_url="http://192.0.2.7:9/")
    api.request("PATCH", "webhook/1/", json={"enabled": False})
    alice.get("webhooks/1/")
    shown = alice.send("webhooks/1/test/")
    assert "The test event was not received: " in words(shown.text)
