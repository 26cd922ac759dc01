"""Tests of a call by hand: it says what a call says to that person, and nobody hears braces."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.parts.inputs import Input
from dialer.console.parts.rendering import render
from dialer.console.parts.survey_trial import ANSWERED, KEYS, TRANSFER, walk
from dialer.demo.recordings import WELCOME
from dialer.domain.calls.plans import Subscriber
from dialer.domain.sessions.survey_steps import speeches_of
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.survey import Prompt, Section, Survey
from tests.api.harness import Caller
from tests.console.building import HOSTILE
from tests.console.test_recordings import upload
from tests.console.visitor import Visitor


class Built:
    """A survey with a message, a question, a transfer and a text message, and a phonebook with two people."""

    def __init__(self, api: Caller) -> None:
        made = api.create("survey-template", name="Renewals")
        self.id, url = int(made["id"]), made["url"]
        hello = api.create(
            "section-template", survey=url, type=1, question="Welcome", script="Hi {first_name}, your {plan} is ready"
        )
        asked = api.create(
            "section-template", survey=url, type=2, question="Talk?", script="Press 1", key_1="yes", retries=1
        )
        self.queue = api.create("queue", name="Renewal desk")
        desk = api.create("section-template", survey=url, type=6, question="Desk", queue=self.queue["url"])
        sent = api.create("section-template", survey=url, type=10, question="Text", sms_text="Bye {full_name}")
        for section, keys, goto in ((hello, "0", asked), (asked, "1", desk), (desk, "timeout", sent)):
            api.create("branching-template", section=section["url"], keys=keys, goto=goto["url"])
        self.book = api.create("phonebook", name="Customers")
        gateway = Caller(api.client, "admin").create("gateway", name="Carrier", protocol="sim")
        fields = {"object_id": str(self.id), "aleg_gateway": gateway["url"]}
        self.campaign = api.create("campaigns", name="Spring", phonebook=[self.book["url"]], **fields)
        self.people = [
            api.create(
                "contact", phonebook=self.book["url"], contact=number, full_name=name, additional_vars={"plan": plan}
            )
            for number, name, plan in (("+12025550171", "Ada Byron", "gold"), ("+12025550172", "Bob Other", "tin"))
        ]


@pytest.fixture
def built(api: Caller) -> Built:
    return Built(api)


def test_the_first_person_of_the_lists_hears_their_own_values(alice: Visitor, built: Built) -> None:
    text = alice.text(f"surveys/{built.id}/try/")
    assert "Hi Ada, your gold is ready" in text
    assert ("{" in text, "Ada Byron +12025550171" in text) == (False, True)
    found = alice.text(f"surveys/{built.id}/try/?search=Bob")
    assert "Bob Other +12025550172" in found
    other = alice.text(f"surveys/{built.id}/try/?person={built.people[1]['id']}")
    assert "Hi Bob, your tin is ready" in other
    assert "has no value" not in other
    assert "Nobody is found" in alice.text(f"surveys/{built.id}/try/?search=Zoe")


def test_somebody_made_up_has_a_value_for_each_column(alice: Visitor, built: Built) -> None:
    text = alice.text(f"surveys/{built.id}/try/?person=made-up")
    assert "Hi Alex, your plan is ready" in text


def test_wrong_keys_time_outs_and_transfers_go_as_in_a_call(alice: Visitor, built: Built) -> None:
    url = f"surveys/{built.id}/try/"
    assert "That is not an answer, so the question comes again." in alice.text(f"{url}?keys=7")
    assert 'name="keys" value="7"' in alice.page
    text = alice.text(f"{url}?keys=&keys=")
    assert "Says nothing" in text
    assert "The time is up, so the question comes again." in text
    assert "The time is up, and the question is not asked again. The call is over." in text
    waiting = alice.text(f"{url}?keys=1")
    assert "1 yes" in waiting
    assert "The call waits in the queue “Renewal desk” for an agent." in waiting
    assert "Somebody answers Nobody answers" in waiting
    missed = alice.text(f"{url}?keys=1&keys=missed")
    assert "A text message goes to +12025550171: “Bye Ada Byron”" in missed
    over = alice.text(f"{url}?keys=1&keys={ANSWERED}")
    assert "Somebody answers, and the talk ends." in over
    assert "The call is over." in over


def test_a_value_that_the_person_lacks_is_named(alice: Visitor, api: Caller, built: Built) -> None:
    api.change("section-template/1/", script="Hi {nosuch}")
    assert "Hi Listen This person has no value for “nosuch”." in alice.text(f"surveys/{built.id}/try/")


def test_it_says_what_a_machine_hears(alice: Visitor, api: Caller, built: Built) -> None:
    assert "Spring It does not tell machines from people" in alice.text(f"surveys/{built.id}/try/")
    api.change(built.campaign["url"], voicemail=True, amd_behavior=2)
    assert "Spring It hangs up, and counts the call as not answered." in alice.text(f"surveys/{built.id}/try/")


def test_recordings_are_played(alice: Visitor, api: Caller, built: Built, media: Path) -> None:  # noqa: ARG001
    upload(alice, "Greeting", WELCOME.wav())
    api.change("section-template/1/", audiofile=1)
    assert 'src="/console/recordings/1/sound/"' in alice.get(f"surveys/{built.id}/try/")


def test_a_person_of_somebody_else_is_not_found(alice: Visitor, bob: Visitor, built: Built) -> None:
    assert alice.request("GET", f"surveys/{built.id}/try/?person=999").status_code == 404
    assert alice.request("GET", f"surveys/{built.id}/try/?person=x").status_code == 404
    assert bob.request("GET", f"surveys/{built.id}/try/").status_code == 404
    assert bob.request("GET", f"placeholders/?survey={built.id}").status_code == 404


def test_the_placeholders_of_a_survey_are_those_of_its_lists(alice: Visitor, api: Caller, built: Built) -> None:
    api.create("contact", phonebook=built.book["url"], contact="+12025550173", additional_vars={HOSTILE[:60]: 1})
    text = alice.text(f"placeholders/?survey={built.id}")
    assert "{full_name} {first_name} {last_name} {phone_number}" in text
    assert "{plan}" in text
    assert "<script>alert" not in alice.page
    assert "{plan}" in alice.text("placeholders/")
    section = alice.get(f"surveys/{built.id}/?section=1")
    assert f'href="/console/placeholders/?survey={built.id}"' in section


@given(
    st.sampled_from(["{plan}", "Hi {first_name} {last_name}", "{nosuch}", "no", "", " {phone_number} "]),
    st.sampled_from(["", "Ada", "Ada Byron"]),
    st.dictionaries(st.sampled_from(["plan", "nosuch"]), st.sampled_from(["", "gold", "7"])),
    st.lists(st.sampled_from(["1", "7", "", ANSWERED]), max_size=5),
)
def test_a_trial_says_what_a_call_says(text: str, name: str, variables: dict[str, str], inputs: list[str]) -> None:
    callee = Subscriber(1, "+12025550171", "", full_name=name, additional_vars=json.dumps(variables))
    asked = Section(1, 2, "Tea?", Prompt(script=text), key_labels={"1": "yes"}, branches={"1": 2}, retries=1)
    moved = Section(2, 6, "Desk", Prompt(script=text), queue_id=1)
    trial = walk(CallFlow(Survey((asked, moved))), inputs, callee, {1: "Desk"})
    of_call = [one.text for one in speeches_of((Prompt(script=text),), callee)]
    assert all([heard.spoken for heard in step.heard if heard.spoken] == of_call for step in trial.steps)
    assert not any("{" in heard.text for step in trial.steps for heard in step.heard)
    assert trial.awaits in {"", KEYS, TRANSFER}


def test_the_prompt_of_a_section_offers_placeholders_and_the_voice() -> None:
    inputs = {name: Input(name, name.capitalize(), "area") for name in ("script", "audiofile")}
    form = SimpleNamespace(sound="text", inputs=SimpleNamespace(**inputs))
    shown = render("section_prompt.html", form=form, identity=7, input=lambda one: one.title)
    assert 'href="/console/placeholders/?survey=7"' in shown
    assert 'formaction="/console/surveys/7/speech/"' in shown
