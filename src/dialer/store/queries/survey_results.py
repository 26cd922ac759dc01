"""What callees answered, counted by section: the last answer of each call counts, as only that is kept."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, select

from dialer.domain.enums import SectionType
from dialer.store.tables import SurveyResult

ANSWERS_MAX: Final = 100
"""Different answers that are counted one by one in a section: the most frequent ones."""
RECORDING_LENGTHS: Final[Sequence[tuple[int, str]]] = (
    (20, "0 - 20 seconds"),
    (40, "21 - 40 seconds"),
    (60, "41 - 60 seconds"),
    (90, "61 - 90 seconds"),
)
"""What recordings are counted by: a length in seconds that is not exceeded, and its name."""
LONGER: Final = "> 90 seconds"

_results: Final = SurveyResult.__table__


class AnswerCount(msgspec.Struct, frozen=True):
    """How often one answer was given."""

    response: str
    count: int


class SectionCount(msgspec.Struct):
    """The answers to one section: how many in all, and the most frequent first, equals by what they say."""

    total: int
    answers: list[AnswerCount]


def count_answers(connection: Connection, campaign_id: int) -> dict[int, SectionCount]:
    """The answers of a campaign by the ids of its sections, those without an answer left out.

    Requests not to be called and text messages count by what they are, not by their numbers; recordings by length.
    """
    given = (
        select(_results.c.section_id, _answer().label("answer")).where(_results.c.campaign_id == campaign_id).subquery()
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


def _answer() -> ColumnElement[str]:
    """What an answer is counted as."""
    kind, seconds = _results.c.section_type, _results.c.recording_duration
    lengths = [
        (and_(kind == SectionType.RECORD_MESSAGE, seconds <= most), literal(name)) for most, name in RECORDING_LENGTHS
    ]
    return case(
        (kind == SectionType.DNC, literal("DNC")),
        (kind == SectionType.SMS, literal("SMS")),
        *lengths,
        (kind == SectionType.RECORD_MESSAGE, literal(LONGER)),
        else_=_results.c.response,
    )
