"""Tests of the section in which a program talks: its address, its findings, its branches, and its replay."""

from typing import Final
from urllib.parse import urlsplit

import pytest

from dialer.domain.survey.agent_urls import AGENT_URL_MAX, agent_url_fault, signed_url
from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.check import check_survey
from dialer.domain.survey.heard import HeardInput, input_of, text_of
from dialer.domain.survey.inputs import SectionInput
from dialer.domain.survey.placeholders import Having, KnownNames
from dialer.domain.survey.replay import first_difference, is_its_own, replay
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType

TOLD: Final = Prompt(script="You talk with a program.")
ONLY_HERE: Final = "ws:// is only for programs on this machine, such as ws://127.0.0.1:8765. Use wss://."
NO_QUERY: Final = "The address must have no query (?…): it is not signed alike everywhere. Use a path instead."
GOODBYE: Final = Section(2, SectionType.HANG_UP, "Goodbye", Prompt(script="Goodbye"))


def talk(**fields: object) -> Section:
    usual: dict[str, object] = {
        "agent_url": "wss://agent.example/calls",
        "disclosure_prompt": TOLD,
        "branches": {"0": 2},
        "prompt": Prompt(),
    }
    return Section(1, SectionType.CONVERSATION, "Talk", **usual | fields)  # type: ignore[arg-type]


def findings(**fields: object) -> list[tuple[str, str]]:
    return [(one.code, one.message) for one in check_survey(Survey((talk(**fields), GOODBYE)))]


@pytest.mark.parametrize(
    "url",
    [
        "wss://agent.example",
        "wss://agent.example:8443/a/b",
        "wss://[2001:db8::1]/",
        "ws://127.0.0.1:8765",
        "ws://localhost/x",
    ],
)
def test_an_address_over_tls_or_on_this_machine_is_right(url: str) -> None:
    assert agent_url_fault(url) is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ws://agent.example/", ONLY_HERE),
        ("ws://127.0.0.1.agent.example/", ONLY_HERE),
        ("wss://agent.example/?key=1", NO_QUERY),
        ("wss://agent.example/?", NO_QUERY),
        (
            "wss://a:b@agent.example/",
            "The address must not hold a password. The program verifies the signature instead.",
        ),
        *(
            (wrong, "Use an address such as wss://agent.example.com/calls.")
            for wrong in (
                "https://agent.example/",
                "agent.example",
                "wss:///x",
                "wss://agent.example:0/",
                "wss://agent.example:x/",
                "wss://agent.example/ x",
                "wss://agent.example/#x",
                "wss://ägent.example/",
                "wss://agent.example/" + "x" * AGENT_URL_MAX,
            )
        ),
    ],
)
def test_another_address_says_what_is_wrong(url: str, words: str) -> None:
    assert str(agent_url_fault(url)) == words


@pytest.mark.parametrize(
    ("url", "signed"),
    [
        ("wss://Agent.Example", "wss://agent.example/"),
        ("wss://agent.example:443/X", "wss://agent.example/X"),
        ("wss://agent.example:8443/x", "wss://agent.example:8443/x"),
        ("ws://127.0.0.1:80/", "ws://127.0.0.1/"),
        ("wss://[2001:DB8::1]:443/", "wss://[2001:db8::1]/"),
    ],
)
def test_the_signed_address_is_what_the_server_sees(url: str, signed: str) -> None:
    assert signed_url(urlsplit(url)) == signed


def test_a_whole_section_has_no_findings_and_each_fault_is_found() -> None:
    assert findings() == []
    assert findings(agent_url=" ") == [
        ("no_program", "There is no program to talk with the callee: set agent_url."),
    ]
    wrong = "ws://agent.example"
    assert findings(agent_url=wrong) == [("wrong_program", f"agent_url '{wrong}': {ONLY_HERE}")]
    (finding,) = findings(disclosure_prompt=None)
    assert finding[0] == "no_disclosure"


def test_names_of_values_that_no_contact_has_are_found() -> None:
    known = KnownNames(10, {"order_id": Having(10, 10)}, is_complete=True)
    survey = Survey((talk(agent_parameters="order_id, order_no"), GOODBYE))
    (finding,) = check_survey(survey, known)
    assert (finding.code, finding.section_id) == ("unknown_placeholder", 1)


@pytest.mark.parametrize(
    ("branches", "taken", "target"),
    [
        ({"0": 2, "7": 2}, SectionInput(branch="7"), 2),
        ({"any": 2}, SectionInput(branch="7"), 2),
        ({"0": 2}, SectionInput(branch="7"), None),
        ({"any": 2, "0": 2}, SectionInput(branch="invalid"), None),
        ({"invalid": 2}, SectionInput(branch="invalid"), 2),
        ({"timeout": 2}, SectionInput(branch="timeout"), 2),
    ],
)
def test_the_call_takes_the_branch_that_the_program_chose(
    branches: dict[str, int | None], taken: SectionInput, target: int | None
) -> None:
    flow = CallFlow(Survey((talk(branches=branches), GOODBYE)))
    first = flow.begin()
    assert first is not None
    turn = flow.take(first, taken)
    assert (None if turn.position is None else turn.position.section.id) == target


def test_the_answer_is_the_result_or_else_the_branch() -> None:
    flow = CallFlow(Survey((talk(), GOODBYE)))
    first = flow.begin()
    assert first is not None
    assert flow.take(first, SectionInput('{"age":7}', "0")).response == '{"age":7}'
    assert flow.take(first, SectionInput(branch="0")).response == "0"


def test_a_result_is_replayed_through_a_changed_survey() -> None:
    heard = (HeardInput(9_000, 1, text_of(SectionInput('{"age":7}', "0"))),)
    assert input_of(heard[0].text) == SectionInput('{"age":7}', "0")
    was = replay(CallFlow(Survey((talk(), GOODBYE))), heard)
    assert is_its_own(was, heard)
    assert [(step.section.id, step.response) for step in was] == [(1, '{"age":7}'), (2, None)]
    changed = replay(CallFlow(Survey((talk(branches={"0": None}), GOODBYE))), heard)
    difference = first_difference(was, changed)
    assert difference is not None
    assert (difference.step, difference.field, difference.is_now) == (1, "next", "the call ends")


@pytest.mark.parametrize(
    ("branch", "changed", "field"),
    [
        ("invalid", {"prompt": Prompt(script="Nobody is there.")}, "script"),
        ("0", {"prompt": Prompt(script="Nobody is there.")}, None),
        ("0", {"disclosure_prompt": Prompt(script="A machine talks.")}, "disclosure"),
        ("0", {"disclosure_prompt": None}, "disclosure"),
        ("invalid", {}, None),
    ],
)
def test_a_replay_compares_what_the_callee_heard_of_a_talk(
    branch: str, changed: dict[str, object], field: str | None
) -> None:
    """The section's own prompt is heard if no program answered, and only then."""
    heard = (HeardInput(9_000, 1, text_of(SectionInput(branch=branch))),)
    was, now = (replay(CallFlow(Survey((talk(**fields), GOODBYE))), heard) for fields in ({}, changed))
    difference = first_difference(was, now)
    assert (None if difference is None else difference.field) == field
