"""Sealing: a campaign plays a copy of its survey template, so that later edits do not change the campaign."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, bindparam, insert, select

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.survey.sections.table import definition_of, settings_of
from dialer.domain.survey.survey import Prompt, Section, Survey, decode_survey, encode_survey
from dialer.domain.words.voices import AS_SET, ChosenVoice
from dialer.store.tables import AudioFile, BranchingTemplate, SealedSurvey, SectionTemplate, SurveyTemplate

_SECTIONS: Final = (
    select(SectionTemplate.__table__)
    .where(SectionTemplate.survey_id == bindparam("survey_id"))
    .order_by(SectionTemplate.order, SectionTemplate.id)
)
_VOICE: Final = select(SurveyTemplate.language, SurveyTemplate.voice, SurveyTemplate.voice_speed).where(
    SurveyTemplate.id == bindparam("survey_id")
)
_SEALED: Final = select(SealedSurvey.document).where(SealedSurvey.id == bindparam("campaign"))
_RECORDINGS: Final = ("audiofile_id", "invalid_audiofile_id", "disclosure_audiofile_id")
_BRANCHES: Final = (
    select(BranchingTemplate.section_id, BranchingTemplate.keys, BranchingTemplate.goto_id)
    .join(SectionTemplate, SectionTemplate.id == BranchingTemplate.section_id)
    .where(SectionTemplate.survey_id == bindparam("survey_id"))
    .order_by(BranchingTemplate.id)
)


def read_survey(connection: Connection, survey_id: int) -> Survey:
    """Return a survey template as a survey, unvalidated. If it is missing, the survey has no sections."""
    sections = connection.execute(_SECTIONS, {"survey_id": survey_id}).mappings().all()
    recordings = _recordings_of(connection, sections)
    branches, voice = _branches_of(connection, survey_id), chosen_voice(connection, survey_id)
    return Survey(tuple(_section(row, recordings, branches.get(row["id"], {}), voice) for row in sections))


def chosen_voice(connection: Connection, survey_id: int) -> ChosenVoice:
    """Return the voice that a survey template chooses."""
    row = connection.execute(_VOICE, {"survey_id": survey_id}).one_or_none()
    voice = AS_SET if row is None else ChosenVoice(row.language, row.voice, row.voice_speed / MONEY_SCALE)
    return voice or AS_SET  # A survey that chooses nothing is sealed without it.


def sealed_survey(connection: Connection, campaign_id: int) -> Survey | None:
    """Return the survey that a campaign plays. Return None if the campaign never started, or sends text messages."""
    document = connection.scalar(_SEALED, {"campaign": campaign_id})
    return None if document is None else decode_survey(document)


def seal(connection: Connection, campaign_id: int, survey: Survey, *, tried_id: int | None = None) -> None:
    """Store the survey that a campaign plays from now on.

    A trial has the secrets that the campaign it tries was started with: `tried_id`.
    """
    tried = select(SealedSurvey.agent_secrets).where(SealedSurvey.id == tried_id)
    started = None if tried_id is None else connection.execute(tried).first()
    secrets = _agent_secrets(connection, survey) if started is None else started.agent_secrets
    connection.execute(
        insert(SealedSurvey).values(id=campaign_id, document=encode_survey(survey), agent_secrets=secrets)
    )


def _agent_secrets(connection: Connection, survey: Survey) -> str | None:
    """Return the secrets of the programs of a survey as JSON; None for none."""
    ids = [section.id for section in survey.sections if definition_of(section).converses]
    if not ids:
        return None
    query = select(SectionTemplate.id, SectionTemplate.agent_secret).where(SectionTemplate.id.in_(ids))
    found = {str(section_id): secret for section_id, secret in connection.execute(query) if secret}
    return msgspec.json.encode(found).decode() if found else None


def recording(connection: Connection, audiofile_id: int) -> Prompt:
    """Return the prompt of an audio file; it is silent if the file is missing."""
    return _recordings(connection, {audiofile_id}).get(audiofile_id, Prompt(audio_ms=0))


def _recordings(connection: Connection, audiofile_ids: Collection[int]) -> dict[int, Prompt]:
    if not audiofile_ids:
        return {}
    query = select(AudioFile.id, AudioFile.duration_ms, AudioFile.audio_file).where(AudioFile.id.in_(audiofile_ids))
    return {row.id: Prompt(audio_ms=row.duration_ms, file=row.audio_file) for row in connection.execute(query)}


def _recordings_of(connection: Connection, sections: Sequence[RowMapping]) -> dict[int, Prompt]:
    return _recordings(connection, {row[name] for row in sections for name in _RECORDINGS} - {None})


def _branches_of(connection: Connection, survey_id: int) -> dict[int, dict[str, int | None]]:
    branches: dict[int, dict[str, int | None]] = {}
    for section_id, keys, goto_id in connection.execute(_BRANCHES, {"survey_id": survey_id}):
        branches.setdefault(section_id, {})[keys.strip().lower()] = goto_id
    return branches


def _section(
    row: RowMapping, recordings: dict[int, Prompt], branches: dict[str, int | None], voice: ChosenVoice
) -> Section:
    invalid_id, disclosure_id = row["invalid_audiofile_id"], row["disclosure_audiofile_id"]
    disclosure = replace(recordings.get(disclosure_id, Prompt()), script=row["disclosure"] or "")
    is_disclosed = disclosure != Prompt()
    return Section(
        id=row["id"],
        type=row["type"],
        question=row["question"],
        prompt=replace(recordings.get(row["audiofile_id"], Prompt()), script=row["script"], voice=voice),
        invalid_prompt=None if invalid_id is None else recordings.get(invalid_id, Prompt()),
        disclosure_prompt=replace(disclosure, voice=voice) if is_disclosed else None,
        branches=branches,
        **settings_of(row["type"], lambda field: row[field.column]),
    )
