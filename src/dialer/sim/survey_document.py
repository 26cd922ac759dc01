"""Surveys as documents: the `survey` part of a scenario, from a survey and back."""

from typing import Any

import msgspec
from msgspec.structs import replace

from dialer.domain.survey.sections.fields import SecondsField
from dialer.domain.survey.sections.multi_choice import CHOICES
from dialer.domain.survey.sections.table import section_fields, settings_of
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.sim.scenario import SectionPart, SurveyPart


def survey_of(part: SurveyPart) -> Survey:
    """Return the survey that a document describes. Its recordings have a length, but no file."""
    return Survey(tuple(map(_section, part.sections)))


def document_of(survey: Survey) -> dict[str, Any]:
    """Return the document of a survey, without the fields that have their default."""
    return {"sections": [_document(section) for section in survey.sections]}


def with_recordings(survey: Survey, of: Survey) -> Survey:
    """Return a survey with the recordings of another one, in sections of the same id whose lengths are the same."""
    known = {section.id: section for section in of.sections}
    return Survey(tuple(_recorded(section, known.get(section.id, section)) for section in survey.sections))


def recording_of(seconds: float | None) -> Prompt | None:
    """Return the prompt of a recording of this length; None without one."""
    return None if seconds is None else Prompt(_milliseconds(seconds))


def _section(part: SectionPart) -> Section:
    return Section(
        id=part.id,
        type=part.type,
        question=part.question,
        prompt=Prompt(_milliseconds(part.audio_seconds), part.script),
        invalid_prompt=recording_of(part.invalid_audio_seconds),
        branches=part.branches,
        **settings_of(lambda field: getattr(part, field.name)),
    )


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


def _recorded(section: Section, known: Section) -> Section:
    invalid, known_invalid = section.invalid_prompt, known.invalid_prompt
    if invalid is not None and known_invalid is not None:
        invalid = _with_file(invalid, known_invalid)
    return replace(section, prompt=_with_file(section.prompt, known.prompt), invalid_prompt=invalid)


def _with_file(prompt: Prompt, known: Prompt) -> Prompt:
    return replace(prompt, file=known.file) if prompt.audio_ms == known.audio_ms else prompt


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1_000)


def _seconds(prompt: Prompt | None) -> float | None:
    return None if prompt is None or prompt.audio_ms is None else prompt.audio_ms / 1_000
