"""Surveys of documents: the `survey` part of a scenario, or a survey of `dialer export`."""

from msgspec.structs import replace

from dialer.domain.survey.sections.table import settings_of
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.sim.scenario import SectionPart, SurveyPart


def survey_of(part: SurveyPart) -> Survey:
    """Return the survey that a document describes. Its recordings have a length, but no file."""
    return Survey(tuple(map(_section, part.sections)))


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
        type=part.number_of_type,
        question=part.question,
        prompt=Prompt(_milliseconds(part.audio_seconds), part.script),
        invalid_prompt=recording_of(part.invalid_audio_seconds),
        disclosure_prompt=_disclosure(part),
        branches=part.branches,
        **settings_of(part.number_of_type, lambda field: getattr(part, field.name)),
    )


def _disclosure(part: SectionPart) -> Prompt | None:
    prompt = Prompt(_milliseconds(part.disclosure_audio_seconds), part.disclosure)
    return None if prompt == Prompt() else prompt


def _recorded(section: Section, known: Section) -> Section:
    return replace(
        section,
        prompt=_with_file(section.prompt, known.prompt),
        invalid_prompt=_with_file_or_none(section.invalid_prompt, known.invalid_prompt),
        disclosure_prompt=_with_file_or_none(section.disclosure_prompt, known.disclosure_prompt),
    )


def _with_file_or_none(prompt: Prompt | None, known: Prompt | None) -> Prompt | None:
    return prompt if prompt is None or known is None else _with_file(prompt, known)


def _with_file(prompt: Prompt, known: Prompt) -> Prompt:
    return replace(prompt, file=known.file) if prompt.audio_ms == known.audio_ms else prompt


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1_000)
