"""Tests of previews at the desk and over the API: who sees whom, and what they order."""

import msgspec
import pytest
from sqlalchemy import insert, select, update

from dialer.domain.queueing.plans import DeskAction, Preview, PreviewOrder
from dialer.store.database import Database
from dialer.store.tables import Agent, Subscriber
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.visitor import Visitor

PERSON = 900


def show_to_gus(database: Database, campaign_id: int, call_id: int | None = None) -> Preview:
    """Let Gus see a person of a campaign for a minute."""
    preview = Preview(campaign_id, PERSON, NOW_MS - 18_000, NOW_MS + 42_000, call_id)
    person = {"id": PERSON, "campaign_id": campaign_id, "user_id": 2, "number": "+12025550001", "zone": ""}
    person |= {"duplicate_contact": "+12025550001", "full_name": HOSTILE, "additional_vars": '{"seat": "12A"}'}
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    if database.read_now(lambda c: c.scalar(select(Subscriber.id).where(Subscriber.id == PERSON))) is None:
        store(database, insert(Subscriber).values(**person, **dates))
    document = msgspec.json.encode(preview).decode()
    store(database, update(Agent).values(preview=document, preview_order="", status=2))
    return preview


def order_of(database: Database) -> PreviewOrder | None:
    document = database.read_now(lambda c: c.scalar(select(Agent.preview_order)))
    return msgspec.json.decode(document, type=PreviewOrder) if document else None


def ordered(preview: Preview, action: DeskAction) -> PreviewOrder:
    return PreviewOrder(action, preview.campaign_id, preview.subscriber_id, preview.from_ms)


def test_an_agent_sees_the_person_with_all_columns_and_calls_or_skips_them(
    gus: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    preview = show_to_gus(database, campaign(api, name="Departures"))
    text = gus.text("desk/")
    assert "Call or skip this person. In 42 s, you go on a break." in text
    assert all(word in text for word in ("+12025550001", "Departures", "seat 12A", "your next call"))
    assert "<script>alert" not in gus.page
    assert [f'data-key="{key}"' in gus.page for key in "cs"] == [True, True]
    bob.text("desk/")
    assert bob.send("desk/call/", person="900").status_code == 404
    assert gus.request("POST", "desk/call/", data={"person": "900"}).status_code == 403
    assert [gus.send("desk/skip/", person=person).status_code for person in ("x", "901")] == [404, 303]
    assert order_of(database) is None
    assert (gus.send("desk/skip/", person="900").status_code, order_of(database)) == (
        303,
        ordered(preview, DeskAction.SKIP),
    )
    assert (gus.send("desk/call/", person="900").status_code, order_of(database)) == (
        303,
        ordered(preview, DeskAction.CALL),
    )
    assert "The person is being called." in gus.text("desk/")
    assert 'data-key="c"' not in gus.page


def test_the_desk_says_that_the_call_begins_by_itself(gus: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures")
    api.change(f"campaigns/{identity}/", preview_calls=True)
    show_to_gus(database, identity)
    assert "In 42 s, the call begins by itself." in gus.text("desk/")


@pytest.mark.usefixtures("gus")
def test_the_api_shows_whom_an_agent_sees_and_takes_orders_of_those_who_may(api: Caller, database: Database) -> None:
    identity = campaign(api, name="Departures")
    stranger, agent = Caller(api.client, "bob"), Caller(api.client, "gus")
    assert agent.get("agent/1/preview/") == {"agent_id": 1, "person": None}
    preview = show_to_gus(database, identity)
    person = agent.get("agent/1/preview/")["person"]
    assert person == {
        "subscriber_id": PERSON,
        "campaign_id": identity,
        "campaign": "Departures",
        "number": "+12025550001",
        "full_name": HOSTILE[: len(person["full_name"])],
        "additional_vars": {"seat": "12A"},
        "count_attempt": 0,
        "skip_count": 0,
        "from_date": person["from_date"],
        "until_date": person["until_date"],
        "calls_then": False,
        "is_wanted": False,
        "callrequest_id": None,
    }
    path = "agent/1/preview/900"
    for order, action in (("skip", DeskAction.SKIP), ("call", DeskAction.CALL)):
        assert stranger.request("POST", f"{path}/{order}/").status_code == 404
        assert [one.request("POST", f"{path}/{order}/").status_code for one in (agent, api)] == [200, 200]
        assert order_of(database) == ordered(preview, action)
    assert stranger.request("GET", "agent/1/preview/").status_code == 404
    refused = agent.request("POST", "agent/1/preview/901/call/")
    assert (refused.status_code, "does not see this person" in refused.text) == (409, True)
    assert agent.request("POST", "agent/1/preview/x/call/").status_code == 404
    show_to_gus(database, identity, call_id=7)
    assert [agent.request("POST", f"{path}/{order}/").status_code for order in ("call", "skip")] == [200, 409]
    assert order_of(database) is None
    logged = [entry["action"] for entry in api.get("audit-log/")["results"]]
    assert {"person_called", "person_skipped"} <= set(logged)
