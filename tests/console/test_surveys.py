"""Tests of the page of a survey, and of calls through it by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.survey_trial import INPUTS_MAX, STEPS_MAX, walk
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
    assert (
        'href="/console/records/section-template/1/" data-section="1" draggable="false" aria-label="Message: Hello"'
        in alice.page
    )
    for path in ("", "try/"):
        assert bob.request("GET", f"surveys/{survey}/{path}").status_code == 404


@given(st.lists(st.text("0123456789#*", max_size=3), max_size=2 * INPUTS_MAX))
def test_every_trial_comes_to_an_end(inputs: list[str]) -> None:
    asking = Section(1, 2, "Tea?", Prompt(), key_labels={"1": "yes"}, branches={"1": 2, "invalid": 1, "timeout": 1})
    survey = Survey((asking, Section(2, 1, "Again", Prompt(), branches={"0": 1})))
    trial = walk(CallFlow(survey), inputs)
    assert len(trial.steps) <= STEPS_MAX
    assert trial.is_asking == (len(inputs) < INPUTS_MAX)
