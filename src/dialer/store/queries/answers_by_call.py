"""The answers of a campaign, all those of one call together, a chunk at a time."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, case, select

from dialer.store.tables import Cdr, Contact, SurveyResult

RESULTS_READ: Final = 4_000
"""Answers of one chunk. A call has fewer: it has one to each section."""


class CallAnswers(NamedTuple):
    """A call with its answers by section. Facts that are deleted by now are empty."""

    callid: str
    starting_ms: int | None
    number: str
    name: str
    attempt: int | None
    billsec: int | None
    answers: dict[int, str]


class AnswersChunk(NamedTuple):
    """Some calls with answers, and the id of the answer after which to read on; None after the last ones."""

    calls: list[CallAnswers]
    after_id: int | None


def read_answers(connection: Connection, campaign_id: int, after_id: int = 0) -> AnswersChunk:
    """Return the next calls of a campaign with their answers, in the order in which they were stored."""
    columns = (SurveyResult.id, SurveyResult.callid, SurveyResult.section_id, SurveyResult.response)
    query = select(*columns).where(SurveyResult.campaign_id == campaign_id, SurveyResult.id > after_id)
    rows = connection.execute(query.order_by(SurveyResult.id).limit(RESULTS_READ)).all()
    if not rows:
        return AnswersChunk([], None)
    is_last = len(rows) < RESULTS_READ
    if not is_last:  # The answers of one call are stored together. The last call may go on in the next chunk.
        whole = [row for row in rows if row.callid != rows[-1].callid]
        rows = whole or rows
    answers: dict[str, dict[int, str]] = {}
    for _, callid, section_id, response in rows:
        answers.setdefault(callid, {})[section_id] = response
    facts = _facts(connection, answers)
    calls = [facts.get(callid, _unknown(callid))._replace(answers=found) for callid, found in answers.items()]
    return AnswersChunk(calls, None if is_last else rows[-1].id)


def _unknown(callid: str) -> CallAnswers:
    return CallAnswers(callid, None, "", "", None, None, {})


def _facts(connection: Connection, callids: Iterable[str]) -> dict[str, CallAnswers]:
    query = (
        select(
            Cdr.callid,
            Cdr.starting_date,
            case((Cdr.attempt < 0, Cdr.callerid), else_=Cdr.phone_number),
            Contact.full_name,
            Cdr.attempt,
            Cdr.billsec,
        )
        .outerjoin(Contact, Contact.id == Cdr.contact_id)
        .where(Cdr.callid.in_(list(callids)))
    )
    return {
        callid: CallAnswers(callid, starting_ms, number, name or "", max(0, attempt) or None, billsec, {})
        for callid, starting_ms, number, name, attempt, billsec in map(tuple, connection.execute(query))
    }
