"""Tests of campaigns that are tried with a telephone of one's own, through the API and on the console's page."""

from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import Caller
from tests.console.visitor import Visitor, words
from tests.end_to_end.service import advance
from tests.end_to_end.test_messages import campaign as text_campaign

OWN: Final = "+12025550101"
"""A simulated person who answers, and presses 1."""
PEOPLE: Final = ("+12025551000", "+12025551001")


@pytest.fixture
def visitor(client: TestClient[Litestar]) -> Visitor:
    """Return a manager on the pages of the console."""
    visitor = Visitor(client)
    visitor.sign_in("ann")
    return visitor


def campaign(ann: Caller, admin: Caller, **fields: object) -> dict[str, Any]:
    """Create a campaign with a question for two people, at 0.02 a minute, and do not start it."""
    gateway = admin.create("gateway", name="trunk", protocol="sim")
    survey = ann.create("survey-template", name="poll")
    question = ann.create("section-template", survey=survey["url"], type=2, question="Coming?", key_1="yes", key_2="no")
    for key in "12":
        ann.create("branching-template", section=question["url"], keys=key)
    book = ann.create("phonebook", name="friends")
    for number in PEOPLE:
        ann.create("contact", phonebook=book["url"], contact=number, full_name="Ada King")
    made = {"name": "spring", "callerid": "+12025550199", "aleg_gateway": gateway["url"], **fields}
    return dict(ann.create("campaigns", object_id=str(survey["id"]), phonebook=[book["url"]], **made))


def test_a_telephone_rings_with_a_campaign_whose_own_figures_stay(ann: Caller, admin: Caller) -> None:
    made = campaign(ann, admin)
    before = ann.get(made["url"])
    begun = ann.request("POST", f"{made['url']}test-call/", json={"number": OWN, "numer": 1})
    assert (begun.status_code, begun.headers["x-ignored-fields"]) == (201, "numer")
    told = begun.json()
    assert (told["number"], told["reason"], told["cost"]) == (OWN, "", "0.00000")
    assert told["stage"] in {"waiting", "calling"}
    assert ann.request("POST", f"{made['url']}test-call/", json={"number": OWN}).status_code == 409
    advance(admin, 300)
    over = ann.get(f"{made['url']}test-call/")
    (cdr,) = ann.get("cdr/")["results"]
    assert (over["stage"], over["attempt"], over["cause"], over["reason"]) == ("over", told["attempt"] or 1, 16, "")
    assert (over["cost"], cdr["phone_number"], cdr["callerid"]) == (cdr["call_cost"], OWN, "+12025550199")
    assert over["keys"] == [one["response"] for one in ann.get("survey-result/")["results"]]
    (user,) = ann.get("users/")["results"]
    assert user["balance"] == 1 - float(over["cost"]) < 1
    after = ann.get(made["url"])
    assert {**after, "activity": None} == {**before, "activity": None}
    assert [one["id"] for one in ann.get("campaigns/")["results"]] == [made["id"]]
    assert ann.get("subscriber-list/") == []
    entry = admin.get("audit-log/", ordering="-id")["results"][1]
    assert (entry["action"], entry["resource"], entry["record_id"]) == ("campaign_tried", "campaigns", made["id"])
    assert "555" not in str(entry)


def test_a_test_is_refused_by_lists_limits_and_the_rules_of_every_dial(ann: Caller, admin: Caller) -> None:
    dnc = ann.create("dnc-list", name="never")
    ann.create("dnc-contact", phone_number="+12025550123", dnc=dnc["url"])
    made = campaign(ann, admin, dnc=dnc["url"])
    path = f"{made['url']}test-call/"
    assert ann.refused("GET", path)[0] == 404
    assert ann.refused("POST", path) == (400, {"number": ["This field is required."]})
    assert ann.refused("POST", path, number="112")[0] == 400
    assert ann.refused("POST", path, number="5550123")[0] == 400
    listed = ann.refused("POST", path, number="+12025550123")
    assert listed == (
        409,
        {"detail": "Your telephone cannot be called now: the number is on a do-not-call list of the campaign."},
    )
    assert [
        ann.refused("POST", one, number=OWN)[0] for one in ("campaigns/99/test-call/", "campaigns/x/test-call/")
    ] == [
        404,
        404,
    ]


