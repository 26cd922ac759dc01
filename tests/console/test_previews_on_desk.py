"""Tests of previews at the desk and over the API: who sees whom, and what they order."""

import msgspec
import pytest
from sqlalchemy import delete, insert, select, update

from dialer.domain.queueing.plans import DeskAction, Preview, PreviewOrder
from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import SectionType
from dialer.store.database.database import Database
from dialer.store.tables import Agent, CallRequest, Campaign, Cdr, ContactWait, SealedSurvey, Subscriber, Transfer
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_desk import talk_to_gus
from tests.console.visitor import Visitor, token_of, words

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


@pytest.mark.usefixtures("gus")
def test_a_supervisor_sees_that_an_agent_looks_at_a_person_or_calls_them(
    alice: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api, name="Departures")
    shown = []
    for call_id in (None, 7):
        show_to_gus(database, identity, call_id)
        shown += [alice.text("board/"), alice.text("agents/1/")]
    board, page, calling_board, calling_page = shown
    assert "Available looks at a person for 18 s" in board
    assert "Looks at a person before the call +12025550001" in page
    assert "Available calls a person" in calling_board
    assert "The call that rings +12025550001" in calling_page
    for nobody in ("", "{", '{"campaign_id": "x"}'):
        store(database, update(Agent).values(preview=nobody))
        assert "a person" not in alice.text("board/") + alice.text("agents/1/")


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


def manual_campaign(api: Caller, database: Database) -> int:
    """Start a campaign within whose rules Gus, who is available, dials numbers."""
    queue = api.create("queue", name="Desk")
    api.create("tier", queue=queue["url"], agent="/rest-api/agent/1/")
    identity = campaign(api, name="Departures")
    survey = encode_survey(Survey((Section(1, SectionType.CALL_TRANSFER, "Hello", Prompt(), queue_id=queue["id"]),)))
    store(
        database,
        delete(SealedSurvey),
        insert(SealedSurvey).values(id=identity, document=survey),
        update(Campaign).values(status=1, dial_method=4, manual_dialling=True),
        update(Agent).values(status=2),
    )
    return identity


def test_an_agent_dials_by_hand_at_the_desk_and_over_the_api(gus: Visitor, api: Caller, database: Database) -> None:
    assert "Dial by hand" not in gus.text("desk/")
    identity = manual_campaign(api, database)
    assert "Dial by hand" in gus.text("desk/")
    refused = gus.send("desk/dial/", number="hello", campaign=str(identity))
    assert (refused.status_code, 'value="hello"' in refused.text, 'role="alert"' in refused.text) == (400, True, True)
    refused = gus.send("desk/dial/", number="+1911", campaign=str(identity))
    assert (refused.status_code, "An emergency number is never dialled." in refused.text) == (409, True)
    assert gus.send("desk/dial/", number="+12025550170", campaign="x").status_code == 404
    gus.text("desk/")
    assert gus.send("desk/dial/", number="+1 (202) 555-0170", campaign=str(identity)).status_code == 303
    order = order_of(database)
    assert order is not None
    number = database.read_now(
        lambda c: c.scalar(select(Subscriber.number).where(Subscriber.id == order.subscriber_id))
    )
    assert (order.action, order.campaign_id, number) == (DeskAction.DIAL, identity, "+12025550170")
    agent, stranger = Caller(api.client, "gus"), Caller(api.client, "bob")
    asked = {"campaign_id": identity, "number": "+12025550171"}
    refused = agent.request("POST", "agent/1/dial/", json=asked)
    assert (refused.status_code, "in a call already" in refused.text) == (409, True)
    store(database, update(Agent).values(preview_order=""))
    assert stranger.request("POST", "agent/1/dial/", json=asked).status_code == 404
    for wrong in (
        {},
        {"campaign_id": identity},
        {**asked, "contact_id": 1},
        {**asked, "campaign_id": 99},
        {**asked, "number": 7.5},
    ):
        assert agent.request("POST", "agent/1/dial/", json=wrong).status_code == 400
    done = agent.request("POST", "agent/1/dial/", json=asked)
    assert (done.status_code, set(done.json())) == (200, {"agent_id", "subscriber_id"})
    assert "person_dialled" in [entry["action"] for entry in api.get("audit-log/")["results"]]


