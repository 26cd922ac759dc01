"""The sheet of a campaign's people in the viewer's language: a row a person, with their answers."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.api.answers.spreadsheets import CellLink
from dialer.app.campaigns.results import (
    PeopleSheet,
    Silence,
    Silences,
    begin_sheet,
    distinct_heads,
    list_value,
    records_voices,
)
from dialer.console.parts.answers import answer_words, queues_of_campaign
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind
from dialer.console.words.language import gettext
from dialer.console.words.state_words import NO_ANSWER_GIVEN, WITHOUT_AN_ANSWER, capitalised, person_words, words_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import AgentDisposition, MessageStatus, SubscriberStatus
from dialer.domain.words.reasons import SUBSCRIBER_REASONS, SubscriberReason
from dialer.store.database.database import Database
from dialer.store.queries.results_by_person import GivenAnswer, Onward, PersonResult, ResultsChunk, read_results

SHARED_OF_PERSON: Final = 3
"""The first columns of a person, which others see: the name, the number and the state."""


class _Shown(NamedTuple):
    """The parts that the rows of a sheet of people have in common."""

    sheet: PeopleSheet
    queues: Mapping[int, str]
    base: str
    """The address of the service."""
    states: "_States"


class LongSheet(NamedTuple):
    """A sheet that is read a chunk at a time."""

    columns: list[SheetColumn]
    chunks: AsyncIterator[Sheet]


async def read_people_sheet(database: Database, campaign_id: int, base: str, *, is_shared: bool = False) -> LongSheet:
    """Begin to read the sheet of a campaign's people; `base` is the address of the service.

    A sheet that is shared with others has names, numbers, states, answers and columns of the list: neither what agents
    noted, nor costs, nor links that only users of the console can open.
    """
    sheet, queues = await database.read(partial(_begin, campaign_id=campaign_id), is_long=True)
    columns, shown = _of_sheet(sheet), _Shown(sheet, queues, base, _States(sheet))
    places = _shared_places(sheet) if is_shared else range(len(columns))

    def part(chunk: ResultsChunk) -> Sheet:
        rows = [_result(person, shown) for person in chunk.people]
        return Sheet([columns[place] for place in places], [tuple(row[place] for place in places) for row in rows])

    async def chunks() -> AsyncIterator[Sheet]:
        found = sheet.first
        yield part(found)
        while (onward := found.onward) is not None:
            found = await database.read(partial(_read_people, campaign_id, onward), is_long=True)
            yield part(found)

    return LongSheet([columns[place] for place in places], chunks())


def _shared_places(sheet: PeopleSheet) -> list[int]:
    """Return the places of the columns that others see: of a recorded answer the length, and not where to hear it."""
    places, place = list(range(SHARED_OF_PERSON)), len(_of_people())
    for section in sheet.sections:
        places.append(place)
        place += 2 if records_voices(section) else 1
    return [*places, *range(place, place + len(sheet.list_columns))]


def _begin(connection: Connection, campaign_id: int) -> tuple[PeopleSheet, dict[int, str]]:
    sheet = begin_sheet(connection, campaign_id)
    return sheet, queues_of_campaign(connection, campaign_id, sheet.sections)


def _read_people(campaign_id: int, onward: Onward, connection: Connection) -> ResultsChunk:
    return read_results(connection, campaign_id, onward)


def _of_people() -> list[SheetColumn]:
    return [
        SheetColumn(gettext("Name"), ValueKind.TEXT),
        SheetColumn(gettext("Number"), ValueKind.TEXT),
        SheetColumn(gettext("State"), ValueKind.TEXT),
        SheetColumn(gettext("Reason"), ValueKind.TEXT),
        SheetColumn(gettext("Attempts")),
        SheetColumn(gettext("Last attempt"), ValueKind.MOMENT),
        SheetColumn(gettext("Cost"), ValueKind.MONEY),
        SheetColumn(gettext("Agent"), ValueKind.TEXT),
        SheetColumn(gettext("Outcome"), ValueKind.TEXT),
        SheetColumn(gettext("Note"), ValueKind.TEXT),
        SheetColumn(gettext("Call back"), ValueKind.MOMENT),
    ]


def _of_sheet(sheet: PeopleSheet) -> list[SheetColumn]:
    """Return all columns of a sheet of people: the same for each campaign, its questions, and those of the list."""
    columns = _of_people()
    for section in sheet.sections:
        name = section.question or gettext("A question without a text")
        if records_voices(section):
            columns += [SheetColumn(name, ValueKind.SECONDS)]
            name = gettext("%(question)s, recording") % {"question": name}
        columns.append(SheetColumn(name, ValueKind.TEXT))
    columns += [SheetColumn(name, ValueKind.TEXT) for name in sheet.list_columns]
    titles = distinct_heads(column.title for column in columns)
    return [column._replace(title=title) for column, title in zip(columns, titles, strict=True)]


def _result(person: PersonResult, shown: _Shown) -> tuple[Value, ...]:
    said = person.word
    if person.disposition and not said:
        said = words_of(AgentDisposition(person.disposition))
    return (
        person.name,
        person.number,
        shown.states.of(person),
        shown.states.reason_of(person.reason),
        person.attempts,
        person.last_attempt_ms,
        person.cost,
        person.agent,
        said,
        person.note,
        person.call_back_ms,
        *(cell for section in shown.sheet.sections for cell in _cells(section, person.answers.get(section.id), shown)),
        *(list_value(person.variables.get(name)) for name in shown.sheet.list_columns),
    )


class _States:
    """The words for the states and the reasons of people. Thousands of people have the same few."""

    def __init__(self, sheet: PeopleSheet) -> None:
        self._is_sms: Final = sheet.is_sms
        self._silences: Final = Silences(sheet.sections)
        self._states: Final[dict[tuple[int, str, Silence | None], str]] = {}
        self._reasons: Final[dict[str, str]] = {"": ""}

    def of(self, person: PersonResult) -> str:
        """Return what the campaign has come to with a person; of those who gave no answer, that they did not."""
        key = person.status, person.reason, self._silences.of(person)
        if key not in self._states:
            self._states[key] = self._state(*key)
        return self._states[key]

    def reason_of(self, reason: str) -> str:
        """Return a reason as a sentence begins; empty for none."""
        if reason not in self._reasons:
            self._reasons[reason] = capitalised(gettext(SUBSCRIBER_REASONS.get(reason, reason)))
        return self._reasons[reason]

    def _state(self, status: int, reason: str, silence: Silence | None) -> str:
        """Return a state. A text that is delivered has reached a telephone, and says nothing of its reader."""
        if self._is_sms and status == SubscriberStatus.IN_PROCESS:
            return words_of(MessageStatus.UNSENT)
        if self._is_sms and status == SubscriberStatus.SENT and reason != SubscriberReason.NO_RECEIPT:
            return gettext("Delivered")
        if silence is None:
            return person_words(status, reason)
        return gettext(WITHOUT_AN_ANSWER if silence is Silence.COMPLETED else NO_ANSWER_GIVEN)


def _cells(section: Section, given: GivenAnswer | None, shown: _Shown) -> tuple[Value, ...]:
    """Return an answer; of one that was recorded, the length of the recording, and where to hear it."""
    if not records_voices(section):
        return (None if given is None else answer_words(section.type, given.response, shown.queues),)
    if given is None or not given.is_recorded:
        return None if given is None else given.recorded_s, None
    return given.recorded_s, CellLink(f"{shown.base}/console/answers/{given.result_id}/recording/")