def test_an_account_has_twenty_tests_in_any_hour(ann: Caller, admin: Caller) -> None:
    """A turn is free again an hour after it was taken, and not before. A test that was refused takes none."""
    made = campaign(ann, admin)
    path, order = f"{made['url']}test-call/", {"number": OWN}
    begun: list[int] = []
    for _ in range(20):
        begun.append(ann.request("POST", path, json=order).status_code)
        begun.append(ann.request("POST", path, json=order).status_code)
        advance(admin, 150)
    assert begun == [201, 409] * 20
    advance(admin, 599)
    limited = (409, {"detail": "These were 20 tests in an hour. Try again later."})
    assert ann.refused("POST", path, **order) == limited
    advance(admin, 1)
    assert ann.request("POST", path, json=order).status_code == 201
    advance(admin, 149)
    assert ann.refused("POST", path, **order) == limited
    advance(admin, 1)
    assert ann.request("POST", path, json=order).status_code == 201


@pytest.mark.parametrize("calling_hours", ["08:00-21:00"])
def test_a_telephone_of_ones_own_may_ring_outside_of_the_calling_hours(
    ann: Caller, admin: Caller, visitor: Visitor
) -> None:
    """It is seven o'clock where the number is. People of the same campaign wait."""
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    path, page = f"{made['url']}test-call/", f"campaigns/{made['id']}/test/"
    for caller, fields in ((ann, {"any_hour": False}), (ann, {"any_hour": True}), (admin, {"any_hour": True})):
        status, told = caller.refused("POST", path, number=OWN, **fields)
        assert (status, told["detail"].endswith("Try again within them.")) == (409, True)
    admin.change("users/2/", telephone=OWN)
    assert ann.refused("POST", path, number=OWN)[1]["detail"].endswith("say that it is your own telephone.")
    assert ann.refused("POST", path, number="+12025550111", any_hour=True)[0] == 409
    assert admin.refused("POST", path, number=OWN, any_hour=True)[0] == 409
    visitor.get(page)
    asked = visitor.send(page, number=OWN)
    assert (asked.status_code, 'name="any_hour" value="1">' in asked.text) == (409, True)
    assert visitor.send(page, number=OWN, any_hour="1").status_code == 303
    advance(admin, 300)
    assert ann.get(path)["stage"] == "over"
    assert [one["phone_number"] for one in ann.get("cdr/")["results"]] == [OWN]


def test_a_test_goes_with_its_campaign_and_its_charges_stay(ann: Caller, admin: Caller) -> None:
    made = campaign(ann, admin)
    ann.request("POST", f"{made['url']}test-call/", json={"number": OWN})
    assert ann.refused("DELETE", made["url"])[0] == 409
    advance(admin, 300)
    ann.request("POST", f"{made['url']}test-call/", json={"number": "+12025550111"})
    advance(admin, 300)
    assert ann.get(f"{made['url']}test-call/")["cause"] == 17
    assert ann.request("DELETE", made["url"]).status_code < 300
    assert len(ann.get("cdr/")["results"]) == 2


def test_a_test_that_is_over_keeps_no_record_from_being_deleted(ann: Caller, admin: Caller) -> None:
    """The records are those that a campaign names. While the test goes on, they stay."""
    dnc = ann.create("dnc-list", name="never")
    other = ann.create("dnc-list", name="nor these")
    group = admin.create("callerid-group", name="own")
    admin.create("callerid", areacode="202", callerid_num="+12025550198", callerid_group=group["url"])
    made = campaign(ann, admin, dnc=dnc["url"], dnc_lists=[other["url"]], callerid_group=group["url"])
    test = f"{made['url']}test-call/"
    ann.request("POST", test, json={"number": OWN})
    gateway = admin.create("gateway", name="another", protocol="sim")
    ann.change(made["url"], aleg_gateway=gateway["url"], dnc=None, dnc_lists=[], callerid_group=None)
    going = {"detail": "A test of this account is in progress. Wait for its end."}
    named = ((ann, dnc["url"]), (ann, other["url"]), (admin, group["url"]))
    assert [caller.refused("DELETE", url) for caller, url in named] == [(409, going)] * 3
    advance(admin, 300)
    assert ann.get(test)["stage"] == "over"
    for caller, url in (*named, (admin, "gateway/1/")):
        assert caller.request("DELETE", url).status_code == 204, url
        ann.request("POST", test, json={"number": OWN})
        advance(admin, 300)
    assert len(ann.get("cdr/")["results"]) == 5


def test_a_test_is_never_recorded(ann: Caller, admin: Caller) -> None:
    """It speaks the name of one of the people, and has another number, by which no erasure could find it."""
    made = campaign(ann, admin, record="all")
    assert ann.request("POST", f"{made['url']}test-call/", json={"number": OWN}).status_code == 201
    advance(admin, 300)
    assert ann.get(f"{made['url']}test-call/")["stage"] == "over"
    assert ann.get("call-recording/")["results"] == []