def test_the_desk_asks_before_it_dials_somebody_who_has_completed_the_survey(
    gus: Visitor, api: Caller, database: Database
) -> None:
    identity = manual_campaign(api, database)
    asked = {"campaign_id": identity, "number": "+12025550171"}
    agent = Caller(api.client, "gus")
    subscriber_id = agent.request("POST", "agent/1/dial/", json=asked).json()["subscriber_id"]
    done = {"status": 8, "last_attempt": 1_795_000_000_000}
    store(
        database,
        update(Agent).values(preview_order=""),
        update(Subscriber).where(Subscriber.id == subscriber_id).values(**done),
    )
    refused = agent.request("POST", "agent/1/dial/", json=asked, headers={"Accept": "application/problem+json"})
    assert (refused.status_code, refused.json()["code"]) == (409, "already_reached")
    remedy = "To call them again all the same, set again to true."
    when = "2026-11-18T11:06:40Z"
    assert (
        refused.json()["detail"] == f"+12025550171 has completed the survey, and was last reached at {when}. {remedy}"
    )
    gus.text("desk/")
    page = gus.send("desk/dial/", number="+1 (202) 555-0171", campaign=str(identity))
    assert page.status_code == 409
    assert "+12025550171 has completed the survey. Last reached: " in words(page.text)
    assert "Call the person again all the same?" in words(page.text)
    assert order_of(database) is None
    assert gus.send("desk/dial/", number="+12025550171", campaign=str(identity), again="1").status_code == 303
    order = order_of(database)
    assert order is not None
    assert (order.action, order.subscriber_id) == (DeskAction.DIAL, subscriber_id)


def test_whom_a_rule_holds_back_over_the_api_or_at_the_desk_has_one_wait_that_is_kept(
    gus: Visitor, api: Caller, database: Database
) -> None:
    identity = manual_campaign(api, database)
    asked = {"campaign_id": identity, "number": "+12025550171"}
    agent = Caller(api.client, "gus")
    person_id = agent.request("POST", "agent/1/dial/", json=asked).json()["subscriber_id"]
    called = {"user_id": 2, "callid": "before", "callerid": "", "phone_number": "+12025550171", "billsec": 0}
    called |= {"starting_date": NOW_MS - 3_600_000, "duration": 20, "call_cost": 0, "billed_duration": 0}
    called |= {"hangup_cause_q850": 16, "leg_type": 1, "amd_status": 1, "attempt": 1, "subscriber_id": person_id}
    store(database, update(Agent).values(preview_order=""), insert(Cdr).values(**called))
    rule = api.create("contact-rule", name="One a day", limit=1, period=1, unit="days")
    refused = agent.request("POST", "agent/1/dial/", json=asked, headers={"Accept": "application/problem+json"})
    assert (refused.status_code, refused.json()["code"], order_of(database)) == (409, "frequency", None)
    gus.text("desk/")
    assert gus.send("desk/dial/", number="+12025550171", campaign=str(identity)).status_code == 409
    kept = database.read_now(lambda c: c.execute(select(ContactWait.__table__)).mappings().all())
    shown = ("campaign_id", "subscriber_id", "rule_id", "at_ms", "until_ms")
    until_ms = NOW_MS + 23 * 3_600_000
    assert [tuple(row[name] for name in shown) for row in kept] == [(identity, person_id, rule["id"], NOW_MS, until_ms)]


def test_the_reason_why_a_person_is_not_dialled_is_translated(gus: Visitor, api: Caller, database: Database) -> None:
    identity = manual_campaign(api, database)
    gus.get("desk/")
    german = {"Accept-Language": "de"}
    fields = {"csrf": token_of(gus.page), "number": "+1911", "campaign": str(identity)}
    refused = gus.request("POST", "desk/dial/", data=fields, headers=german)
    assert refused.status_code == 409
    assert "Eine Notrufnummer wird nie gewählt." in words(refused.text)


def test_the_desk_says_what_came_of_the_call_that_the_agent_has_placed(
    gus: Visitor, api: Caller, database: Database
) -> None:
    talk_to_gus(database, campaign(api, name="Departures"))
    over = {"status": 2, "status_reason": "busy", "hangup_cause_q850": 17, "ended_ms": NOW_MS - 5_000}
    store(database, delete(Transfer), update(CallRequest).values(**over), update(Agent).values(placed_call_id=7))
    said = "Your call to <script>alert"
    assert said in gus.text("desk/")
    assert "Busy" in gus.text("desk/")
    assert "<script>alert" not in gus.page
    parts = '{"first_name": "Ada", "last_name": "Byron"}'
    store(database, update(Subscriber).values(full_name="", additional_vars=parts))
    assert "Your call to Ada Byron, +12025550001 at " in gus.text("desk/")
    store(database, update(Subscriber).values(full_name=HOSTILE))
    store(database, update(CallRequest).values(status_reason="machine", hangup_cause_q850=16))
    assert "nswering machine" in gus.text("desk/")
    for change in (
        update(CallRequest).values(ended_ms=None),
        update(CallRequest).values(ended_ms=NOW_MS, id=8),
        update(Agent).values(placed_call_id=None),
    ):
        store(database, change)
        assert said not in gus.text("desk/")


def test_the_desk_says_what_time_it_is_where_the_person_is(gus: Visitor, api: Caller, database: Database) -> None:
    show_to_gus(database, campaign(api, name="Departures"))
    for key, said in (
        ("America/New_York", "Local time 06:06"),
        ("America/New_York&America/Los_Angeles", "Local time 03:06 / 06:06"),
        ("UTC+05:30@", "Local time 16:36"),
    ):
        store(database, update(Subscriber).values(zone=key))
        assert said in gus.text("desk/")
    for key in ("", "?", "Mars/Olympus"):
        store(database, update(Subscriber).values(zone=key))
        assert "Local time" not in gus.text("desk/")
