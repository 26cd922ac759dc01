"""Tests of what is told of tests of campaigns, to whom, and of when they end."""

from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.app.campaigns import delete
from tests.api.harness import Caller
from tests.console.visitor import Visitor, words
from tests.end_to_end.service import advance
from tests.end_to_end.test_campaign_trials import OWN, PEOPLE, campaign
from tests.end_to_end.test_messages import campaign as text_campaign


@pytest.fixture
def viewer(client: TestClient[Litestar], admin: Caller) -> Visitor:
    """Return a viewer of ann's work, on the pages of the console."""
    admin.create("users", username="vic", password="correct horse battery", role="viewer", manager="/rest-api/users/2/")
    return visitor_of(client, "vic", "correct horse battery")


def visitor_of(client: TestClient[Litestar], name: str, *password: str) -> Visitor:
    """Return a user on the pages of the console."""
    visitor = Visitor(client)
    visitor.sign_in(name, *password)
    return visitor


def try_out(caller: Caller, admin: Caller, path: str, number: str = OWN, wait_s: int = 300) -> dict[str, Any]:
    """Order a test, and return what is told of it after some time."""
    begun = caller.request("POST", path, json={"number": number})
    assert begun.status_code == 201, begun.text
    advance(admin, wait_s)
    return dict(caller.get(path))


def test_events_name_the_campaign_that_was_tried(ann: Caller, admin: Caller) -> None:
    made = campaign(ann, admin)
    texts = text_campaign(ann, admin, PEOPLE[0])
    assert ann.request("PATCH", "events/", json={"enabled": True}).status_code == 200
    told = try_out(ann, admin, f"{made['url']}test-call/")
    assert try_out(ann, admin, f"{texts['url']}test-text/")["stage"] == "over"
    events = ann.get("events/", page_size=100)["results"]
    named = {(one["type"], one["data"].get("campaign")) for one in events if "campaign" in one["data"]}
    assert named == {
        *((kind, made["id"]) for kind in ("call.started", "call.answered", "call.ended")),
        *((kind, texts["id"]) for kind in ("message.sent", "message.delivered")),
    }
    assert {one["data"].get("subscriber") for one in events} == {None}
    assert {one["data"].get("call") for one in events} >= {told["attempt"]}


def test_a_test_that_waits_is_taken_back(ann: Caller, admin: Caller) -> None:
    made = campaign(ann, admin)
    path = f"{made['url']}test-call/"
    assert ann.refused("DELETE", path)[0] == 404
    admin.change("gateway/1/", max_channels=1)
    ann.change(made["url"], status=1)
    advance(admin, 1)
    begun = ann.request("POST", path, json={"number": OWN})
    assert (begun.status_code, begun.json()["stage"]) == (201, "waiting")
    assert ann.refused("DELETE", made["url"])[0] == 409
    assert ann.request("DELETE", path).status_code == 204
    assert ann.get(path)["stage"] == "not_placed"
    assert ann.request("DELETE", path).status_code == 204
    advance(admin, 300)
    assert OWN not in {one["phone_number"] for one in ann.get("cdr/")["results"]}


@pytest.mark.parametrize("calling_hours", ["08:00-09:00"])
def test_a_strangers_telephone_does_not_ring_after_the_hours_in_which_the_test_was_ordered(
    ann: Caller, admin: Caller
) -> None:
    """The only channel is busy until some seconds after nine o'clock, where the number is."""
    made = campaign(ann, admin)
    admin.change("gateway/1/", max_channels=1)
    advance(admin, 7_190)
    ann.change(made["url"], status=1)
    advance(admin, 1)
    assert try_out(ann, admin, f"{made['url']}test-call/", wait_s=600)["stage"] == "not_placed"
    assert OWN not in {one["phone_number"] for one in ann.get("cdr/")["results"]}


@pytest.mark.parametrize("calling_hours", ["08:00-09:00"])
def test_a_call_that_outlasts_its_test_is_hung_up(ann: Caller, admin: Caller) -> None:
    """The hours in which it was ordered are over some seconds after the call has begun."""
    made = campaign(ann, admin)
    path = f"{made['url']}test-call/"
    advance(admin, 7_197)
    assert try_out(ann, admin, path, wait_s=4)["stage"] == "calling"
    assert ann.request("DELETE", path).status_code == 204
    advance(admin, 1)
    (cdr,) = ann.get("cdr/")["results"]
    assert (ann.get(path)["stage"], cdr["phone_number"], cdr["duration"] <= 5) == ("over", OWN, True)


