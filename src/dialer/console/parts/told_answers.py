"""The answers to a campaign in sentences and shares, each person once, and by any column of the list."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import Final, NamedTuple

from anyio import to_thread
from sqlalchemy import Connection, select

from dialer.app.campaigns.results import PeopleSheet, Silence, Silences, begin_sheet, list_value, records_voices
from dialer.app.contacts.replies import ReplyCounts, read_replies
from dialer.console.parts.answers import answer_words, is_erased, queues_of_campaign
from dialer.console.parts.rendering import day_in, decimal, grouped
from dialer.console.parts.replies import replies_in_words
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind
from dialer.console.words.language import gettext, ngettext
from dialer.domain.figures.crosstabs import Crosstab, CrossTable, TooManyGroupsError, tenths
from dialer.domain.figures.scales import as_mark
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.database.database import Database
from dialer.store.queries.results_by_person import GivenAnswer, Onward, read_given
from dialer.store.tables import Campaign

ANSWERS_MAX: Final = 8
"""Answers to a question that are shown by name."""
GROUPS_SHOWN_MAX: Final = 12
"""Groups of a crosstab that are shown by name."""
MEAN_PLACES: Final = 2
"""Decimals of the mean of a scale."""
_ALL: Final = ""
"""The group of all people."""
_ALL_TENTHS: Final = 10


class ToldQuestion(NamedTuple):
    """A question with the sentence about its most frequent answer, all answers, and the answers by group."""

    question: str
    sentence: str
    answers: CrossTable
    crossed: CrossTable | None
    mean: str = ""
    """The sentence about the mean of a scale; empty for other questions."""
    section_id: int = 0
    is_recorded: bool = False
    """True if the answers are recordings, which are counted and heard rather than named."""


class ToldAnswers(NamedTuple):
    """All that people answered to a campaign."""

    name: str
    """The campaign."""
    columns: list[str]
    """The columns of the list, by which answers can be told."""
    by: str
    """The column by which they are told; empty for none."""
    message: str
    """Why they are not told by the column that was wanted; empty if they are."""
    people: int
    answered: int
    """The people who have given an answer."""
    questions: list[ToldQuestion]
    head: str
    """The sentence about how many people answered; of texts, in which nothing is asked, how many got one."""
    silent: str = ""
    """The sentences about the people who took a call and gave no answer, or replied by text; empty without any."""
    asks: bool = True
    """False if the people get texts, in which nothing is asked."""


class _Asked(NamedTuple):
    sheet: PeopleSheet
    queues: Mapping[int, str]
    name: str
    by: str
    """The column of the list; empty for none."""
    replies: ReplyCounts


class _Tally:
    """The answers of a campaign's people, counted a chunk at a time."""

    def __init__(self, asked: _Asked) -> None:
        self._asked: Final = asked
        self.people = self.answered = self.delivered = self.taken = 0
        self.silent: Final[Counter[Silence | None]] = Counter()
        sections = asked.sheet.sections
        self._silences: Final = Silences(sections)
        scales = {section.id: definition_of(section).is_scale(section) for section in sections}
        self.scales: Final = frozenset(section for section, is_scale in scales.items() if is_scale)
        self.tables, self.crossed = (
            {one.id: Crosstab(is_scale=scales[one.id], marks=definition_of(one).marks(one)) for one in sections}
            for _ in range(2)
        )

    def read(self, identity: int, onward: Onward | None, connection: Connection) -> Onward | None:
        """Count the first or the next people, and return where to read on; None after the last ones."""
        found = read_given(connection, identity, onward)
        by = self._asked.by
        for person in found.people:
            group = list_value(person.variables.get(by)).strip() if by else ""
            known = 0
            for section in self._asked.sheet.sections:
                given = person.answers.get(section.id)
                if given is not None and _is_known(section, given):
                    self._count(section, given, group)
                    known += 1
            self.people += 1
            self.answered += known > 0
            is_sent, is_unheard = person.status == SubscriberStatus.SENT, person.reason == SubscriberReason.NO_RECEIPT
            self.delivered += is_sent and not is_unheard
            self.taken += is_sent and is_unheard
            self.silent[self._silences.of(person)] += 1
        return found.onward

    def _count(self, section: Section, given: GivenAnswer, group: str) -> None:
        words = gettext("a recording") if records_voices(section) else given.response
        words = answer_words(section.type, words, self._asked.queues)
        words = as_mark(words) if section.id in self.scales else words
        self.tables[section.id].add(_ALL, words)
        if self._asked.by:
            self.crossed[section.id].add(group or gettext("no value"), words)


