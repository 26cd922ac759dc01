"""Tests of the branches and the order of a survey's sections, as its page changes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.console.survey_keys import keys_of
from dialer.domain.survey.survey import Prompt, Section
from tests.api.harness import Caller
from tests.console.building import HOSTILE
from tests.console.visitor import Visitor, words


@pytest.fixture
def survey(api: Caller) -> int:
    """Create a survey with a message, a question and an end, without branches, and return its id."""
    made = api.create("survey-template", name="Survey")
    api.create("section-template", survey=made["url"], order=1, type=1, question="Hello", script=HOSTILE)
    api.create("section-template", survey=made["url"], order=2, type=2, question="Tea?", key_1="yes", key_2="no")
    api.create("section-template", survey=made["url"], order=3, type=7, question="Goodbye")
    return int(made["id"])


def branches(api: Caller) -> dict[tuple[str, str], str | None]:
    found = api.get("branching-template/")["results"]
    return {(one["section"][-2], one["keys"]): one["goto"] and one["goto"][-2] for one in found}


def order(api: Caller) -> list[str]:
    return [one["question"] for one in api.get("section-template/", ordering="order")["results"]]


def test_a_key_is_led_to_a_section_and_elsewhere_and_nowhere(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    assert '<option value="1">1: yes</option>' in alice.page
    assert "<script>alert" not in alice.page
    for section, keys, goto in (("1", "0", "2"), ("2", "1", "3"), ("2", "timeout", ""), ("2", "1", "1")):
        assert alice.send(f"surveys/{survey}/branches/", section=section, keys=keys, goto=goto).status_code == 303
    assert branches(api) == {("1", "0"): "2", ("2", "1"): "1", ("2", "timeout"): None}
    text = alice.text(f"surveys/{survey}/")
    assert "1: yes → leads to Hello" in text
    assert "no input → leads to the end of the call" in text
    for _ in range(2):  # Twice, because somebody else may be faster.
        assert alice.send(f"surveys/{survey}/branches/delete/", section="2", keys="1").status_code == 303
    assert branches(api) == {("1", "0"): "2", ("2", "timeout"): None}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"section": "1", "keys": "soon", "goto": "2"}, 400),
        ({"section": "1", "keys": "0", "goto": "99"}, 400),
        ({"section": "1", "keys": "0", "goto": "x"}, 400),
        ({"section": "1", "keys": "0", "goto": "9" * 30}, 400),
        ({"section": "1"}, 400),
        ({"section": "9", "keys": "0"}, 404),
        ({}, 404),
    ],
)
def test_a_wrong_branch_changes_nothing(
    alice: Visitor, api: Caller, survey: int, fields: dict[str, str], status: int
) -> None:
    alice.get(f"surveys/{survey}/")
    answer = alice.send(f"surveys/{survey}/branches/", **fields)
    assert (answer.status_code, branches(api)) == (status, {})
    assert (status == 404) or 'role="alert"' in answer.text


def test_sections_change_places(alice: Visitor, api: Caller, survey: int) -> None:
    alice.get(f"surveys/{survey}/")
    assert 'name="order" value="1,3,2" title="One place later"' in alice.page
    assert alice.send(f"surveys/{survey}/order/", order="3,1,2").status_code == 303
    assert order(api) == ["Goodbye", "Hello", "Tea?"]
    for wrong in ("", "1,2", "1,2,2", "1,2,3,4", "1,2,x", "1,2,3," + "9" * 30):
        answer = alice.send(f"surveys/{survey}/order/", order=wrong)
        assert (answer.status_code, "repeat your change" in words(answer.text)) == (400, True)
    assert order(api) == ["Goodbye", "Hello", "Tea?"]


def test_a_survey_is_changed_by_its_owner_only(
    alice: Visitor, bob: Visitor, visitor: Visitor, api: Caller, survey: int
) -> None:
    visitor.sign_in("vera")
    assert "Set branch" not in visitor.get(f"surveys/{survey}/")
    for other, status in ((bob, 404), (visitor, 403)):
        other.get("account/")
        for path, fields in (
            ("branches/", {"section": "1", "keys": "0", "goto": "2"}),
            ("branches/delete/", {"section": "1", "keys": "0"}),
            ("order/", {"order": "3,2,1"}),
        ):
            assert other.send(f"surveys/{survey}/{path}", **fields).status_code == status
            assert alice.request("POST", f"surveys/{survey}/{path}", data=fields).status_code == 403
    assert (branches(api), order(api)) == ({}, ["Hello", "Tea?", "Goodbye"])


@given(st.integers(1, 10), st.integers(-5, 10**6), st.dictionaries(st.sampled_from("0123456789"), st.text(max_size=5)))
def test_the_keys_that_are_offered_are_few_and_different(section_type: int, laps: int, labels: dict[str, str]) -> None:
    keys = keys_of(Section(1, section_type, "", Prompt(), rating_laps=laps, key_labels=labels))
    assert 1 <= len(keys) == len(set(keys)) <= 13
