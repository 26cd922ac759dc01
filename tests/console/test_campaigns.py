"""Tests of the list of campaigns and of the page of one: words, figures, buttons, and the rights of viewers."""

import pytest
from sqlalchemy import insert, update

from dialer.console.pages.campaigns import PAGE_SIZE
from dialer.domain.words.enums import SectionType
from dialer.store.database.database import Database
from dialer.store.tables import CampaignHour, Cdr, Gateway, SurveyResult
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor, token_of, words

PATHS = ("campaigns/{}/", "campaigns/{}/live/")


def test_the_list_has_campaigns_in_progress_first(alice: Visitor, api: Caller) -> None:
    assert "There is no campaign yet. It takes a phonebook" in alice.text("campaigns/")
    campaign(api, name="First")
    campaign(api, name="Second", started="no")
    text = alice.text("campaigns/")
    assert text.index("First") < text.index("Second")
    assert "calls Dialling until 19 Nov, 11:06 (UTC) 0 of 4 reached 0 \N{EN DASH} 0.00 18 Nov 2026, 11:06" in text
    assert "calls Not started 0 of 0 reached" in text


@pytest.mark.parametrize(
    ("language", "unplayable", "unserved", "empty"),
    [
        (
            "en",
            "Section “Greeting” has “Text” and no recording.",
            "No agent serves queue “Sales”, to which the section transfers calls.",
            "Section “To sales”: ",
        ),
        (
            "de",
            "Abschnitt „Greeting“ hat",
            "Kein Agent bedient die Warteschlange „Sales“",
            "Abschnitt „To sales“: ",
        ),
    ],
)
def test_findings_and_refusals_name_sections_and_queues_as_people_do(
    alice: Visitor, api: Caller, database: Database, language: str, unplayable: str, unserved: str, empty: str
) -> None:
    identity = campaign(api, started="no")
    queue = api.create("queue", name="Sales")
    survey = api.get("survey-template/")["results"][0]["url"]
    api.create("section-template", survey=survey, type=6, question="To sales", queue=queue["url"])
    section, transfer = api.get("section-template/")["results"]
    api.change(section["url"], question="Greeting")
    spoken = {"Accept-Language": language}
    store(database, update(Gateway).values(protocol="sip"))
    page = words(alice.request("GET", f"campaigns/{identity}/", headers=spoken).text)
    assert (unplayable in page, unserved in page) == (True, True), page
    data = {"csrf": token_of(alice.get("account/")), "action": "start"}
    refused = alice.request("POST", f"campaigns/{identity}/state/", data=data, headers=spoken)
    assert unplayable in words(refused.text)
    _, errors = api.refused("PATCH", f"campaigns/{identity}/", status=1)
    number = section["id"]
    assert f"Section {number} has a script and no recording. Set audiofile" in errors["object_id"][0]
    store(database, update(Gateway).values(protocol="sim"))
    api.change(transfer["url"], queue=None)
    refused = alice.request("POST", f"campaigns/{identity}/state/", data=data, headers=spoken)
    assert empty in words(refused.text)
    _, errors = api.refused("PATCH", f"campaigns/{identity}/", status=1)
    assert errors["object_id"][0].startswith(f"Section {transfer['id']}: ")


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "2", "99999999999999999999", "٣", "1.5"])
def test_a_page_that_the_list_does_not_have_is_not_found(alice: Visitor, number: str) -> None:
    answer = alice.request("GET", "campaigns/", params={"page": number})
    assert (answer.status_code, "The list has no such page." in answer.text) == (404, True)


def test_a_long_list_has_pages(alice: Visitor, api: Caller) -> None:
    first = campaign(api, started="no")
    for _ in range(PAGE_SIZE):
        assert api.request("POST", f"campaigns/{first}/copy/").status_code == 201
    assert alice.get("campaigns/").count(">Not started</span>") == PAGE_SIZE
    assert 'href="/console/campaigns/?page=2"' in alice.page
    assert alice.get("campaigns/?page=2").count(">Not started</span>") == 1


def test_a_customer_sees_no_campaign_of_another(alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller) -> None:
    identity = campaign(api, name="Secret of Alice")
    visitor.sign_in("vera")
    for path in PATHS:
        for one, status in ((alice, 200), (visitor, 200), (bob, 404)):
            assert one.request("GET", path.format(identity)).status_code == status
    assert "Secret of Alice" not in bob.get("campaigns/")
    assert "Secret of Alice" in visitor.get("campaigns/")
    for strange in ("0", "x", "9" * 30, str(identity + 1)):
        assert [alice.request("GET", path.format(strange)).status_code for path in PATHS] == [404, 404]