def _is_known(section: Section, given: GivenAnswer) -> bool:
    """Return whether an answer can still be told. A recording can if it is there to be heard."""
    return given.is_recorded if records_voices(section) else not is_erased(section.type, given.response)


async def tell_answers(database: Database, campaign_id: int, wanted: str) -> ToldAnswers:
    """Read how people answered a campaign, by the `wanted` column if the list has it."""
    asked = await database.read(partial(_asked, campaign_id=campaign_id, wanted=wanted), is_long=True)
    message = ""
    try:
        tally = await _counted(database, campaign_id, asked)
    except TooManyGroupsError:
        message = gettext("%(column)s has too many different values for a table.") % {"column": asked.by}
        asked = asked._replace(by="")
        tally = await _counted(database, campaign_id, asked)
    sections = asked.sheet.sections
    # Tables of thousands of answers and groups take a while, in which others go on.
    told = await to_thread.run_sync(lambda: [_told(section, tally, asked.by) for section in sections])
    return ToldAnswers(
        asked.name,
        asked.sheet.list_columns,
        asked.by,
        message,
        tally.people,
        tally.answered,
        [question for question in told if question is not None],
        _head(tally, is_sms=asked.sheet.is_sms),
        " ".join(filter(None, [_silent(tally.silent), replies_in_words(asked.replies)])),
        asks=not asked.sheet.is_sms,
    )


def _head(tally: _Tally, *, is_sms: bool) -> str:
    if is_sms:
        return " ".join(_sentences_of_texts(tally))
    words = ngettext(
        "%(answered)s of %(num)s person answered.", "%(answered)s of %(num)s people answered.", tally.people
    )
    return words % {"answered": grouped(tally.answered), "num": grouped(tally.people)}


def _sentences_of_texts(tally: _Tally) -> Iterator[str]:
    """Yield how many people got the text, and to how many it was sent without a word of its delivery."""
    people = {"num": grouped(tally.people)}
    if tally.delivered or not tally.taken:
        words = ngettext(
            "%(got)s of %(num)s person got the text.", "%(got)s of %(num)s people got the text.", tally.people
        )
        yield words % {"got": grouped(tally.delivered), **people}
    if tally.taken:
        words = ngettext(
            "The text was sent to %(sent)s of %(num)s person, and nothing is known of its delivery.",
            "The text was sent to %(sent)s of %(num)s people, and nothing is known of its delivery.",
            tally.people,
        )
        yield words % {"sent": grouped(tally.taken), **people}


def _silent(counts: Mapping[Silence | None, int]) -> str:
    completed, left = counts.get(Silence.COMPLETED, 0), counts.get(Silence.LEFT, 0)
    of_completed = ngettext(
        "%(num)s person came to the end of the survey without an answer.",
        "%(num)s people came to the end of the survey without an answer.",
        completed,
    )
    of_left = ngettext(
        "%(num)s person took the call and gave no answer.", "%(num)s people took the call and gave no answer.", left
    )
    sentences = ((of_completed, completed), (of_left, left))
    return " ".join(words % {"num": grouped(count)} for words, count in sentences if count)


def _asked(connection: Connection, campaign_id: int, wanted: str) -> _Asked:
    sheet = begin_sheet(connection, campaign_id)
    name = connection.scalar(select(Campaign.name).where(Campaign.id == campaign_id))
    by = wanted if wanted in sheet.list_columns else ""
    queues = queues_of_campaign(connection, campaign_id, sheet.sections)
    return _Asked(sheet, queues, str(name), by, read_replies(connection, campaign_id))


async def _counted(database: Database, campaign_id: int, asked: _Asked) -> _Tally:
    tally = _Tally(asked)
    onward = await database.read(partial(tally.read, campaign_id, None), is_long=True)
    while onward is not None:
        onward = await database.read(partial(tally.read, campaign_id, onward), is_long=True)
    return tally


