"""Answers of callees as people read them: by question, with the names of queues."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.console.charts.charts import share
from dialer.console.words.language import gettext
from dialer.console.words.record_names import names_of
from dialer.console.words.state_words import capitalised
from dialer.domain.figures.scales import STEPS_MAX, MeanMark, mean_of
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.survey.sections.table import SECTION_TYPES, definition_of
from dialer.domain.survey.survey import Section, Survey
from dialer.resources.crud.resource import Unit
from dialer.store.queries.survey_results import SectionCount, in_scale
from dialer.store.tables import Campaign, Queue

ANSWERS_SHOWN_MAX: Final = 12
_QUEUE: Final = re.compile(r"queue: ([0-9]{1,18})\Z", re.ASCII)
"""The answer of a section that has transferred a call to a queue."""


class ShownAnswer(NamedTuple):
    """An answer to a question, with its share of all answers in per cent."""

    response: str
    calls: int
    width: float


class ShownQuestion(NamedTuple):
    """A question with its most frequent answers."""

    question: str
    total: int
    """The answers, or the recordings that can be heard."""
    answers: list[ShownAnswer]
    mean: MeanMark | None = None
    """The mean of a scale."""
    recorded_section: int | None = None
    """The section whose answers are recordings, which are heard rather than named."""


def queue_names(unit: Unit, survey: Survey) -> dict[int, str]:
    """Return the names of the queues to which a survey leads, as far as the viewer may see them."""
    ids = {section.queue_id for section in survey.sections if section.queue_id}
    return names_of(unit, "queue", ids)


def queues_of_campaign(connection: Connection, campaign_id: int, sections: Iterable[Section]) -> dict[int, str]:
    """Return the names of the queues of a campaign's account to which sections lead."""
    ids = {section.queue_id for section in sections if section.queue_id}
    owner = select(Campaign.user_id).where(Campaign.id == campaign_id).scalar_subquery()
    query = select(Queue.id, Queue.name).where(Queue.id.in_(ids), Queue.user_id == owner)
    return {row.id: row.name for row in connection.execute(query)} if ids else {}


def answer_words(section_type: int, response: str, queues: Mapping[int, str]) -> str:
    """Return an answer in words: in place of a queue's number its name."""
    if is_erased(section_type, response):
        return gettext("erased")
    words = SECTION_TYPES[section_type].branch_words.get(response) if section_type in SECTION_TYPES else None
    if words is not None:
        return capitalised(gettext(words))
    match = _QUEUE.match(response) if section_type in SECTION_TYPES and SECTION_TYPES[section_type].transfers else None
    if match is None:
        return response
    number = int(match[1])
    return gettext("To the queue %(name)s") % {"name": queues.get(number, number)}


def is_erased(section_type: int, response: str) -> bool:
    """Return whether an answer was erased with its person. Choices and ratings stay, and name nobody."""
    is_chosen = section_type in SECTION_TYPES and SECTION_TYPES[section_type].has_chosen_answers
    return response == ERASED and not is_chosen


def questions_of(survey: Survey) -> list[Section]:
    """Return the sections of a survey that have answers, in their order."""
    return [section for section in survey.sections if definition_of(section).has_answers]


def _unserved(count: SectionCount) -> list[ShownAnswer]:
    """Return the calls of a transfer that nobody took, in a row of their own."""
    words = gettext("of these, nobody took the call")
    return [ShownAnswer(words, count.unserved, share(count.unserved, count.total))] if count.unserved else []


def shown_questions(
    survey: Survey, counts: Mapping[int, SectionCount], queues: Mapping[int, str]
) -> list[ShownQuestion]:
    """Return the questions of a survey that have answers, each with the most frequent ones, or its scale in order."""
    return [_question(section, counts[section.id], queues) for section in questions_of(survey) if section.id in counts]


def _question(section: Section, count: SectionCount, queues: Mapping[int, str]) -> ShownQuestion:
    definition = definition_of(section)
    if definition.records_voices:
        return ShownQuestion(section.question, count.recordings, [], recorded_section=section.id)
    is_scale = definition.is_scale(section)
    answers = (
        in_scale(count.answers, STEPS_MAX, definition.marks(section)) if is_scale else count.answers[:ANSWERS_SHOWN_MAX]
    )
    shown = [
        ShownAnswer(answer_words(definition.type, one.response, queues), one.count, share(one.count, count.total))
        for one in answers
    ]
    mean = mean_of({one.response: one.count for one in count.answers}) if is_scale else None
    return ShownQuestion(section.question, count.total, [*shown, *_unserved(count)], mean)
