"""Tests of the overview: its figures, its live part, and the rights of viewers."""

import re

import pytest
from sqlalchemy import delete, insert, update

from dialer.app.overview.live_overview import TEXTS_MAX
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.calls.plans import SIMULATED, SIP
from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import SectionType, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import (
    Agent,
    Campaign,
    CampaignHour,
    Gateway,
    Queue,
    SealedSurvey,
    SmsReceived,
    User,
    UserHour,
    Webhook,
)
from tests.api.harness import NOW_MS, Caller, FakeWorker
from tests.console.building import HOSTILE, campaign, queue_campaign, store
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor, words


def test_with_figures_and_nothing_else_it_says_what_comes(alice: Visitor, database: Database) -> None:
    store(database, insert(UserHour).values(user_id=2, hour=0, grouping=0, member="", calls=1))
    text = alice.text("overview/")
    assert "No campaign is in progress. Make one from a spreadsheet" in text
    assert "There is no carrier yet. An admin adds one." in text
    assert "There are no agents yet." in text
    assert "Calls now 0 0 with agents, 0 waiting" in text
    assert "Answered today \N{EN DASH} 0 calls" in text


def test_it_shows_the_figures_of_the_statistics(alice: Visitor, api: Caller, database: Database) -> None:
    campaign_id = campaign(api, name="Departures")
    figures = {"calls": 1_234, "answered": 617, "live": 600, "talk_s": 7_384, "cost": 123_456_500}
    figures |= {"for_agents": 600, "abandoned": 12}
    hour = {"hour": NOW_MS // 3_600_000, "grouping": 0, "member": "", **figures}

    store(
        database,
        insert(UserHour).values(user_id=2, **hour),
        insert(CampaignHour).values(campaign_id=campaign_id, **hour),
        update(User).where(User.id == 2).values(balance=5_000_000),
    )
    text = alice.text("overview/")
    assert "1,234 over today" in text
    assert "Answered today 50.0 % 617 calls" in text
    assert "Abandoned today 2.0 % 12 of 600 calls that people answered waited over 2 s, limit 3.0 %" in text
    assert "Spent today 1,234.57 2:03 h talked" in text
    assert "Abandoned today 2.0 % 12 of 600 calls that people answered waited over 2 s, limit 3.0 %" in alice.text(
        "board/"
    )
    of_campaign = (
        "Abandoned in 30 days 2.0 % 12 of 600 calls that people answered waited over 2 s, limit 3.0 %"
        " 2.0 % in 24 hours, 2.0 % in 30 days, 2.0 % of all calls"
    )
    assert of_campaign in alice.text(f"campaigns/{campaign_id}/")
    assert "12 2.0 %" in alice.text(f"campaigns/{campaign_id}/figures/?by=day")
    assert [
        page.count("no agent took it within two seconds") > 0
        for page in map(alice.get, ("overview/", "board/", f"campaigns/{campaign_id}/"))
    ] == [True] * 3
    assert "Balance 50.00 free for calls" in text
    moment = r"until 19 Nov, 11:06 \(UTC\)"
    people = "0 reached 0 not reached 0 refused 4 waiting"
    assert re.search(rf"Departures [A-Z]{{5}} Dialling {moment} {people} 0 0 50.0 % 2.0 %", text)


def test_a_share_above_the_legal_limit_is_named_with_its_causes_although_the_campaign_allows_it(
    alice: Visitor, api: Caller, database: Database
) -> None:
    queue, agent = api.create("queue", name="Desk"), api.create("agent", name="Ann", status=4)
    api.create("tier", queue=queue["url"], agent=agent["url"])
    campaign_id = campaign(api, name="Departures")
    survey = encode_survey(Survey((Section(1, SectionType.CALL_TRANSFER, "Hello", Prompt(), queue_id=queue["id"]),)))
    hour = {"hour": NOW_MS // 3_600_000, "grouping": 0, "member": "", "calls": 900, "for_agents": 600, "abandoned": 30}
    store(
        database,
        insert(UserHour).values(user_id=2, **hour),
        insert(CampaignHour).values(campaign_id=campaign_id, **hour),
        delete(SealedSurvey),
        insert(SealedSurvey).values(id=campaign_id, document=survey),
        update(Campaign).values(status=1, dial_method=3, abandon_rate_max=60 * MONEY_SCALE),
    )
    ahead = "It dials ahead of agents until 60 % of calls are abandoned. Set “Abandoned calls at most” to 3 or less."
    text = alice.text("overview/")
    assert f"Departures abandoned 5.0 % of its answered calls of the last 30 days. The limit is 3.0 %. {ahead}" in text
    marked = "Abandoned today 5.0 % Above the limit. 30 of 600 calls that people answered waited over 2 s, limit 3.0 %"
    assert (marked in text, marked in alice.text("board/")) == (True, True)
    text = alice.text(f"campaigns/{campaign_id}/")
    share = "5.0 % of the calls that people answered in the last 30 days were abandoned. At most 3.0 % may be."
    assert share in text
    assert f"{ahead} Edit settings" in text
    nobody = "No agent of its queues is available: 1 on a break, 0 logged out."
    assert f"{nobody} Pause the campaign, or let agents log in. Wall board" in text
    above = "Above the limit. 30 of 600 calls that people answered waited over 2 s, limit 3.0 %"
    assert f"Abandoned in 30 days 5.0 % {above}" in text
    store(database, update(CampaignHour).values(abandoned=18))
    assert "Above the limit." not in alice.text(f"campaigns/{campaign_id}/figures/")
    assert "abandoned 5.0 %" not in alice.text("overview/")


def test_it_says_what_needs_attention_urgent_things_first(
    alice: Visitor, admin: Visitor, api: Caller, worker: FakeWorker, database: Database
) -> None:
    campaign_id = campaign(api, name="Departures", gateway="Bad line")
    store(
        database,
        update(Gateway).values(rests_until_ms=NOW_MS + 60_000, rest_ms=120_000),
        update(Campaign).where(Campaign.id == campaign_id).values(status_reason="no_credit"),
    )
    worker.trouble = "storage"
    text = alice.text("overview/")
    assert "Departures waits for credit: the balance cannot pay for one more call." in text
    assert "The carrier Bad line is left alone until 11:07:40: it failed several times in a row." in text
    assert "The service does not dial" not in text
    assert "The service does not dial: storage." in admin.text("overview/")
    store(database, update(Gateway).values(rest_ms=0))
    asked = "The carrier Bad line is left alone until 11:07:40: it wants no calls for a while."
    assert asked in alice.text("overview/")


def test_callees_for_whose_transfer_the_balance_did_not_pay_stand_there_for_ten_minutes(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    campaign(api, name="Departures")
    api.create("queue", name="Sales")
    joined = {"reason": "no_credit", "status": TransferStatus.OVER}
    for identity, ago_ms in enumerate((601_000, 599_000, 1_000), 1):
        store(database, *call(identity, joined_ms=NOW_MS - ago_ms, **joined))
    sentence = "Departures could not connect 2 callees in the last ten minutes: the free balance did not pay for it."
    assert (sentence in alice.text("overview/"), sentence in bob.text("overview/")) == (True, False)


def test_a_line_that_is_down_stands_where_people_look_first(alice: Visitor, api: Caller, database: Database) -> None:
    campaign(api, name="Departures", gateway="Bad line")
    down = update(Gateway).where(Gateway.name == "Bad line").values(line_down="401 Unauthorized")
    store(database, down.values(protocol=SIMULATED))
    assert "401 Unauthorized" not in alice.text("overview/")

    store(database, down.values(protocol=SIP))
    page = alice.get("overview/")
    assert "The line to the carrier Bad line is down: 401 Unauthorized." in words(page)
    link = re.search(r'<a href="([^"]*)">The line to', page)
    assert link is not None
    assert "Bad line" in alice.text(link[1].removeprefix("/console/"))

    store(database, update(User).where(User.username == "alice").values(language="de"))
    assert "Die Leitung zum Anbieter Bad line ist gestört: 401 Unauthorized." in alice.text("overview/")


def test_a_webhook_that_the_service_switched_off_stands_there_until_it_is_on_again(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    api.create("webhook", name="CRM of Alice", target_url="http://192.0.2.7:9/")
    assert "CRM of Alice" not in alice.text("overview/")
    api.request("PATCH", "webhook/1/", json={"enabled": False})
    assert "CRM of Alice" not in alice.text("overview/"), "whoever switches it off knows it"

    store(database, update(Webhook).values(problem="failing"))
    page = alice.get("overview/")
    assert "The service switched the webhook CRM of Alice off: its program gets no events." in words(page)
    link = re.search(r'<a href="([^"]*)">The service switched', page)
    assert link is not None
    assert "CRM of Alice" in alice.text(link[1].removeprefix("/console/"))
    assert "CRM of Alice" not in bob.get("overview/")

    api.request("PATCH", "webhook/1/", json={"enabled": True})
    assert "CRM of Alice" not in alice.text("overview/")


def test_a_customer_sees_nothing_of_another(
    alice: Visitor, bob: Visitor, admin: Visitor, visitor: Visitor, api: Caller
) -> None:
    campaign(api, name="Secret of Alice")
    for path in ("overview/", "overview/live/"):
        assert "Secret of Alice" in alice.get(path)
        assert "Secret of Alice" not in bob.get(path)
        assert "Secret of Alice" in admin.get(path)
    visitor.sign_in("vera")
    assert "Secret of Alice" in visitor.get("overview/")


@pytest.mark.parametrize("path", ["overview/", "overview/live/"])
def test_hostile_names_are_harmless(alice: Visitor, api: Caller, path: str) -> None:
    campaign(api, name=HOSTILE, gateway=HOSTILE)
    page = alice.get(path)
    assert "<script>alert" not in page
    assert 'alert("x")' in words(page)


def test_everything_stops_at_one_button_and_exactly_that_goes_on_again(
    alice: Visitor, bob: Visitor, admin: Visitor, api: Caller
) -> None:
    of_bob = Caller(api.client, "bob")
    ids = [campaign(api, name=name, gateway=name) for name in ("Paused", "Running", "Ended since", "Paused since")]
    other = campaign(of_bob, name="Other", gateway="Other")
    api.change(f"campaigns/{ids[0]}/", status=2)

    def states() -> list[int]:
        return [api.get(f"campaigns/{one}/")["status"] for one in ids] + [of_bob.get(f"campaigns/{other}/")["status"]]

    assert "Pause all your running campaigns?" in alice.text("overview/")
    stopped = alice.send("overview/stop/").headers["location"].removeprefix("/console/")
    assert states() == [2, 2, 2, 2, 1]
    assert "3 campaigns were paused." in alice.text(stopped)
    assert "No campaign was running." in bob.text(stopped)
    undo = stopped.partition("=")[2]
    assert bob.send("overview/resume/", stopped=undo).headers["location"].endswith("?resumed=0&left=0")
    assert states() == [2, 2, 2, 2, 1]
    api.change(f"campaigns/{ids[2]}/", status=4)
    api.change(f"campaigns/{ids[3]}/", status=1)
    api.change(f"campaigns/{ids[3]}/", status=2)
    alice.text(stopped)
    resumed = alice.send("overview/resume/", stopped=undo).headers["location"].removeprefix("/console/")
    assert states() == [2, 1, 4, 2, 1]
    assert "1 campaign goes on. 2 do not: their state was changed meanwhile" in alice.text(resumed)
    logged = [(one["action"], one["record_id"]) for one in api.get("audit-log/", via="console")["results"]]
    assert [one for one in logged if one[0].startswith("campaign_")] == [
        *(("campaign_paused", one) for one in ids[1:]),
        ("campaign_started", ids[1]),
    ]
    admin.text("overview/")
    stopped = admin.send("overview/stop/").headers["location"].removeprefix("/console/")
    assert "2 campaigns were paused." in admin.text(stopped)
    assert states() == [2, 2, 4, 2, 2]


def test_who_may_not_change_campaigns_cannot_stop_them(visitor: Visitor, api: Caller) -> None:
    campaign(api)
    visitor.sign_in("vera")
    assert "Stop everything" not in visitor.text("overview/")
    assert visitor.send("overview/stop/").status_code == 403
    assert visitor.send("overview/resume/", stopped="x").status_code == 403
    assert api.get("campaigns/1/")["status"] == 1


@pytest.mark.parametrize("query", ["stopped=x", "stopped=-1", "stopped=0", "resumed=x&left=y", f"stopped={'9' * 30}"])
def test_an_address_with_wrong_numbers_shows_the_overview(alice: Visitor, query: str) -> None:
    assert "Your first campaign" in alice.text(f"overview/?{query}")


def test_breaks_that_last_too_long_stand_there_the_longest_first(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    api.create("queue", name="Sales", max_break_time=900)
    for name, minutes, reason in (("Ann", 20, "Lunch"), ("Ben", 10, ""), ("Cleo", 30, "")):
        url = api.create("agent", name=name, status=4, break_reason=reason)["url"]
        api.create("tier", queue=api.get("queue/1/")["url"], agent=url)
        since = update(Agent).where(Agent.name == name).values(counted_ms=NOW_MS - minutes * 60_000)
        store(database, since)
    page = alice.get("overview/")
    cleo, ann = (
        "Cleo has been on a break since 10:36. The limit is 15:00 min.",
        "Ann has been on a break since 10:46 (Lunch). The limit is 15:00 min.",
    )
    assert f"{cleo} {ann}" in words(page)
    assert "Ben has been" not in page
    link = re.search(r'<a href="([^"]*)">Cleo has been', page)
    assert link is not None
    assert "Cleo" in alice.text(link[1].removeprefix("/console/"))
    assert "has been on a break" not in bob.get("overview/")
    store(database, update(Queue).values(max_break_time=0))
    assert "has been on a break" not in alice.get("overview/")


@pytest.mark.parametrize(("method", "state"), [(1, "Dialling"), (2, "Waiting"), (3, "Waiting")])
def test_a_campaign_all_of_whose_agents_have_logged_out_says_so(
    alice: Visitor, bob: Visitor, api: Caller, database: Database, method: int, state: str
) -> None:
    """A campaign that calls a fixed number of people a minute goes on, for nobody."""
    campaign_id = queue_campaign(api)
    api.change(f"campaigns/{campaign_id}/", status=1)
    store(database, update(Campaign).values(dial_method=method))
    duty = "no agent of the campaign's queues is on duty: all are logged out or on a break"
    named = "Desk has no agent on duty: all agents of its queues are logged out or on a break."
    api.change("agent/1/", status=1)
    assert (named in alice.text("overview/"), duty in alice.text(f"campaigns/{campaign_id}/").lower()) == (False, False)
    api.change("agent/2/", status=4)
    assert (named in alice.text("overview/"), duty in alice.text(f"campaigns/{campaign_id}/").lower()) == (True, True)
    assert api.get(f"campaigns/{campaign_id}/")["activity"]["reason"] == "no_duty"
    assert named not in bob.text("overview/")
    assert f"Desk {state}" in re.sub(r" [A-Z]{5} ", " ", alice.text("overview/"))
    api.change(f"campaigns/{campaign_id}/", status=2)
    assert named not in alice.text("overview/")


def test_calls_of_more_than_30_days_ago_do_not_count_where_a_rule_counts_30_days(
    alice: Visitor, api: Caller, database: Database
) -> None:
    campaign_id = campaign(api, name="Departures")
    of_rule = {"grouping": 0, "member": "", "for_agents": 500}
    hours_ago = {31 * 24: 400, 2 * 24: 10, 0: 30}
    first_hour = NOW_MS // 3_600_000
    store(
        database,
        *(
            insert(CampaignHour).values(
                campaign_id=campaign_id, hour=first_hour - ago, calls=600, abandoned=abandoned, **of_rule
            )
            for ago, abandoned in hours_ago.items()
        ),
        update(Campaign).values(status=1),
    )
    text = alice.text(f"campaigns/{campaign_id}/")
    assert "Abandoned in 30 days 4.0 % Above the limit. 40 of 1,000" in text
    assert "6.0 % in 24 hours, 4.0 % in 30 days, 29.3 % of all calls" in text
    store(database, update(CampaignHour).where(CampaignHour.hour == first_hour).values(abandoned=20))
    text = alice.text(f"campaigns/{campaign_id}/")
    assert "Abandoned in 30 days 3.0 % 30 of 1,000" in text
    assert "4.0 % in 24 hours, 3.0 % in 30 days, 28.7 % of all calls" in text
    assert "Above the limit." not in text
    contact = api.get("contact/")["results"][0]["url"]
    api.change(contact, contact="+442079460000")
    assert "Abandoned in 24 hours 4.0 % Above the limit. 20 of 500" in alice.text(f"campaigns/{campaign_id}/")


def test_it_counts_the_texts_whose_senders_are_held(alice: Visitor, bob: Visitor, database: Database) -> None:
    """Nobody is held without a word: the overview leads the owner to the texts that need a person, and nobody else."""
    given = {"user_id": 2, "gateway_id": 1, "phone_number": "1", "number": "1", "understood": "perhaps"}
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
    needed = [{**given, **dates, "said": "Hm", "needs_person": needs_person} for needs_person in (True, False)]
    store(database, insert(SmsReceived).values(needed[:1]), insert(SmsReceived).values(needed[1:]))
    one = "1 received text needs a person. Nobody calls or writes to its sender until somebody has looked."
    assert one in alice.text("overview/")
    assert 'href="/console/records/sms-received/?needs_person=true"' in alice.page
    assert "needs a person" not in bob.text("overview/")
    store(database, insert(SmsReceived).values(needed[:1] * TEXTS_MAX))
    assert f"{TEXTS_MAX:,}+ received texts need a person." in alice.text("overview/")