def sheet_of_answers(told: ToldAnswers) -> Sheet:
    """Return the answers as a table: a row for each question, group and answer."""
    columns = [
        SheetColumn(gettext("Question"), ValueKind.TEXT),
        SheetColumn(told.by or gettext("Group"), ValueKind.TEXT),
        SheetColumn(gettext("Answer"), ValueKind.TEXT),
        SheetColumn(gettext("People")),
        SheetColumn(gettext("Share"), ValueKind.SHARE),
        SheetColumn(gettext("Margin of error in points")),
        SheetColumn(gettext("Mean")),
        SheetColumn(gettext("Answers of the mean")),
    ]
    rows: list[tuple[Value, ...]] = []
    for question in told.questions:
        title = question.question or gettext("A question without a text")
        for table in filter(None, (question.answers, question.crossed)):
            for group in table.groups:
                name = day_in(group.name) or group.name or gettext("All")
                mean = (None, None) if group.mean is None else (round(group.mean.value, MEAN_PLACES), group.mean.count)
                if question.is_recorded:
                    rows.append((title, name, gettext("a recording"), group.total, None, None, None, None))
                    continue
                shares = zip(table.answers, group.shares, strict=True)
                rows += [
                    (title, name, words, one.people, round(one.percent, 1), round(one.margin, 1), *mean)
                    for words, one in shares
                ]
    return Sheet(columns, rows)


def _told(section: Section, tally: _Tally, by: str) -> ToldQuestion | None:
    """Return what people answered to a question; None if nobody did."""
    others = gettext("others")
    answers = tally.tables[section.id].table(1, ANSWERS_MAX, others)
    if not answers.groups:
        return None
    crossed = tally.crossed[section.id].table(GROUPS_SHOWN_MAX, ANSWERS_MAX, others) if by else None
    return ToldQuestion(
        section.question,
        _of_recordings(answers) if records_voices(section) else _sentence(answers),
        answers,
        None if crossed is None else _by_days(_without_shares(crossed) if records_voices(section) else crossed),
        _mean(section, answers),
        section.id,
        records_voices(section),
    )


def _without_shares(table: CrossTable) -> CrossTable:
    """Return the people of each group who left a recording: all of those who count here did."""
    return CrossTable([], [group._replace(shares=[]) for group in table.groups])


def _by_days(table: CrossTable) -> CrossTable:
    """Return a table with the groups that are days in their order; others stay behind them, as they were."""
    return table._replace(groups=sorted(table.groups, key=lambda group: day_in(group.name) or date.max))


def _mean(section: Section, answers: CrossTable) -> str:
    mean, ends = answers.groups[0].mean, definition_of(section).ends_of_scale(section)
    if mean is None or ends is None:
        return ""
    words = ngettext(
        "The mean of %(num)s answer is %(mean)s, on a scale from %(low)s to %(high)s.",
        "The mean of %(num)s answers is %(mean)s, on a scale from %(low)s to %(high)s.",
        mean.count,
    )
    told = {"num": grouped(mean.count), "mean": decimal(mean.value, MEAN_PLACES)}
    return words % {**told, "low": ends[0], "high": ends[1]}


def _of_recordings(answers: CrossTable) -> str:
    count = answers.groups[0].total
    return ngettext("%(num)s person left a recording.", "%(num)s people left a recording.", count) % {
        "num": grouped(count)
    }


def _sentence(answers: CrossTable) -> str:
    """Return a sentence about the most frequent answer, such as "4 of 10 answered: no"; of fewer, their number."""
    whole = answers.groups[0]
    named = [one for one in zip(answers.answers, whole.shares, strict=True) if one[0] != gettext("others")]
    answer, share = max(named or zip(answers.answers, whole.shares, strict=True), key=lambda one: one[1].people)
    count, of_ten = share.people, tenths(share.people, whole.total)
    told = {"answer": answer, "num": of_ten}
    if count == whole.total:
        return gettext("All answered: %(answer)s.") % told
    if whole.total < _ALL_TENTHS:
        words = ngettext("%(num)s of %(all)s answered: %(answer)s.", "%(num)s of %(all)s answered: %(answer)s.", count)
        return words % {"answer": answer, "num": count, "all": whole.total}
    if of_ten == _ALL_TENTHS:
        return gettext("Nearly all answered: %(answer)s.") % told
    if not of_ten:
        return gettext("The most frequent answer, of fewer than 1 of 20: %(answer)s.") % told
    return ngettext("%(num)s of 10 answered: %(answer)s.", "%(num)s of 10 answered: %(answer)s.", of_ten) % told
