"""Tests that a new section type needs only a class and a row of the table."""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, ClassVar

import pytest

from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.actions import CallContext, MessageToSend
from dialer.domain.survey.sections.asking import AskingDefinition, number_of
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.survey.survey import Section
from dialer.sim.report import report_of
from tests.api.harness import Caller
from tests.end_to_end.service import advance
from tests.end_to_end.test_answers import branch, campaign, section
from tests.sim.scenes import run


class MadeUp(IntEnum):
    AGE_GATE = 98
    RAFFLE = 99


class AgeGate(AskingDefinition):
    """A section that asks for an age in decades, as one digit. `min_number` is the lowest accepted digit."""

    __slots__ = ()

    type: ClassVar[Any] = MadeUp.AGE_GATE
    has_chosen_answers: ClassVar[bool] = True
    no_answer: ClassVar[str] = "no age is entered"

    def digits_max(self, section: Section) -> int:  # noqa: ARG002 - equal for all sections
        return 1

    def response_to(self, section: Section, digits: str) -> str | None:
        decades = number_of(digits)
        if decades is None:
            return None
        return "of age" if decades >= section.min_number else "too young"

    def count_answers(self, section: Section) -> int:  # noqa: ARG002 - equal for all sections
        return 10

    def why_wrong(self, section: Section, digits: str) -> str:  # noqa: ARG002 - equal for all sections
        return "an age is one digit"

    def remarks(self, section: Section) -> Iterator[Remark]:
        if section.min_number == 0:
            yield Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, "Everybody is of age: min_number is 0.")


class Raffle(SectionDefinition):
    """A section that sends a ticket as a text message. `conference` is the prize, and `sms_text` the message."""

    __slots__ = ()

    type: ClassVar[Any] = MadeUp.RAFFLE
    sends_messages: ClassVar[bool] = True
    counted_as: ClassVar[str] = "ticket"

    def before_prompt(self, section: Section, context: CallContext) -> MessageToSend:
        return MessageToSend(f"ticket of {context.number}", context.number, f"{section.sms_text} {section.conference}")


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECTION_TYPES, MadeUp.AGE_GATE, AgeGate())
    monkeypatch.setitem(SECTION_TYPES, MadeUp.RAFFLE, Raffle())


def counted(ann: Caller, made: dict[str, Any]) -> list[tuple[int, str, list[tuple[str, int]]]]:
    """Return the type, the question and the counted answers of each section with answers."""
    sections = ann.get(f"surveyaggregate/{made['id']}/")["sections"]
    return [
        (one["type"], one["question"], [(answer["response"], answer["count"]) for answer in one["answers"]])
        for one in sections
    ]


def test_sections_of_new_types_are_written_checked_sealed_played_and_counted(ann: Caller, admin: Caller) -> None:
    """The first callee presses nothing, and the others press 1, 2 and 3. Callees of age get a ticket."""
    survey = ann.create("survey-template", name="made up")
    gate = section(ann, survey, 1, 98)
    raffle = section(ann, survey, 2, 99, sms_text="You may win", conference="a bicycle")
    goodbye = section(ann, survey, 3, 7, completed=True)
    for keys, target in (("1", goodbye), ("12", goodbye), ("any", raffle), ("timeout", goodbye)):
        branch(ann, gate, keys, target)
    for keys in ("0", "timeout"):
        branch(ann, raffle, keys, goodbye)
    assert (gate["type"], raffle["type"], raffle["conference"]) == (98, 99, "a bicycle")
    status, errors = ann.refused("PATCH", gate["url"], type=13)
    assert (status, errors["type"][0].rpartition(", 10")[2]) == (
        400,
        " (sms), 12 (conversation), 98 (age_gate), 99 (raffle).",
    )
    assert [one["id"] for one in ann.get("section-template/", type=99)["results"]] == [raffle["id"]]

    check = ann.get(f"{survey['url']}check/")
    assert [(one["level"], one["section"], one["message"]) for one in check["findings"]] == [
        ("error", gate["url"], "Everybody is of age: min_number is 0."),
        ("warning", gate["url"], "Branches are never taken: 12; an age is one digit."),
        ("warning", raffle["url"], "Branches are never taken: timeout; 0 is taken first."),
    ]
    ann.change(gate["url"], min_number=2)

    made = campaign(ann, admin, survey)
    status, errors = ann.refused("PATCH", made["url"], status=1)
    assert (status, list(errors)) == (400, ["sms_gateway"])
    ann.change(made["url"], sms_gateway=admin.create("sms-gateway", name="texts")["url"])
    ann.change(made["url"], status=1)
    ann.change(gate["url"], min_number=0)
    advance(admin, 600)

    assert counted(ann, made) == [
        (98, "Section 1", [("of age", 2), ("too young", 1)]),
        (99, "Section 2", [("ticket", 2)]),
    ]
    results = ann.get("survey-result/", section_type=99)["results"]
    assert [one["response"] for one in results] == ["ticket of +12025550102", "ticket of +12025550103"]
    messages = ann.get("sms-message/")["results"]
    assert [(one["phone_number"], one["text_message"]) for one in messages] == [
        ("+12025550102", "You may win a bicycle"),
        ("+12025550103", "You may win a bicycle"),
    ]


def test_a_scenario_plays_sections_of_new_types() -> None:
    sections = [
        {"id": 1, "type": 98, "question": "Your age?", "audio_seconds": 1, "min_number": 2, "branches": {"any": 2}},
        {"id": 2, "type": 99, "question": "A ticket", "sms_text": "You may win", "conference": "a bicycle"},
    ]
    simulation = run("+12025550101", "+12025550103", survey={"sections": sections})
    found = {
        each.question: [(answer.name, answer.count) for answer in each.answers]
        for each in report_of(simulation).sections
    }
    assert found == {
        "Your age?": [("of age", 1), ("too young", 1)],
        "A ticket": [("ticket of +12025550101", 1), ("ticket of +12025550103", 1)],
    }
    assert [message.text for message, _ in simulation.store.messages] == ["You may win a bicycle"] * 2
