"""The erasure of answers: chosen answers stay and become anonymous; other answers and recordings are erased.

Answers stay when their campaign is deleted, as CDRs do. Then only the CDR tells which callee gave an answer.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final

from sqlalchemy import ColumnElement, Connection, case, exists, select, update

from dialer.app.erasure.personal_data import whose_number
from dialer.domain.numbers.spellings import ERASED, Spellings
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import LegType
from dialer.store.tables import CallRequest, Cdr, SurveyResult

ANSWERS_AT_ONCE: Final = 500
"""Answers, or calls, that one statement erases."""

_has_lost_its_call = SurveyResult.callrequest_id.is_(None)
_is_strangers = exists().where(CallRequest.id == SurveyResult.callrequest_id, CallRequest.subscriber_id.is_(None))

DeleteFile = Callable[[str], None]
"""Deletes a file of the media directory, if it exists."""


def _chosen() -> list[int]:
    """Return the section types whose answers are choices that the author of the survey wrote."""
    return [number for number, definition in SECTION_TYPES.items() if definition.has_chosen_answers]


def erase_answers(connection: Connection, condition: ColumnElement[bool], delete_file: DeleteFile) -> None:
    """Erase the answers that meet a condition.

    Recordings are deleted at once. If the unit of work fails, it is repeated, and the recordings had to be deleted
    anyway.
    """
    for name in connection.scalars(select(SurveyResult.record_file).where(condition, SurveyResult.record_file != "")):
        delete_file(name)
    connection.execute(
        update(SurveyResult)
        .where(condition)
        .values(
            response=case((SurveyResult.section_type.in_(_chosen()), SurveyResult.response), else_=ERASED),
            record_file="",
            summary="",
        )
    )


def erase_answers_of_number(connection: Connection, spellings: Spellings, delete_file: DeleteFile) -> None:
    """Erase the answers of a number that no subscriber leads to.

    They are those in calls of deleted campaigns, to the number and from it, and in calls of a caller who was no
    subscriber.
    """
    columns = (Cdr.phone_number, Cdr.callerid)
    rows = [row for column in columns for row in whose_number(connection, column, spellings)]
    callids = iter({row["callid"] for row in rows if row["leg_type"] == LegType.A_LEG})
    while some := list(islice(callids, ANSWERS_AT_ONCE)):
        erase_answers(connection, (_has_lost_its_call | _is_strangers) & SurveyResult.callid.in_(some), delete_file)


def erase_answers_before(connection: Connection, before_ms: int, delete_file: DeleteFile) -> int:
    """Erase up to `ANSWERS_AT_ONCE` answers of deleted campaigns that are older than a moment; return their count."""
    is_personal = SurveyResult.section_type.not_in(_chosen()) & (SurveyResult.response != ERASED)
    query = select(SurveyResult.id).where(_has_lost_its_call, SurveyResult.created_date < before_ms, is_personal)
    ids = connection.scalars(query.limit(ANSWERS_AT_ONCE)).all()
    erase_answers(connection, SurveyResult.id.in_(ids), delete_file)
    return len(ids)