def test_former_tests_stay_on_the_page_of_the_number(
    ann: Caller, admin: Caller, client: TestClient[Litestar], viewer: Visitor
) -> None:
    texts = text_campaign(ann, admin, *PEOPLE)
    for text in ("First {first_name}", "Second {first_name}"):
        ann.change(texts["url"], text_message=text)
        try_out(ann, admin, f"{texts['url']}test-text/")
    assert [one["text_message"] for one in ann.get("sms-message/")["results"]] == ["First Ada", "Second Ada"]
    for one in (visitor_of(client, "ann"), viewer):
        shown = one.text(f"number/?number=%2B{OWN[1:]}")
        assert ("First Ada" in shown, "Second Ada" in shown) == (True, True)
        assert "Write to its people again" not in shown
    admin.create("users", username="bob", password="correct horse battery")
    assert "Ada" not in visitor_of(client, "bob", "correct horse battery").text(f"number/?number=%2B{OWN[1:]}")


def test_the_oldest_tests_of_a_campaign_go(ann: Caller, admin: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialer.app.campaigns.campaign_trials.TRIALS_KEPT_MAX", 2)
    texts = text_campaign(ann, admin, *PEOPLE)
    for text in ("one", "two", "three"):
        ann.change(texts["url"], text_message=text)
        try_out(ann, admin, f"{texts['url']}test-text/")
    assert [one["text_message"] for one in ann.get("sms-message/")["results"]] == ["two", "three"]


def test_a_viewer_sees_a_test_and_orders_none(
    ann: Caller, admin: Caller, client: TestClient[Litestar], viewer: Visitor
) -> None:
    made = campaign(ann, admin)
    page = f"campaigns/{made['id']}/test/"
    assert "It was not tested." in viewer.text(page)
    try_out(ann, admin, f"{made['url']}test-call/")
    trial_id = made["id"] + 1
    assert viewer.request("GET", f"campaigns/{trial_id}/").headers["location"] == f"/console/{page}"
    shown = viewer.text(page)
    assert f"The test of {OWN} Over" in shown
    assert "Call me now" not in shown
    assert viewer.send(page, number=OWN).status_code == 403
    assert "Call me now" in visitor_of(client, "ann").text(page)


def test_a_test_of_another_account_is_none(ann: Caller, admin: Caller, client: TestClient[Litestar]) -> None:
    made, texts = campaign(ann, admin), text_campaign(ann, admin, *PEOPLE)
    try_out(ann, admin, f"{made['url']}test-call/")
    try_out(ann, admin, f"{texts['url']}test-text/")
    admin.create("users", username="bob", password="correct horse battery")
    bob = Caller(client, "bob", "correct horse battery")
    for path in (f"{made['url']}test-call/", f"{texts['url']}test-text/"):
        statuses = [bob.request(method, path, json={"number": OWN}).status_code for method in ("GET", "POST", "DELETE")]
        assert statuses == [404, 404, 404]
    other = visitor_of(client, "bob", "correct horse battery")
    assert [other.request("GET", f"campaigns/{one['id']}/test/").status_code for one in (made, texts)] == [404, 404]


def test_tests_that_name_a_record_are_deleted_some_at_a_time(
    ann: Caller, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delete, "TRIALS_AT_ONCE", 2)
    monkeypatch.setattr("dialer.resources.crud.trial_references.TRIALS_AT_ONCE", 2)
    dnc = ann.create("dnc-list", name="never")
    made = campaign(ann, admin, dnc=dnc["url"])
    for _ in range(5):
        try_out(ann, admin, f"{made['url']}test-call/")
    gateway = admin.create("gateway", name="another", protocol="sim")
    ann.change(made["url"], dnc=None, aleg_gateway=gateway["url"])
    filtered = ann.request("DELETE", "dnc-list/?name=never&confirm=1")
    assert (filtered.status_code, "Many tests name it." in filtered.text) == (409, True)
    assert ann.request("DELETE", dnc["url"]).status_code == 204
    assert admin.request("DELETE", "gateway/1/").status_code == 204
    assert len(ann.get("cdr/")["results"]) == 5


@pytest.mark.parametrize("calling_hours", ["08:00-21:00"])
def test_managers_say_which_telephone_is_their_own(ann: Caller, admin: Caller, client: TestClient[Litestar]) -> None:
    """It is seven o'clock there."""
    made = campaign(ann, admin)
    path, visitor = f"{made['url']}test-call/", visitor_of(client, "ann")
    assert ann.refused("POST", path, number=OWN, any_hour=True)[0] == 409
    visitor.get("account/")
    wrong = visitor.send("account/telephone/", telephone="112")
    assert (wrong.status_code, "is an emergency number" in words(wrong.text)) == (400, True)
    assert visitor.send("account/telephone/", telephone=OWN).status_code == 303
    assert f'value="{OWN}"' in visitor.get("account/")
    assert f'value="{OWN}"' in visitor.get(f"campaigns/{made['id']}/test/")
    assert ann.request("POST", path, json={"number": OWN, "any_hour": True}).status_code == 201
    changed = ann.request("PATCH", "own-settings/", json={"telephone": ""}).json()
    assert changed == {"default_region": "", "telephone": ""}
