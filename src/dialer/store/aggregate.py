"""What callees answered, counted by section: the last answer of each call counts, as only that is kept."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, null, select

from dialer.domain.enums import SectionType
from dialer.store.models import SurveyResult

ANSWERS_MAX: Final = 100
"""Different answers that are counted one by one in a section: the most frequent; the others are counted together."""
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
    """The answers to one section, the most frequent first, equals by what they say."""

    answers: list[AnswerCount] = []
    others: int = 0
    """How many answers were given that are not among these."""

    @property
    def total(self) -> int:
        """How many answers were given."""
        return self.others + sum(answer.count for answer in self.answers)


def count_answers(connection: Connection, campaign_id: int) -> dict[int, SectionCount]:
    """The answers of a campaign by the ids of its sections, those without an answer left out.

    Requests not to be called and text messages count by what they are, not by their numbers; recordings by length.
    """
    section, answer = _results.c.section_id, _answer()
    order = (func.count().desc(), answer)
    counted = (
        select(
            section,
            answer.label("answer"),
            func.count().label("count"),
            func.row_number().over(partition_by=section, order_by=order).label("place"),
        )
        .where(_results.c.campaign_id == campaign_id)
        .group_by(section, answer)
        .subquery()
    )
    is_shown = counted.c.place <= ANSWERS_MAX
    shown, place = case((is_shown, counted.c.answer)), case((is_shown, counted.c.place))
    rows = connection.execute(
        select(counted.c.section_id, shown, func.sum(counted.c.count))
        .group_by(counted.c.section_id, place, shown)
        .order_by(counted.c.section_id, place.is_(null()), place)
    )
    found: dict[int, SectionCount] = {}
    for section_id, response, count in rows:
        one = found.setdefault(section_id, SectionCount())
        if response is None:
            one.others = int(count)
        else:
            one.answers.append(AnswerCount(response, int(count)))
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
