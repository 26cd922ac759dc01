"""Sealing: a campaign plays a copy of its survey template, so that later edits do not change the campaign."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, insert, select

from dialer.domain.survey.sections.table import settings_of
from dialer.domain.survey.survey import Prompt, Section, Survey, decode_survey, encode_survey
from dialer.store.tables import AudioFile, BranchingTemplate, SealedSurvey, SectionTemplate

_sealed = SealedSurvey.__table__
_sections = SectionTemplate.__table__
_branches = BranchingTemplate.__table__
_audio = AudioFile.__table__


def read_survey(connection: Connection, survey_id: int) -> Survey:
    """Return a survey template as a survey, unvalidated. If it is missing, the survey has no sections."""
    rows = connection.execute(
        select(_sections).where(_sections.c.survey_id == survey_id).order_by(_sections.c.order, _sections.c.id)
    )
    sections = rows.mappings().all()
    lengths = _audio_lengths(connection, sections)
    branches = _branches_of(connection, survey_id)
    return Survey(tuple(_section(row, lengths, branches.get(row["id"], {})) for row in sections))


def sealed_survey(connection: Connection, campaign_id: int) -> Survey | None:
    """Return the survey that a campaign plays. Return None if the campaign never started, or sends text messages."""
    document = connection.scalar(select(_sealed.c.document).where(_sealed.c.id == campaign_id))
    return None if document is None else decode_survey(document)


def seal(connection: Connection, campaign_id: int, survey: Survey) -> None:
    """Store the survey that a campaign plays from now on."""
    connection.execute(insert(_sealed).values(id=campaign_id, document=encode_survey(survey)))


def audio_length_ms(connection: Connection, audiofile_id: int) -> int:
    """Return the duration of an audio file in milliseconds; 0 if it is missing."""
    return int(connection.scalar(select(_audio.c.duration_ms).where(_audio.c.id == audiofile_id)) or 0)


def _audio_lengths(connection: Connection, sections: Sequence[RowMapping]) -> dict[int, int]:
    wanted = {row[name] for row in sections for name in ("audiofile_id", "invalid_audiofile_id")} - {None}
    rows = connection.execute(select(_audio.c.id, _audio.c.duration_ms).where(_audio.c.id.in_(wanted)))
    return {row[0]: row[1] for row in rows}


def _branches_of(connection: Connection, survey_id: int) -> dict[int, dict[str, int | None]]:
    rows = connection.execute(
        select(_branches.c.section_id, _branches.c["keys"], _branches.c.goto_id)
        .join(_sections, _sections.c.id == _branches.c.section_id)
        .where(_sections.c.survey_id == survey_id)
        .order_by(_branches.c.id)
    )
    branches: dict[int, dict[str, int | None]] = {}
    for section_id, keys, goto_id in rows:
        branches.setdefault(section_id, {})[keys.strip().lower()] = goto_id
    return branches


def _section(row: RowMapping, lengths: dict[int, int], branches: dict[str, int | None]) -> Section:
    invalid_id = row["invalid_audiofile_id"]
    return Section(
        id=row["id"],
        type=row["type"],
        question=row["question"],
        prompt=Prompt(audio_ms=lengths.get(row["audiofile_id"]), script=row["script"]),
        invalid_prompt=None if invalid_id is None else Prompt(audio_ms=lengths.get(invalid_id)),
        branches=branches,
        **settings_of(lambda field: row[field.column]),
    )