def test_buttons_do_what_the_api_does(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    assert "Not started It was created and has not been started." in alice.text(f"campaigns/{identity}/")
    for action, status, said in (
        ("start", 1, "Dialling until 19 Nov, 11:06 (UTC)"),
        (
            "pause",
            2,
            "Paused It dials nobody. Calls in progress finish. It can be started again. Reason: set by a user.",
        ),
        ("start", 1, "Dialling"),
        ("abort", 3, "Aborted It was aborted: calls in progress were hung up."),
    ):
        assert alice.send(f"campaigns/{identity}/state/", action=action).status_code == 303
        assert api.get(f"campaigns/{identity}/")["status"] == status
        assert said in alice.text(f"campaigns/{identity}/")
    assert 'name="action"' not in alice.page
    log = Caller(api.client, "admin").get("audit-log/", via="console")["results"]
    assert [entry["action"] for entry in log] == [
        "campaign_started",
        "campaign_paused",
        "campaign_started",
        "campaign_aborted",
    ]


def test_a_refused_button_says_why_and_changes_nothing(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, started="no")
    api.change(f"campaigns/{identity}/", startingdate="2026-11-01T00:00:00Z", expirationdate="2026-11-02T00:00:00Z")
    assert "The campaign has expired. Set a later “Ends”." in alice.text(f"campaigns/{identity}/")
    refused = alice.send(f"campaigns/{identity}/state/", action="start")
    assert refused.status_code == 400
    assert 'role="alert"' in refused.text
    assert "The campaign has expired. Set a later “Ends”." in words(refused.text)
    assert alice.send(f"campaigns/{identity}/state/", action="pause").status_code == 409
    assert alice.send(f"campaigns/{identity}/state/", action="delete").status_code == 404
    assert api.get(f"campaigns/{identity}/")["status"] == 0


def test_viewers_have_no_buttons_and_strangers_no_effect(visitor: Visitor, bob: Visitor, api: Caller) -> None:
    identity = campaign(api)
    visitor.sign_in("vera")
    assert 'name="action"' not in visitor.get(f"campaigns/{identity}/")
    assert visitor.send(f"campaigns/{identity}/state/", action="pause").status_code == 403
    bob.get("account/")
    assert bob.send(f"campaigns/{identity}/state/", action="pause").status_code == 404
    assert api.get(f"campaigns/{identity}/")["status"] == 1


def test_hostile_names_are_harmless(alice: Visitor, api: Caller) -> None:
    identity = campaign(api, name=HOSTILE)
    for path in ("campaigns/", *PATHS):
        page = alice.get(path.format(identity))
        assert "<script>alert" not in page
        assert 'alert("x")' in words(page)


def test_it_shows_outcomes_hours_answers_and_the_last_calls(alice: Visitor, api: Caller, database: Database) -> None:
    survey = api.create("survey-template", name="Survey")
    ask = {"survey": survey["url"], "type": 2, "question": "Do you come?", "script": "Do you?"}
    question = api.create("section-template", **ask, key_1="yes", key_2="no")
    bye = api.create("section-template", survey=survey["url"], type=1, question="Bye", script="Bye", completed=True)
    api.create("branching-template", section=question["url"], keys="1", goto=bye["url"])
    api.create("branching-template", section=question["url"], keys="2", goto=None)
    gateway = Caller(api.client, "admin").create("gateway", name="Carrier", protocol="sim")
    made = api.create("campaigns", name="Campaign", object_id=str(survey["id"]), aleg_gateway=gateway["url"])
    identity, hour = made["id"], {"hour": NOW_MS // 3_600_000, "calls": 4, "answered": 3, "live": 2}
    answer = {
        "user_id": 2,
        "campaign_id": identity,
        "section_id": question["id"],
        "section_type": SectionType.MULTI_CHOICE,
    }
    cdr = {"user_id": 2, "campaign_id": identity, "callerid": "", "duration": 70, "call_cost": 1_234_000}
    cdr |= {"billed_duration": 120, "leg_type": 1, "amd_status": 1, "subscriber_id": 1, "attempt": 1}
    store(
        database,
        insert(CampaignHour).values(campaign_id=identity, grouping=0, member="", cost=1_234_000, **hour),
        insert(CampaignHour).values(campaign_id=identity, grouping=1, member="16", **hour),
        insert(CampaignHour).values(campaign_id=identity, grouping=5, member="Asia/Tokyo", **hour),
        insert(Cdr).values(
            **cdr, callid="a", phone_number="+12025550100", starting_date=NOW_MS, billsec=65, hangup_cause_q850=16
        ),
        *(
            insert(SurveyResult).values(
                **answer, callid=f"{number}", question="Do you come?", response=response, created_date=NOW_MS
            )
            for number, response in enumerate(("yes", "yes", "no"))
        ),
    )
    text = alice.text(f"campaigns/{identity}/")
    assert "A person answered 2 50.0 % Ended before anybody answered 1 25.0 %" in text
    assert "An answering machine answered 1 25.0 %" in text
    assert "Answered 75.0 % 2 by people, 1 by machines" in text
    assert 'title="20 to 21 h: 4, 75.0 % answered"' in alice.page
    assert "11:06:40 +12025550100 Answered 1:05 min 12.34" in text
    assert "Do you come? 3 answers" in text
    assert "yes 2 66.7 % no 1 33.3 %" in text
    assert "Do you come? 1: yes 1 yes 2" in text