def test_a_started_campaign_is_tried_with_the_survey_that_it_plays(ann: Caller, admin: Caller) -> None:
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    ann.change(made["url"], status=2)
    (section,) = ann.get("section-template/")["results"]
    ann.change(section["url"], key_1="oui", key_2="non")
    ann.request("POST", f"{made['url']}test-call/", json={"number": OWN})
    advance(admin, 300)
    assert ann.get(f"{made['url']}test-call/")["keys"][0] in {"yes", "no"}


def test_a_text_goes_to_a_telephone_of_ones_own_and_is_filled_as_for_a_person(ann: Caller, admin: Caller) -> None:
    made = text_campaign(ann, admin, *PEOPLE)
    begun = ann.request("POST", f"{made['url']}test-text/", json={"number": OWN})
    assert begun.status_code == 201
    advance(admin, 60)
    told = ann.get(f"{made['url']}test-text/")
    assert (told["stage"], told["number"], told["parts"], told["cost"]) == ("over", OWN, 1, "0.05000")
    (message,) = ann.get("sms-message/")["results"]
    assert (message["phone_number"], message["text_message"]) == (OWN, "Dear Ada, come!")
    assert ann.get(made["url"])["sent"] == 0
    assert ann.refused("POST", f"campaigns/{made['id']}/test-call/", number=OWN)[0] == 404
    ann.change(made["url"], text_message="{missing}")
    assert ann.refused("POST", f"{made['url']}test-text/", number=OWN)[0] == 400


def test_the_page_says_what_happens_until_the_end(ann: Caller, admin: Caller, visitor: Visitor) -> None:
    made = campaign(ann, admin)
    page = f"campaigns/{made['id']}/test/"
    assert f'href="/console/{page}"' in visitor.get(f"campaigns/{made['id']}/")
    assert "You hear what Ada King would hear." in visitor.text(page)
    wrong = visitor.send(page, number="112")
    assert (wrong.status_code, "is an emergency number" in wrong.text) == (400, True)
    assert visitor.send(page, number=OWN).headers["location"] == f"/console/{page}"
    shown = visitor.text(page)
    assert f'value="{OWN}"' in visitor.page
    assert "The test of +12025550101" in shown
    advance(admin, 300)
    live = words(visitor.request("GET", f"{page}live/").text)
    assert "Over" in live
    assert "Coming?:" in live
    trial_id = made["id"] + 1
    assert visitor.request("GET", f"campaigns/{trial_id}/").headers["location"] == f"/console/{page}"
    assert "spring \N{EN DASH} test" not in visitor.text("campaigns/")


def test_the_page_of_a_text_says_what_it_has_cost(ann: Caller, admin: Caller, visitor: Visitor) -> None:
    made = text_campaign(ann, admin, *PEOPLE)
    page = f"campaigns/{made['id']}/test/"
    assert "The text, as Ada Byron King gets it: Dear Ada, come! It has 1 part. It costs 0.05." in visitor.text(page)
    assert visitor.send(page, number=OWN).status_code == 303
    assert "The test of +12025550101" in visitor.text(page)
    advance(admin, 60)
    shown = visitor.text(page)
    assert "The test of +12025550101 Over The text: Delivered. Dear Ada, come! 1 part. It costs 0.05." in shown


def test_a_test_can_be_stopped(ann: Caller, admin: Caller, visitor: Visitor) -> None:
    made = campaign(ann, admin)
    page = f"campaigns/{made['id']}/test/"
    visitor.get(page)
    visitor.send(page, number=OWN)
    visitor.get(page)
    assert visitor.send(f"{page}stop/").status_code == 303
    advance(admin, 1)
    assert ann.get(f"{made['url']}test-call/")["stage"] == "over"
    assert ann.request("POST", f"{made['url']}test-call/", json={"number": OWN}).status_code == 201


def test_stopping_everything_stops_tests_and_no_event_names_one(ann: Caller, admin: Caller, visitor: Visitor) -> None:
    made = campaign(ann, admin)
    assert ann.request("PATCH", "events/", json={"enabled": True}).status_code == 200
    ann.request("POST", f"{made['url']}test-call/", json={"number": OWN})
    visitor.get("overview/")
    assert visitor.send("overview/stop/").status_code == 303
    advance(admin, 1)
    assert ann.get(f"{made['url']}test-call/")["stage"] == "over"
    ann.request("POST", f"{made['url']}test-call/", json={"number": OWN})
    advance(admin, 300)
    assert ann.get(f"{made['url']}test-call/")["stage"] == "over"
    told = {one["type"] for one in ann.get("events/")["results"]}
    assert {one for one in told if one.startswith(("campaign.", "subscriber."))} == set()
    assert {"call.started", "call.ended"} <= told
