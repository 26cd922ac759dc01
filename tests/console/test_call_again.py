"""Tests of the page that calls people of a campaign again, and of the links between both campaigns."""

from typing import Any

from sqlalchemy import insert, update

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, Subscriber
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor, words

PAGE = "campaigns/1/call-again/"
BUSY = {"status": SubscriberStatus.FAIL, "status_reason": "busy", "count_attempt": 1}
COMPLETED = {"status": SubscriberStatus.COMPLETED, "count_attempt": 1}
ENDS = "2026-12-01T10:00"


def over(api: Caller, database: Database, **settings: str) -> None:
    """Create a campaign that has ended: two people were busy, one was reached, and one was not called yet."""
    campaign(api, **{"name": "Spring", **settings})
    store(
        database,
        update(Subscriber).where(Subscriber.id <= 2).values(BUSY),
        update(Subscriber).where(Subscriber.id == 3).values(COMPLETED),
        update(Campaign).values(status=CampaignStatus.END, status_reason="expired"),
    )


def make(visitor: Visitor, *outcomes: str, action: str = "create", **fields: str) -> Any:  # noqa: ANN401 - an answer
    ticked = {f"outcome.{outcome}": "1" for outcome in outcomes}
    return visitor.send(PAGE, action=action, **{"name": "Once more", "ends": ENDS, **ticked, **fields})


def test_those_who_were_not_reached_are_called_again_in_a_new_campaign(
    alice: Visitor, api: Caller, database: Database
) -> None:
    over(api, database)
    assert f'href="/console/{PAGE}"' in alice.get("campaigns/1/")
    text = alice.text(PAGE)
    assert "Not called yet 1 Busy 2 People to call again: 3 Count again Who is not called again Reached 1" in text
    assert 'value="Spring \N{EN DASH} again"' in alice.page
    assert 'value="2026-11-25T11:06"' in alice.page
    made = make(alice, "busy", counted="3", counted_for="busy,not_called")
    assert made.headers["location"] == "/console/campaigns/2/"
    new = api.get("campaigns/2/")
    assert (new["name"], new["status"], new["totalcontact"]) == ("Once more", 0, 2)
    assert new["expirationdate"] == "2026-12-01T10:00:00Z"
    assert "2 people are in it. If it is started now, it begins at once." in alice.text("campaigns/2/")
    assert "It calls people of this campaign again: Spring" in words(alice.page)
    assert "People of it are called again in: Once more" in alice.text("campaigns/1/")
    assert "In another campaign that calls them again 2" in alice.text(PAGE)


def test_the_count_follows_the_choice(alice: Visitor, api: Caller, database: Database) -> None:
    over(api, database)
    alice.get(PAGE)
    counted = make(alice, "not_called", action="count", name="Mine", late_contacts="1")
    assert counted.status_code == 200
    assert "People to call again: 1" in words(counted.text)
    assert 'value="Mine"' in counted.text
    assert 'name="late_contacts" type="checkbox" value="1" checked' in counted.text
    assert api.get("campaigns/")["count"] == 1


def test_a_form_that_cannot_be_followed_keeps_what_was_filled_in(
    alice: Visitor, api: Caller, database: Database
) -> None:
    over(api, database)
    alice.get(PAGE)
    for outcomes, fields, message in (
        ((), {}, "Tick at least one outcome."),
        (("busy",), {"ends": "soon"}, "Datetime has wrong format"),
        (("busy",), {"ends": "2001-01-01T00:00"}, "is not after “Starts”, 18 Nov 2026, 11:06"),
        (("busy",), {"name": ""}, "may not be blank"),
        (("busy",), {"name": "x" * 101}, "no more than 100 characters"),
        (("no_answer",), {}, "Nobody with these outcomes"),
        (("busy",), {"counted": "7", "counted_for": "busy"}, "2 people would be called again, not 7"),
        (("no_answer",), {"counted": "9" * 5_000, "counted_for": "no_answer"}, "Nobody with these outcomes"),
    ):
        answer = make(alice, *outcomes, **fields)
        assert (answer.status_code, message in words(answer.text)) == (400, True), (message, words(answer.text))
        assert 'name="outcome.busy" value="1"' in answer.text
    assert api.get("campaigns/")["count"] == 1


def test_a_campaign_that_is_not_over_calls_its_people_itself(alice: Visitor, api: Caller, database: Database) -> None:
    campaign(api, started="no")
    assert "call-again" not in alice.get("campaigns/1/")
    api.change("campaigns/1/", status=1)
    answer = alice.request("GET", PAGE)
    assert answer.headers["location"] == "/console/campaigns/1/recycle/"
    store(database, update(Campaign).values(status=CampaignStatus.ABORT))
    assert alice.request("GET", "campaigns/1/recycle/").headers["location"] == f"/console/{PAGE}"


def test_a_campaign_with_nobody_to_call_again_says_so(alice: Visitor, api: Caller, database: Database) -> None:
    over(api, database)
    store(database, update(Subscriber).values(COMPLETED))
    assert "Nobody of this campaign can be called again. Reached 4" in alice.text(PAGE)


def test_only_those_who_may_change_a_campaign_see_the_page(
    alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller, database: Database
) -> None:
    over(api, database, name=HOSTILE[:60])
    visitor.sign_in("vera")
    assert visitor.request("GET", PAGE).status_code == 403
    assert bob.request("GET", PAGE).status_code == 404
    bob.get("account/")
    assert make(bob, "busy").status_code == 404
    assert "<script>alert" not in alice.get(PAGE)
    alice.page = ""
    assert make(alice, "busy").status_code == 403
    assert api.get("campaigns/")["count"] == 1


def test_text_messages_are_sent_again(alice: Visitor, api: Caller, database: Database) -> None:
    admin = Caller(api.client, "admin")
    gateway = admin.create("sms-gateway", name="Texts", protocol="sim")
    made = api.create("sms-campaigns", name="Texts", text_message="Hello", sms_gateway=gateway["url"])
    values = {"campaign_id": made["id"], "duplicate_contact": "+12025550101", "number": "+12025550101", "zone": ""}
    values |= {"status": 4, "status_reason": "not_delivered", "created_date": NOW_MS, "updated_date": NOW_MS}
    user = int(made["user"].rstrip("/").rpartition("/")[2])
    store(database, insert(Subscriber).values(**values, user_id=user), update(Campaign).values(status=4))
    assert "Text message not delivered 1" in alice.text(PAGE)
    assert make(alice, "not_delivered").status_code == 303
    assert api.get("sms-campaigns/2/")["source_campaign"] == made["url"]


def test_the_form_of_a_new_campaign_proposes_a_week(alice: Visitor) -> None:
    page = alice.get("records/campaigns/new/")
    assert 'name="expirationdate" type="datetime-local" value="2026-11-25T11:06"' in page
    assert "End when nobody is left to call" in page
