"""Tests of what campaigns do now, on pages and over the API. It is Wednesday, 11:06 in UTC and 06:06 in Washington."""

from typing import Any

from sqlalchemy import event, update

from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, Gateway, Subscriber
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.visitor import Visitor, words

NINE_TO_SIX = {"daily_start_time": "09:00:00", "daily_stop_time": "18:00:00"}
FIRST = "first call 14:00 (UTC), in 2 h 53 min"
WHERE = "It is then 09:00 in America/New York, where people may be called first."
CLOSED = "it is outside the campaign's window or the calling hours where people wait"


def said(one: Visitor, identity: int, language: str = "en") -> list[str]:
    """Return the pages that show what a campaign does: its own, the list, the overview and the search."""
    paths = (f"campaigns/{identity}/", "campaigns/", "overview/", "search/?q=Campaign")
    headers = {"Accept-Language": language}
    return [words(one.request("GET", path, headers=headers).text) for path in paths]


def activity(api: Caller, identity: int) -> Any:  # noqa: ANN401 - a JSON value
    """Return the activity of a campaign as the record has it, and as the list does."""
    record = api.get(f"campaigns/{identity}/")["activity"]
    assert [one["activity"] for one in api.get("campaigns/")["results"] if one["id"] == identity] == [record]
    return record


def test_a_campaign_outside_its_hours_waits_and_says_until_when(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, **NINE_TO_SIX, expirationdate="2026-11-28T00:00:00Z")
    page, listed, overview, found = said(alice, identity)
    assert f"Waiting {FIRST}. It is outside" in page
    assert WHERE in page
    assert f"Waiting {FIRST} {CLOSED}" in listed
    assert f"Waiting {FIRST} {CLOSED}" in overview
    assert f"Waiting · {FIRST}" in found
    assert not [text for text in (page, listed, overview) if "Dialling" in text]
    assert 'badge good">' not in alice.get("campaigns/")
    assert activity(api, identity) == {"code": "waiting", "reason": "window", "until": "2026-11-18T14:00:00Z"}
    german, *_ = said(alice, identity, "de")
    assert "Wartet erster Anruf 14:00 (UTC), in 2 h 53 min" in german


def test_a_campaign_of_next_week_is_scheduled(alice: Visitor, api: Caller) -> None:
    dates = {"startingdate": "2026-11-25T00:00:00Z", "expirationdate": "2026-11-28T00:00:00Z"}
    identity = campaign(api, **NINE_TO_SIX, **dates)
    page, listed, overview, _ = said(alice, identity)
    for text in (page, listed, overview):
        assert "Scheduled first call 25 Nov, 14:00 (UTC), in 7 days 2 h" in text
    assert activity(api, identity) == {"code": "scheduled", "reason": "starting", "until": "2026-11-25T14:00:00Z"}


def test_a_campaign_with_a_line_that_is_down_does_not_dial(alice: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, expirationdate="2026-11-18T20:00:00Z")
    assert activity(api, identity) == {"code": "dialling", "reason": "", "until": "2026-11-18T20:00:00Z"}
    assert "Dialling until 20:00 (UTC)" in said(alice, identity)[1]
    assert 'badge good">Dialling' in alice.get("campaigns/")
    store(database, update(Gateway).values(protocol="sip", line_down="refused"))
    store(database, update(Campaign).values(daily_start_time="00:00:00"))
    reason = "the connection to the carrier does not work"
    store(database, update(Subscriber).values(zone="Europe/Berlin"))
    assert f"Waiting {reason}" in said(alice, identity)[1]
    assert activity(api, identity) == {"code": "waiting", "reason": "line_down", "until": None}


def test_a_retry_is_the_next_call(alice: Visitor, api: Caller, database: Database) -> None:
    identity = campaign(api, expirationdate="2026-11-28T00:00:00Z")
    store(database, update(Subscriber).values(due_ms=NOW_MS + 20_000), update(Campaign).values(calls=4))
    assert "Waiting next call 11:07 (UTC), in less than a minute" in said(alice, identity)[0]
    assert activity(api, identity) == {"code": "waiting", "reason": "retry", "until": "2026-11-18T11:07:00Z"}


def test_many_campaigns_ask_as_many_questions_as_two(alice: Visitor, api: Caller, database: Database) -> None:
    first = campaign(api)
    asked: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    def add() -> None:
        made = api.request("POST", f"campaigns/{first}/copy/").json()["id"]
        api.change(f"campaigns/{made}/", status=1)

    def questions(path: str) -> int:
        asked.clear()
        alice.get(path) if path == "campaigns/" else api.get(path[1:])
        return len(asked)

    paths = ("campaigns/", "/campaigns/", "/sms-campaigns/")
    add()
    store(database, update(Campaign).values(dial_method=3))
    engine = database._readers  # noqa: SLF001 - nothing else sees the statements
    event.listen(engine, "before_cursor_execute", count)
    try:
        before = [questions(path) for path in paths]
        store(database, update(Campaign).values(dial_method=1))
        for _ in range(6):
            add()
        store(database, update(Campaign).values(dial_method=3))
        assert [questions(path) for path in paths] == before
    finally:
        event.remove(engine, "before_cursor_execute", count)


def test_a_campaign_of_text_messages_speaks_of_messages(alice: Visitor, api: Caller, database: Database) -> None:
    """Scheduled, sending, paused and over: nowhere a call."""
    gateway = Caller(api.client, "admin").create("sms-gateway", name="Texts", protocol="sim")
    book = api.create("phonebook", name="People")
    api.create("contact", contact="+12025550100", phonebook=book["url"])
    values = {"name": "Texts", "text_message": "Hello", "sms_gateway": gateway["url"], "phonebook": [book["url"]]}
    dates = {"startingdate": "2026-11-25T00:00:00Z", "expirationdate": "2026-11-28T00:00:00Z"}
    identity = int(api.create("sms-campaigns", **values, **dates, **NINE_TO_SIX)["id"])
    said_of = {
        CampaignStatus.START: "Scheduled first message 25 Nov, 14:00 (UTC), in 7 days 2 h",
        CampaignStatus.PAUSE: "Nobody gets a message. It can be started again.",
        CampaignStatus.ABORT: "no more messages are sent. It cannot be started again.",
        CampaignStatus.END: "It is over: no more messages are sent.",
    }
    api.change(f"sms-campaigns/{identity}/", status="1")
    for status, words_of_it in said_of.items():
        store(database, update(Campaign).values(status=int(status)))
        page, *_ = said(alice, identity)
        assert words_of_it in page
