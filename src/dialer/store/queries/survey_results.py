"""Answers of callees, counted by section. Of each call only the last answer to a section is stored."""

from collections.abc import Iterator
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, select

from dialer.domain.plans import SectionResult
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.store.tables import SurveyResult

ANSWERS_MAX: Final = 100
"""Maximum number of different answers that are listed for a section: the most frequent ones."""
ID_MAX: Final = 2**63 - 1


class AnswerCount(msgspec.Struct, frozen=True):
    """An answer, and the number of calls that gave it."""

    response: str
    count: int


class SectionCount(msgspec.Struct):
    """The answers to a section: their number, and a list by frequency. Equally frequent ones are sorted by text."""

    total: int
    answers: list[AnswerCount]


class LastAnswer(msgspec.Struct, frozen=True):
    """The newest answer of a campaign."""

    id: int
    callid: str


def last_answer(connection: Connection, campaign_id: int, until_id: int = ID_MAX) -> LastAnswer | None:
    """Return the newest answer of a campaign up to one with this id; None if there is none."""
    query = select(SurveyResult.id, SurveyResult.callid).where(SurveyResult.campaign_id == campaign_id)
    newest = query.where(SurveyResult.id <= until_id).order_by(SurveyResult.id.desc()).limit(1)
    row = connection.execute(newest).first()
    return None if row is None else LastAnswer(*row)


def count_answers(connection: Connection, campaign_id: int, after_id: int = 0) -> dict[int, SectionCount]:
    """Return the answers of a campaign by the ids of its sections, those after the answer with an id.

    Sections without an answer are left out.

    Some types of section count all answers under one name, or recordings by length (`SectionDefinition.counted_as`).
    """
    given = (
        select(SurveyResult.section_id, _answer().label("answer"))
        .where(SurveyResult.campaign_id == campaign_id, SurveyResult.id > after_id)
        .subquery()
    )
    section, answer, count = given.c.section_id, given.c.answer, func.count()
    place = func.row_number().over(partition_by=section, order_by=(count.desc(), answer))
    total = func.sum(count).over(partition_by=section)
    counted = (
        select(section, answer, count.label("count"), place.label("place"), total.label("total"))
        .group_by(section, answer)
        .subquery()
    )
    rows = connection.execute(
        select(counted).where(counted.c.place <= ANSWERS_MAX).order_by(counted.c.section_id, counted.c.place)
    )
    found: dict[int, SectionCount] = {}
    for section_id, response, times, _, in_all in rows:
        found.setdefault(section_id, SectionCount(int(in_all), [])).answers.append(AnswerCount(response, times))
    return found


def counted_name(answer: SectionResult) -> str:
    """Return the name under which an answer is counted, as `count_answers` does for rows."""
    definition = SECTION_TYPES[answer.section_type]
    for most, name in definition.counted_lengths:
        if answer.recording_s is not None and answer.recording_s <= most:
            return name
    return definition.counted_as or answer.response


def _answer() -> ColumnElement[str]:
    """Return an expression for the name under which an answer is counted."""
    return case(*_names(), else_=SurveyResult.response)


def _names() -> Iterator[tuple[ColumnElement[bool], ColumnElement[str]]]:
    """Yield conditions with the names that they give to answers. The first condition that holds applies."""
    for number, definition in SECTION_TYPES.items():
        is_of_type = SurveyResult.section_type == number
        for seconds, name in definition.counted_lengths:
            yield and_(is_of_type, SurveyResult.recording_duration <= seconds), literal(name)
        if definition.counted_as:
            yield is_of_type, literal(definition.counted_as)
