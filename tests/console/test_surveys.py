"""Tests of the page of a survey, and of calls through it by hand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.parts.survey_blueprints import BLUEPRINTS
from dialer.console.parts.survey_trial import INPUTS_MAX, STEPS_MAX, walk
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from tests.api.harness import Caller
from tests.console.building import HOSTILE
from tests.console.visitor import Visitor


@pytest.fixture
def survey(api: Caller) -> int:
    """Create a survey with a message and a question, and return its id."""
    made = api.create("survey-template", name=HOSTILE)
    hello = api.create("section-template", survey=made["url"], type=1, question="Hello", script="Hello there")
    asked = api.create("section-template", survey=made["url"], type=2, question="Tea?", key_1="yes", retries=1)
    api.create("branching-template", section=hello["url"], keys="0", goto=asked["url"])
    api.create("branching-template", section=asked["url"], keys="1", goto=None)
    return int(made["id"])


def test_it_shows_the_graph_the_sections_and_the_findings(alice: Visitor, bob: Visitor, survey: int) -> None:
    text = alice.text(f"surveys/{survey}/")
    assert ("<script>alert" in alice.page, "then → leads to Tea?" in text, "1: yes → leads to the end" in text) == (
        False,
        True,
        True,
    )
    assert 'href="?section=1#panel" data-open data-section="1"' in alice.page
    for path in ("", "try/"):
        assert bob.request("GET", f"surveys/{survey}/{path}").status_code == 404


def test_links_of_a_section_elsewhere_lead_to_its_survey_with_it_open(
    alice: Visitor, bob: Visitor, survey: int
) -> None:
    assert 'href="/console/sections/1/"' in alice.get(f"records/section-template/?survey={survey}")
    answer = alice.request("GET", "sections/1/")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/console/surveys/{survey}/?section=1")
    assert 'aria-current="true"' in alice.get(f"surveys/{survey}/?section=1")
    for old, new in (
        ("section-template/1/", "sections/1/"),
        (f"section-template/new/?survey={survey}", f"surveys/{survey}/"),
        ("section-template/new/", "records/survey-template/"),
    ):
        assert alice.request("GET", f"records/{old}").headers["location"] == f"/console/{new}"
    for visitor, path in ((bob, "sections/1/"), (alice, "sections/9/"), (alice, "sections/x/")):
        assert visitor.request("GET", path).status_code == 404
    for gone in ("99", "9" * 30, "x", "%00"):
        assert "The survey has no such section, or no longer." in alice.text(f"surveys/{survey}/?section={gone}")
    for query in ("after=x", "after=1", "after=1&keys=7", "remove=x", "remove=99"):
        assert "Check" in alice.text(f"surveys/{survey}/?{query}")


def test_findings_stand_beside_the_section_that_they_name(alice: Visitor, api: Caller, survey: int) -> None:
    api.create("section-template", survey=f"/rest-api/survey-template/{survey}/", order=9, type=7, question=HOSTILE)
    text = alice.text(f"surveys/{survey}/")
    assert "No call can reach this section." in text
    assert "Tea? : There is neither “Recording” nor “Text”" in text
    assert "No call can reach" not in alice.text(f"surveys/{survey}/?section=1")
    assert "There is neither “Recording” nor “Text”" in alice.text(f"surveys/{survey}/?section=2")
    assert "<script>alert" not in alice.page


def test_a_large_survey_is_a_list_with_the_same_links(alice: Visitor, api: Caller, survey: int) -> None:
    for number in range(60):
        api.create("section-template", survey=f"/rest-api/survey-template/{survey}/", type=7, question=str(number))
    text = alice.text(f"surveys/{survey}/")
    assert "The survey is too large for a picture." in text
    assert 'href="?section=62#panel" data-open' in alice.page
    refused = alice.send(f"surveys/{survey}/sections/", after="start", type="1")
    assert (refused.status_code, "too large" in refused.text) == (400, True)


@pytest.mark.parametrize("template", [one.key for one in BLUEPRINTS])
def test_a_survey_from_a_template_is_checked_and_can_be_tried(alice: Visitor, api: Caller, template: str) -> None:
    text = alice.text("surveys/new/")
    assert "Reminder with confirmation" in text
    answer = alice.send("surveys/new/", template=template, name=HOSTILE, **{f"new_queue-{template}": "Sales"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/surveys/1/")
    check = api.get("survey-template/1/check/")
    if template == "empty":
        assert [one["code"] for one in check["findings"]] == ["no_sections"]
        return
    assert check == {"errors": 0, "warnings": 0, "findings": []}
    assert "The call is over" in alice.text("surveys/1/try/?keys=1&keys=1&keys=1&keys=1")
    assert "Everything can be played." in alice.text("surveys/1/")
    assert "<script>alert" not in alice.page
    queues = [one["name"] for one in api.get("queue/")["results"]]
    assert queues == (["Sales"] if template in {"queue", "press"} else [])


@pytest.mark.parametrize("template", ["queue", "press"])
def test_a_survey_leads_to_the_queue_that_was_chosen_beside_its_template(
    alice: Visitor, api: Caller, template: str
) -> None:
    """Each template has a choice of its own, and a browser sends all of them."""
    queues = [api.create("queue", name=name) for name in ("Sales", "Service")]
    page = alice.get("surveys/new/")
    fields = re.findall(r'<select id="([^"]+)" name="([^"]+)"', page)
    assert fields == [("queue-queue", "queue-queue"), ("queue-press", "queue-press")]
    chosen = {name: str(queues[name == f"queue-{template}"]["id"]) for name, _ in fields}
    alice.send("surveys/new/", template=template, **chosen)
    led_to = [one["queue"] for one in api.get("section-template/", page_size=100)["results"] if one["queue"]]
    assert led_to == [queues[1]["url"]]


def test_after_a_talk_with_an_agent_the_call_ends(alice: Visitor, api: Caller) -> None:
    """Without a branch of its own, a talk goes on as if nobody had answered, and the page says so."""
    alice.get("surveys/new/")
    alice.send("surveys/new/", template="queue", **{"new_queue-queue": "Sales"})
    found = api.get("branching-template/", page_size=100)["results"]
    branches = [one for one in found if one["section"].endswith("/1/")]
    assert [(one["keys"], one["goto"] and one["goto"][-2:]) for one in branches] == [("0", None), ("timeout", "2/")]
    assert "as for: nobody answers" not in alice.text("surveys/1/?section=1")
    api.request("DELETE", branches[0]["url"])
    assert "as for: nobody answers" in alice.text("surveys/1/?section=1")
    assert "afterwards, nobody answers" in alice.text("surveys/1/")


def test_the_calls_of_a_call_centre_begin_with_its_agents(alice: Visitor, api: Caller) -> None:
    """Nobody has to press a key, and nothing is said first. Another template asks for a key."""
    for template in ("queue", "press"):
        alice.get("surveys/new/")
        alice.send("surveys/new/", template=template, **{f"new_queue-{template}": "Sales"})
    found = api.get("section-template/", page_size=100)["results"]
    assert [(one["survey"][-2:], one["type"], one["script"]) for one in found if one["order"] == 1] == [
        ("1/", 6, ""),
        ("2/", 2, found[2]["script"]),
    ]
    assert "press 1" in found[2]["script"]


def test_a_template_takes_a_queue_that_is_there_and_leads_on_to_the_campaign(
    alice: Visitor, bob: Visitor, api: Caller
) -> None:
    queue = str(api.create("queue", name="Sales")["id"])
    assert "Sales A new queue" in alice.text("surveys/new/?phonebook=7")
    bob.get("surveys/new/")
    assert bob.send("surveys/new/", template="queue", **{"queue-queue": queue}).status_code == 400
    assert bob.send("surveys/new/", template="nothing").status_code == 400
    answer = alice.send("surveys/new/", template="queue", phonebook="7", **{"queue-queue": queue})
    assert answer.headers["location"] == "/console/surveys/1/"
    # The people who were chosen are kept whatever is opened and changed in the survey, and for no other survey.
    for address in ("surveys/1/", "surveys/1/?section=1", "surveys/1/?section=1&saved=1"):
        page = alice.get(address)
        assert 'href="/console/records/campaigns/new/?object_id=1&amp;phonebook=7">Go on</a>' in page
        assert '<li aria-current="step"><span class="badge">2</span>Survey</li>' in page
    alice.send("surveys/new/", template="alert")
    assert 'href="/console/records/campaigns/new/?object_id=2">New campaign</a>' in alice.get("surveys/2/")
    assert 'aria-current="step"' not in alice.page
    assert "Call centre" in alice.page
    assert len(api.get("queue/")["results"]) == 1


def on_the_way(visitor: Visitor, *surveys: int) -> dict[int, str]:
    """Return the phonebooks that are kept for surveys, as the links of their pages have them."""
    found: dict[int, str] = {}
    for survey in surveys:
        page = visitor.get(f"surveys/{survey}/")
        for book in re.findall(rf"new/\?object_id={survey}&amp;phonebook=(\d+)\">Go on</a>", page):
            found[survey] = book
        assert ('aria-current="step"' in page) == (survey in found)
        assert (">New campaign</a>" in page) == (survey not in found)
    return found


def begin_surveys(visitor: Visitor, *books: str) -> None:
    for book in books:
        visitor.get("surveys/new/")
        assert visitor.send("surveys/new/", template="alert", phonebook=book).status_code == 303


def test_people_are_kept_for_each_of_the_newest_surveys_on_the_way(alice: Visitor) -> None:
    begin_surveys(alice, "7", "8")
    assert on_the_way(alice, 1, 2) == {1: "7", 2: "8"}
    begin_surveys(alice, "9", "10", "11", "12")
    assert on_the_way(alice, *range(1, 7)) == {2: "8", 3: "9", 4: "10", 5: "11", 6: "12"}
    # Of ids of any length, as many as fit into a cookie.
    user, most = alice.cookies["dialer_new_campaign"].partition(".")[0], 2**63 - 1
    long = [f"{survey}-{most}" for survey in range(most - 2, most + 1)]
    alice.cookies["dialer_new_campaign"] = ".".join((user, "6-12", *long))
    assert on_the_way(alice, 6) == {6: "12"}
    begin_surveys(alice, str(most))
    assert on_the_way(alice, 6, 7) == {7: str(most)}
    assert alice.cookies["dialer_new_campaign"] == ".".join((user, *long[1:], f"7-{most}"))


def test_people_are_kept_for_the_user_who_chose_them(alice: Visitor, visitor: Visitor) -> None:
    begin_surveys(alice, "7")
    visitor.sign_in("admin")
    visitor.cookies["dialer_new_campaign"] = alice.cookies["dialer_new_campaign"]
    assert on_the_way(visitor, 1) == {}
    begin_surveys(visitor, "8")
    assert on_the_way(visitor, 1, 2) == {2: "8"}


@pytest.mark.parametrize("value", ["", "1", "1.", "x-y", "1.x-y.2-", "1.1-7" * 40, "1.1-7-7", "1.-", "..--"])
def test_a_cookie_of_another_kind_keeps_nobody(alice: Visitor, value: str) -> None:
    alice.get("surveys/new/")
    alice.send("surveys/new/", template="alert")
    alice.cookies["dialer_new_campaign"] = value
    assert on_the_way(alice, 1) == {}


def test_people_are_kept_until_their_campaign_is_made(alice: Visitor, api: Caller) -> None:
    carrier = Caller(api.client, "admin").create("gateway", name="Carrier", protocol="sim")
    book = str(api.create("phonebook", name="Book")["id"])
    begin_surveys(alice, book, "9")
    given = {"callerid": "+12025550199", "aleg_gateway": str(carrier["id"]), "phonebook": book, "object_id": "1"}
    alice.get(f"records/campaigns/new/?object_id=1&phonebook={book}")
    refused = alice.send("records/campaigns/", **given)
    assert (refused.status_code, on_the_way(alice, 1, 2)) == (400, {1: book, 2: "9"})
    alice.get(f"records/campaigns/new/?object_id=1&phonebook={book}")
    made = alice.send("records/campaigns/", name="Spring", **given)
    assert (made.status_code, on_the_way(alice, 1, 2)) == (303, {2: "9"})
    alice.get("records/campaigns/new/?object_id=2")
    alice.send("records/campaigns/", name="Autumn", **{**given, "object_id": "2"})
    assert (on_the_way(alice, 1, 2), "dialer_new_campaign" in alice.cookies) == ({}, False)


@given(st.lists(st.text("0123456789#*", max_size=3), max_size=2 * INPUTS_MAX))
def test_every_trial_comes_to_an_end(inputs: list[str]) -> None:
    asking = Section(1, 2, "Tea?", Prompt(), key_labels={"1": "yes"}, branches={"1": 2, "invalid": 1, "timeout": 1})
    survey = Survey((asking, Section(2, 1, "Again", Prompt(), branches={"0": 1})))
    trial = walk(CallFlow(survey), inputs)
    assert len(trial.steps) <= STEPS_MAX
    assert trial.is_asking == (len(inputs) < INPUTS_MAX)
