"""The sections of a call that have no answer, read from the inputs by which the call can be replayed."""

from collections.abc import Iterator, Sequence

from sqlalchemy import RowMapping

from dialer.domain.survey.callflow import CallFlow
from dialer.domain.survey.heard import HeardError, read_heard
from dialer.domain.survey.replay import is_its_own, replay
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Survey, section_name
from dialer.store.timeline.parts import VisitedSection, moment


def sections_without_answer(
    heard: str, survey: Survey | None, answered_ms: int, results: Sequence[RowMapping], transfers: Sequence[RowMapping]
) -> Iterator[VisitedSection]:
    """Yield the sections that a call came to and that have neither an answer nor a transfer, in their order.

    `answered_ms` is the time of the answer to the second. The times of answers and transfers are exact, so a section
    that follows one of them has its time.
    """
    try:
        inputs = read_heard(heard)
    except HeardError:
        return
    steps = [] if survey is None or not inputs else replay(CallFlow(survey), inputs)
    if not is_its_own(steps, inputs):
        return
    exact = {row["section_id"]: row["created_date"] for row in results if not row["recording_duration"]}
    exact |= {row["section_id"]: row["ended_ms"] or row["joined_ms"] for row in transfers}
    shown = {row["section_id"] for row in (*results, *transfers)}
    at_ms = answered_ms
    for step in steps:
        if step.section.id not in shown:
            yield VisitedSection(moment(at_ms), section_name(step.section), definition_of(step.section).asks)
        if step.heard is not None:
            at_ms = max(at_ms, exact.get(step.section.id, answered_ms + step.heard.at_ms))
