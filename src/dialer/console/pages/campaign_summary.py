"""The answers to a campaign in sentences and charts, each person once, and by any column of the list."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from anyio import to_thread
from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.service import ApiRequest
from dialer.app.campaigns.results import PeopleSheet, begin_sheet, list_value, records_voices
from dialer.console.pages.campaign import check_seen
from dialer.console.pages.campaigns import PLACE
from dialer.console.parts.answers import answer_words, queue_names
from dialer.console.parts.record_addresses import identity_in
from dialer.console.serving.services import page
from dialer.console.words.language import gettext, ngettext
from dialer.domain.figures.crosstabs import Crosstab, CrossTable, TooManyGroupsError, tenths
from dialer.domain.survey.survey import Section, Survey
from dialer.resources.crud.resource import Unit
from dialer.store.queries.results_by_person import GivenAnswer, read_given
from dialer.store.tables import Campaign

ANSWERS_MAX: Final = 8
"""Answers to a question that are shown by name."""
GROUPS_SHOWN_MAX: Final = 12
"""Groups of a crosstab that are shown by name."""
_ALL: Final = ""
"""The group of all people."""
_ALL_TENTHS: Final = 10


class ToldQuestion(NamedTuple):
    """A question with the sentence about its most frequent answer, all answers, and the answers by group."""

    question: str
    sentence: str
    answers: CrossTable
    crossed: CrossTable | None


class _Asked(NamedTuple):
    sheet: PeopleSheet
    queues: Mapping[int, str]
    name: str
    by: str
    """The column of the list; empty for none."""


class _Tally:
    """The answers of a campaign's people, counted a chunk at a time."""

    def __init__(self, asked: _Asked) -> None:
        self._asked: Final = asked
        self.people = self.answered = 0
        self.tables: Final = {section.id: Crosstab() for section in asked.sheet.sections}
        self.crossed: Final = {section.id: Crosstab() for section in asked.sheet.sections}

    def read(self, identity: int, after_id: int, unit: Unit) -> int | None:
        """Count the next people, and return the id after which to read on; None after the last ones."""
        found = read_given(unit.connection, identity, after_id)
        by = self._asked.by
        for variables, answers in found.people:
            self.people += 1
            self.answered += bool(answers)
            group = list_value(variables.get(by)).strip() if by else ""
            for section in self._asked.sheet.sections:
                given = answers.get(section.id)
                if given is not None:
                    self._count(section, given, group)
        return found.after_id

    def _count(self, section: Section, given: GivenAnswer, group: str) -> None:
        words = gettext("a recording") if records_voices(section) else given.response
        words = answer_words(section.type, words, self._asked.queues)
        self.tables[section.id].add(_ALL, words)
        if self._asked.by:
            self.crossed[section.id].add(group or gettext("no value"), words)


@get("/campaigns/{record_id:str}/summary", media_type="text/html")
async def show_summary(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show how people answered, in words, and by the column of the list that the query names."""
    identity, service = identity_in(record_id, "campaign"), request.service

    def begin(unit: Unit) -> _Asked:
        check_seen(unit, identity)
        sheet = begin_sheet(unit.connection, identity)
        name = unit.connection.scalar(select(Campaign.name).where(Campaign.id == identity))
        wanted = request.query_params.get("by", "")
        by = wanted if wanted in sheet.list_columns else ""
        return _Asked(sheet, queue_names(unit, Survey(tuple(sheet.sections))), str(name), by)

    asked = await service.read(request, begin, is_long=True)
    tally, message = _Tally(asked), ""
    try:
        after_id: int | None = 0
        while after_id is not None:
            after_id = await service.read(request, partial(tally.read, identity, after_id), is_long=True)
    except TooManyGroupsError:
        message = gettext("%(column)s has too many different values for a table.") % {"column": asked.by}
        asked = asked._replace(by="")
        tally, after_id = _Tally(asked), 0
        while after_id is not None:
            after_id = await service.read(request, partial(tally.read, identity, after_id), is_long=True)
    sections = asked.sheet.sections
    # Tables of thousands of answers and groups take a while, in which others go on.
    told = await to_thread.run_sync(lambda: [_told(section, tally, asked.by) for section in sections])
    return page(
        request,
        "campaign_summary.html",
        PLACE,
        identity=identity,
        name=asked.name,
        columns=asked.sheet.list_columns,
        by=asked.by,
        message=message,
        people=tally.people,
        answered=tally.answered,
        questions=[question for question in told if question is not None],
    )


def _told(section: Section, tally: _Tally, by: str) -> ToldQuestion | None:
    """Return what people answered to a question; None if nobody did."""
    others = gettext("others")
    answers = tally.tables[section.id].table(1, ANSWERS_MAX, others)
    if not answers.groups:
        return None
    crossed = tally.crossed[section.id].table(GROUPS_SHOWN_MAX, ANSWERS_MAX, others) if by else None
    return ToldQuestion(section.question, _sentence(answers), answers, crossed)


def _sentence(answers: CrossTable) -> str:
    """Return a sentence about the most frequent answer, such as "4 of 10 answered: no"."""
    whole = answers.groups[0]
    count = whole.shares[0].people
    of_ten = tenths(count, whole.total)
    told = {"answer": answers.answers[0], "num": of_ten}
    if count == whole.total:
        return gettext("All answered: %(answer)s.") % told
    if of_ten == _ALL_TENTHS:
        return gettext("Nearly all answered: %(answer)s.") % told
    if not of_ten:
        return gettext("The most frequent answer, of fewer than 1 of 20: %(answer)s.") % told
    return ngettext("%(num)s of 10 answered: %(answer)s.", "%(num)s of 10 answered: %(answer)s.", of_ten) % told
