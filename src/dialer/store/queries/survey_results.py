"""Answers of callees, counted by section. Of each call only the last answer to a section is stored."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, bindparam, case, func, literal, literal_column, select

from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.figures.scales import as_mark, in_order
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.reasons import TransferReason
from dialer.store.tables import SurveyResult, Transfer

ANSWERS_MAX: Final = 100
"""Maximum number of different answers that are listed for a section: the most frequent ones."""
COUNTED_MAX: Final = 200
"""Characters by which an answer is counted. Of a longer one, such as 16 KiB of a program's result, these are shown."""
_CUT: Final = "…"
ID_MAX: Final = 2**63 - 1
_is_recorded: Final = case((SurveyResult.record_file != "", 1), else_=0)
_LAST: Final = (
    select(SurveyResult.id, SurveyResult.callid)
    .where(SurveyResult.campaign_id == bindparam("campaign"), SurveyResult.id <= bindparam("until"))
    .order_by(SurveyResult.id.desc())
    .limit(1)
)
_TRANSFERRING: Final = [number for number, definition in SECTION_TYPES.items() if definition.transfers]


class AnswerCount(msgspec.Struct, frozen=True):
    """An answer, and the number of calls that gave it."""

    response: str
    count: int


class SectionCount(msgspec.Struct):
    """The answers to a section: their number, and a list by frequency. Equally frequent ones are sorted by text."""

    total: int
    answers: list[AnswerCount]
    unserved: int = 0
    """Calls that the section transferred and that nobody took."""
    went_on: int = 0
    """Those of `unserved` whose callee stayed in the call, so that they took the branch for it."""
    recordings: int = 0
    """Answers with a recording that is there to be heard. The answer outlives it."""


class LastAnswer(msgspec.Struct, frozen=True):
    """The newest answer of a campaign."""

    id: int
    callid: str


def last_answer(connection: Connection, campaign_id: int, until_id: int = ID_MAX) -> LastAnswer | None:
    """Return the newest answer of a campaign up to one with this id; None if there is none."""
    row = connection.execute(_LAST, {"campaign": campaign_id, "until": until_id}).first()
    return None if row is None else LastAnswer(*row)


def count_answers(connection: Connection, campaign_id: int, after_id: int = 0) -> dict[int, SectionCount]:
    """Return the answers of a campaign by the ids of its sections, those after the answer with an id.

    Sections without an answer are left out.

    Some types of section count all answers under one name, or recordings by length (`SectionDefinition.counted_as`).
    """
    given = (
        select(
            SurveyResult.section_id,
            SurveyResult.section_type,
            _answer().label("answer"),
            _is_recorded.label("recorded"),
        )
        .where(SurveyResult.campaign_id == campaign_id, SurveyResult.id > after_id)
        .subquery()
    )
    section, answer, count, kind = given.c.section_id, given.c.answer, func.count(), func.min(given.c.section_type)
    place = func.row_number().over(partition_by=section, order_by=(count.desc(), answer))
    total = func.sum(count).over(partition_by=section).label("total")
    recordings = func.sum(func.sum(given.c.recorded)).over(partition_by=section).label("recordings")
    columns = (section, answer, count.label("count"), kind.label("kind"), place.label("place"), total, recordings)
    counted = select(*columns).group_by(section, answer).subquery()
    rows = connection.execute(
        select(counted).where(counted.c.place <= ANSWERS_MAX).order_by(counted.c.section_id, counted.c.place)
    )
    found: dict[int, SectionCount] = {}
    transferring = False
    for section_id, response, times, kind, _, in_all, recorded in rows:
        one = found.setdefault(section_id, SectionCount(int(in_all), [], recordings=int(recorded)))
        one.answers.append(AnswerCount(response, times))
        transferring = transferring or kind in _TRANSFERRING
    if transferring:
        for section_id, unserved, went_on in _count_unserved(connection, campaign_id, after_id):
            found[section_id].unserved, found[section_id].went_on = unserved, went_on
    return found


def in_scale(answers: Iterable[AnswerCount], most: int = ANSWERS_MAX, marks: Iterable[str] = ()) -> list[AnswerCount]:
    """Return the most frequent answers to a scale in its order, the lowest mark first, each mark in one spelling.

    `marks` are there also if nobody gave them.
    """
    counts: Counter[str] = Counter(dict.fromkeys(marks, 0))
    for one in answers:
        counts[as_mark(one.response)] += one.count
    frequent = sorted(counts, key=lambda response: (-counts[response], response))[:most]
    return [AnswerCount(response, counts[response]) for response in in_order(frequent)]


def _count_unserved(connection: Connection, campaign_id: int, after_id: int) -> Iterator[tuple[int, int, int]]:
    """Yield the sections whose transfers nobody took in some calls, with these calls, and those that stayed on."""
    of_section = and_(
        Transfer.callrequest_id == SurveyResult.callrequest_id, Transfer.section_id == SurveyResult.section_id
    )
    calls = (
        select(
            SurveyResult.section_id,
            func.max(case((Transfer.reason == "", 1), else_=0)).label("is_served"),
            func.max(case((Transfer.reason == TransferReason.HUNG_UP, 1), else_=0)).label("is_left"),
        )
        .join(Transfer, of_section)
        .where(SurveyResult.campaign_id == campaign_id, SurveyResult.id > after_id)
        .where(SurveyResult.section_type.in_(_TRANSFERRING))
        .group_by(SurveyResult.section_id, SurveyResult.callrequest_id)
        .subquery()
    )
    counted = select(calls.c.section_id, func.count(), func.sum(1 - calls.c.is_left)).where(calls.c.is_served == 0)
    for section_id, unserved, went_on in connection.execute(counted.group_by(calls.c.section_id)):
        yield section_id, unserved, int(went_on)


def counted_name(answer: SectionResult) -> str:
    """Return the name under which an answer is counted, as `count_answers` does for rows."""
    definition = SECTION_TYPES[answer.section_type]
    for most, name in definition.counted_lengths:
        if answer.recording_s is not None and answer.recording_s <= most:
            return name
    return definition.counted_as or shortened(answer.response)


def shortened(response: str) -> str:
    """Return an answer as it is counted: the results of programs that begin alike are one."""
    return response if len(response) <= COUNTED_MAX else f"{response[:COUNTED_MAX]}{_CUT}"


def _answer() -> ColumnElement[str]:
    """Return an expression for the name under which an answer is counted."""
    response = SurveyResult.response
    is_long = func.length(response) > COUNTED_MAX
    # PostgreSQL has no substr of a bigint, as which a number goes there that is a parameter.
    cut = func.substr(response, literal_column("1"), literal_column(str(COUNTED_MAX))) + _CUT
    return case(*_names(), (is_long, cut), else_=response)


def _names() -> Iterator[tuple[ColumnElement[bool], ColumnElement[str]]]:
    """Yield conditions with the names that they give to answers. The first condition that holds applies."""
    for number, definition in SECTION_TYPES.items():
        is_of_type = SurveyResult.section_type == number
        for seconds, name in definition.counted_lengths:
            yield and_(is_of_type, SurveyResult.recording_duration <= seconds), literal(name)
        if definition.counted_as:
            yield is_of_type, literal(definition.counted_as)
