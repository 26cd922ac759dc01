"""Tests of an SMS campaign through the API."""

import csv
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import Caller
from tests.console.visitor import Visitor
from tests.end_to_end.service import advance


def campaign(ann: Caller, admin: Caller, *numbers: str, **fields: object) -> dict[str, Any]:
    """Create an SMS campaign that sends one message a second at 0.05 a part, and do not start it."""
    phonebook = ann.create("phonebook", name="friends")
    for number in numbers:
        ann.create("contact", phonebook=phonebook["url"], contact=number, full_name="Ada Byron King")
    gateway = admin.create("sms-gateway", name="texts", parameters={"sms_delivered": 1})
    made = ann.create(
        "sms-campaigns",
        **{
            "name": "party",
            "callerid": "+12025550199",
            "sms_gateway": gateway["url"],
            "phonebook": phonebook["url"],
            "text_message": "Dear {first_name}, come!",
            "frequency": "60",
            **fields,
        },
    )
    return dict(made)


def states_in(visitor: Visitor, sheet: str) -> dict[str, str]:
    """Return the states of people by their number, from the sheet at an address."""
    rows = csv.DictReader(visitor.request("GET", sheet).text.lstrip("\ufeff").splitlines())
    return {row["Number"]: row["State"] for row in rows}


def test_a_campaign_of_text_messages(ann: Caller, admin: Caller) -> None:
    """Two messages are delivered, one has no route, and one callee replies STOP. Each sent message costs 0.05."""
    numbers = ["+12025551000", "+12025551001", "+12025550131", "+12025550132"]
    dnc = ann.create("dnc-list", name="never")
    made = campaign(ann, admin, *numbers, dnc=dnc["url"])
    assert (made["status"], len(made["sms_campaign_code"]), made["url"].rsplit("/", 3)[1]) == (0, 5, "sms-campaigns")
    ann.change(made["url"], status=1)
    advance(admin, 60)
    messages = ann.get("sms-message/", campaign_id=made["id"])["results"]
    assert [(one["phone_number"], one["status"], one["parts"], one["cost"]) for one in messages] == [
        (numbers[0], "Delivered", 1, "0.05000"),
        (numbers[1], "Delivered", 1, "0.05000"),
        (numbers[2], "No_Route", 1, "0.00000"),
        (numbers[3], "Delivered", 1, "0.05000"),
    ]
    first = messages[0]
    assert (first["text_message"], first["callerid"]) == ("Dear Ada, come!", "+12025550199")
    assert (first["send_date"], first["delivery_date"]) == ("2026-03-02T12:00:00Z", "2026-03-02T12:00:03Z")
    assert ann.get("dnc-contact/")["results"][0]["phone_number"] == numbers[3]
    ended = ann.get(made["url"])
    names = ("status", "status_reason", "totalcontact", "sent", "delivered", "cost")
    assert [ended[name] for name in names] == [4, "completed", 4, 4, 3, "0.15000"]
    (user,) = ann.get("users/")["results"]
    assert user["balance"] == 0.85


def test_the_report_of_texts_says_who_got_one(ann: Caller, admin: Caller, client: TestClient[Litestar]) -> None:
    """The second has no route: nobody is told as a person who was reached, or who answered. The third replies STOP."""
    made, visitor = campaign(ann, admin, "+12025551000", "+12025550131", "+12025550132"), Visitor(client)
    ann.change(made["url"], status=1)
    advance(admin, 60)
    visitor.sign_in("ann")
    shown = visitor.text(f"campaigns/{made['id']}/summary/")
    assert ("2 of 3 people got the text." in shown, "answered" in shown) == (True, False)
    wish = "1 person replied by text. 1 of them wants no more calls and messages."
    report = visitor.text(f"campaigns/{made['id']}/report/")
    assert (wish in shown, wish in report) == (True, True)
    states = states_in(visitor, f"campaigns/{made['id']}/results/export/?format=csv")
    assert states == {"+12025551000": "Delivered", "+12025550131": "Not reached", "+12025550132": "Delivered"}


def test_a_text_without_a_receipt_is_told_as_sent(ann: Caller, admin: Caller, client: TestClient[Litestar]) -> None:
    """The campaign is aborted after 11 seconds, at 6 a minute: one message has a receipt, and the next has none.

    On all pages the second was sent, and not delivered.
    """
    numbers = ["+12025551000", "+12025551001", "+12025551002"]
    made, visitor = campaign(ann, admin, *numbers, frequency="6"), Visitor(client)
    ann.change(made["url"], status=1)
    advance(admin, 11)
    visitor.sign_in("ann")
    sheet = f"campaigns/{made['id']}/results/export/?format=csv"
    assert states_in(visitor, sheet) == {numbers[0]: "Delivered", numbers[1]: "On its way", numbers[2]: "Waiting"}
    ann.change(made["url"], status=3)
    advance(admin, 60)
    assert states_in(visitor, sheet) == {numbers[0]: "Delivered", numbers[1]: "Sent", numbers[2]: "Called off"}
    told = "1 of 3 people got the text. The text was sent to 1 of 3 people, and nothing is known of its delivery."
    assert told in visitor.text(f"campaigns/{made['id']}/summary/")
    shown = visitor.text(f"campaigns/{made['id']}/")
    assert ("2 sent" in shown, "reached 2" in shown.lower()) == (True, False)
    assert "Sent to 2 of 3" in visitor.text("campaigns/")
    assert "Sent: the carrier took the text message" in visitor.text(f"number/?number={numbers[1][1:]}")


def test_an_sms_campaign_is_started_paused_and_aborted(ann: Caller, admin: Caller) -> None:
    """Illegal status changes are refused, and a running campaign cannot be deleted."""
    made = campaign(ann, admin, "+12025551000", "+12025551001", frequency=1)
    assert ann.refused("PATCH", made["url"], status=2)[0] == 409
    ann.change(made["url"], status=1)
    assert ann.refused("DELETE", made["url"])[0] == 409
    ann.change(made["url"], status=2)
    advance(admin, 600)
    assert ann.get("sms-message/")["count"] == 1
    ann.change(made["url"], status=3)
    assert ann.refused("PATCH", made["url"], status=1)[0] == 409
    answer = ann.request("DELETE", made["url"])
    assert (answer.status_code, answer.json()) == (200, {"data": "sms campaign deleted"})
    assert ann.get("sms-message/")["count"] == 0


def test_an_sms_campaign_without_a_text_does_not_start(ann: Caller, admin: Caller) -> None:
    """The error names the field."""
    made = campaign(ann, admin, "+12025551000", text_message="")
    status, body = ann.refused("PATCH", made["url"], status=1)
    assert (status, list(body)) == (400, ["text_message"])


def test_the_two_kinds_of_campaign_are_two_resources(ann: Caller, admin: Caller) -> None:
    """A campaign of one kind cannot be found, listed or referred to as the other kind."""
    made = campaign(ann, admin, "+12025551000")
    path = f"campaigns/{made['id']}/"
    for caller in (ann, admin):
        assert caller.refused("GET", path)[0] == 404
        assert caller.refused("PATCH", path, name="x")[0] == 404
        assert caller.refused("DELETE", path)[0] == 404
        assert caller.get("campaigns/")["count"] == 0
        assert caller.get("sms-campaigns/")["count"] == 1
        assert caller.request("GET", "subscriber-list/").json() == []
    wrong = ann.refused("POST", "did/", did_number="+12025550133", campaign=made["id"])
    missing = ann.refused("POST", "did/", did_number="+12025550133", campaign=4_711)
    assert wrong == missing == (400, {"campaign": ["Invalid hyperlink - Object does not exist."]})
