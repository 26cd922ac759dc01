"""Tests of surveys as documents."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from dialer.domain.survey.sections.fields import SecondsField
from dialer.domain.survey.sections.multi_choice import CHOICES
from dialer.domain.survey.sections.table import section_fields
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.sim.scenario import ScenarioError, SectionPart, parse_survey
from dialer.sim.survey_document import survey_of, with_recordings
from tests.domain.survey.surveys import any_sections


def possible(sections: tuple[Section, ...]) -> Survey:
    """Return a survey that the API would take: its branches lead to sections, and its numbers are within bounds."""
    ids = {None, *(one.id for one in sections)}
    return Survey(
        tuple(
            replace(
                one,
                retries=max(0, one.retries),
                rating_laps=max(1, one.rating_laps),
                min_number=min(one.min_number, one.max_number),
                max_number=max(one.min_number, one.max_number),
                branches={keys: target for keys, target in one.branches.items() if target in ids},
            )
            for one in sections
        )
    )


@given(any_sections.map(possible))
def test_a_survey_is_the_same_after_a_round_trip(survey: Survey) -> None:
    assert survey_of(parse_survey(document_of(survey))) == survey


@given(any_sections.map(possible))
def test_recordings_of_the_same_length_are_the_same(survey: Survey) -> None:
    recorded = Survey(tuple(replace(one, prompt=replace(one.prompt, file=f"{one.id}.wav")) for one in survey.sections))
    again = survey_of(parse_survey(document_of(recorded)))
    assert with_recordings(again, recorded) == recorded


def document_of(survey: Survey) -> dict[str, Any]:
    """Return the document of a survey, without the fields that have their default."""
    return {"sections": [_document(section) for section in survey.sections]}


def _document(section: Section) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": section.id,
        "question": section.question,
        "type": int(section.type),
        "script": section.prompt.script,
        "audio_seconds": _seconds(section.prompt),
        "invalid_audio_seconds": _seconds(section.invalid_prompt),
        **{field.name: section.key_labels.get(digit) for digit, field in CHOICES.items()},
    }
    for field in section_fields():
        if field.setting in Section.__struct_fields__:
            value = getattr(section, field.setting)
            values[field.name] = value // 1_000 if isinstance(field, SecondsField) else value
    values["branches"] = section.branches
    defaults = {one.name: one.default for one in msgspec.structs.fields(SectionPart)}
    return {name: value for name, value in values.items() if value != defaults[name] and value != {}}


def _seconds(prompt: Prompt | None) -> float | None:
    return None if prompt is None or prompt.audio_ms is None else prompt.audio_ms / 1_000


def test_a_type_is_given_by_its_number_or_its_name() -> None:
    """So the survey of a scenario may be one that was exported."""
    found = [
        survey_of(parse_survey({"sections": [{"id": 1, "question": "?", "type": kind}]}))
        for kind in (SectionType.MULTI_CHOICE.value, "multi_choice")
    ]
    assert found[0] == found[1]
    with pytest.raises(ScenarioError, match=r"sections\[0\].type: Invalid enum value multi"):
        parse_survey({"sections": [{"id": 1, "question": "?", "type": "multi"}]})


def test_a_file_with_the_secret_of_a_program_is_read_without_it() -> None:
    section = {"id": 1, "question": "Talk", "type": "conversation", "agent_url": "ws://127.0.0.1/"}
    with_secret = survey_of(parse_survey({"sections": [section | {"agent_secret": "made-up"}]}))
    assert with_secret == survey_of(parse_survey({"sections": [section]}))
