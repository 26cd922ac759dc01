"""Files of a campaign: its people, what became of each in words, and its answers with a row for each call."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.answers.list_chunks import read_chunks
from dialer.api.answers.long_tables import format_of
from dialer.api.answers.spreadsheets import CellLink
from dialer.api.service import ApiRequest
from dialer.app.campaigns.readiness import survey_of
from dialer.app.campaigns.results import PeopleSheet, begin_sheet, distinct_heads, list_value, records_voices
from dialer.console.pages.campaign import check_seen
from dialer.console.parts.answers import answer_words, questions_of, queue_names
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind, answer_chunks
from dialer.console.parts.zones import zone_of
from dialer.console.words.language import gettext
from dialer.console.words.state_words import capitalised, person_words, words_of
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section, Survey
from dialer.domain.words.enums import AgentDisposition
from dialer.domain.words.reasons import SUBSCRIBER_REASONS
from dialer.resources.crud.pagination import parse_selection
from dialer.resources.crud.resource import Unit
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.answers_by_call import AnswersChunk, CallAnswers, read_answers
from dialer.store.queries.results_by_person import GivenAnswer, PersonResult, ResultsChunk, read_results
from dialer.store.tables import Campaign


class _Shown(NamedTuple):
    """The parts that the rows of a sheet of people have in common."""

    sheet: PeopleSheet
    queues: Mapping[int, str]
    base: str
    """The address of the service."""


@get("/campaigns/{record_id:str}/answers/export")
async def export_answers(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the answers of all calls of a campaign."""
    identity, service = identity_in(record_id, "campaign"), request.service

    def begin(unit: Unit) -> tuple[list[Section], dict[int, str]]:
        check_seen(unit, identity)
        row = unit.connection.execute(select(Campaign.__table__).where(Campaign.id == identity)).mappings().one()
        survey, _ = survey_of(unit.connection, dict(row))
        return questions_of(survey), queue_names(unit, survey)

    sections, queues = await service.read(request, begin)
    columns = [*_of_calls(), *(SheetColumn(head, ValueKind.TEXT) for head in _heads(sections))]

    async def chunks() -> AsyncIterator[Sheet]:
        after_id: int | None = 0
        while after_id is not None:
            found = await service.read(request, partial(_read, identity, after_id), is_long=True)
            yield Sheet(columns, [_row(call, sections, queues) for call in found.calls])
            after_id = found.after_id

    zone: ZoneInfo = zone_of(request)
    return await answer_chunks(request, columns, chunks(), f"answers-campaign-{identity}", zone)


@get("/campaigns/{record_id:str}/results/export")
async def export_results(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the result of each person of a campaign, with the columns of the list, in the viewer's language."""
    identity, service = identity_in(record_id, "campaign"), request.service

    def begin(unit: Unit) -> tuple[PeopleSheet, dict[int, str]]:
        check_seen(unit, identity)
        sheet = begin_sheet(unit.connection, identity)
        return sheet, queue_names(unit, Survey(tuple(sheet.sections)))

    sheet, queues = await service.read(request, begin, is_long=True)
    columns = _of_sheet(sheet)
    shown = _Shown(sheet, queues, service.links(request).base)

    async def chunks() -> AsyncIterator[Sheet]:
        found = sheet.first
        yield Sheet(columns, [_result(person, shown) for person in found.people])
        while (after_id := found.after_id) is not None:
            found = await service.read(request, partial(_read_people, identity, after_id), is_long=True)
            yield Sheet(columns, [_result(person, shown) for person in found.people])

    return await answer_chunks(request, columns, chunks(), f"results-campaign-{identity}", zone_of(request))


@get("/campaigns/{record_id:str}/people/export")
async def export_people(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send all people of a campaign with their states."""
    identity, service = identity_in(record_id, "campaign"), request.service
    format_of(request)
    await service.read(request, lambda unit: check_seen(unit, identity))
    parameters = [("campaign", str(identity)), ("ordering", "id")]
    selection = parse_selection(SUBSCRIBERS, parameters, service.conventions(request))
    selection = msgspec.structs.replace(selection, is_export=True)
    exported = await service.export(
        request, SUBSCRIBERS, partial(read_chunks, service, request, SUBSCRIBERS, selection)
    )
    if exported is None:
        raise RecordNotFoundError("There is no such page.")
    return exported


def _read(identity: int, after_id: int, unit: Unit) -> AnswersChunk:
    return read_answers(unit.connection, identity, after_id)


def _read_people(identity: int, after_id: int, unit: Unit) -> ResultsChunk:
    return read_results(unit.connection, identity, after_id)


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
    reason = SUBSCRIBER_REASONS.get(person.reason, person.reason)
    said = person.word
    if person.disposition and not said:
        said = words_of(AgentDisposition(person.disposition))
    return (
        person.name,
        person.number,
        person_words(person.status, person.reason),
        capitalised(gettext(reason)) if reason else "",
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


def _cells(section: Section, given: GivenAnswer | None, shown: _Shown) -> tuple[Value, ...]:
    """Return an answer; of one that was recorded, the length of the recording, and where to hear it."""
    if not records_voices(section):
        return (None if given is None else answer_words(section.type, given.response, shown.queues),)
    if given is None or not given.is_recorded:
        return None if given is None else given.recorded_s, None
    return given.recorded_s, CellLink(f"{shown.base}/console/answers/{given.result_id}/recording/")


def _of_calls() -> list[SheetColumn]:
    return [
        SheetColumn(gettext("Dialled"), ValueKind.MOMENT),
        SheetColumn(gettext("Number"), ValueKind.TEXT),
        SheetColumn(gettext("Name"), ValueKind.TEXT),
        SheetColumn(gettext("Attempt")),
        SheetColumn(gettext("Talked"), ValueKind.SECONDS),
    ]


def _heads(sections: list[Section]) -> list[str]:
    """Return the questions as heads of columns."""
    return distinct_heads(section.question or gettext("A question without a text") for section in sections)


def _row(call: CallAnswers, sections: list[Section], queues: Mapping[int, str]) -> tuple[Value, ...]:
    answers = (_answer(call, section, queues) for section in sections)
    return (call.starting_ms, call.number, call.name, call.attempt, call.billsec, *answers)


def _answer(call: CallAnswers, section: Section, queues: Mapping[int, str]) -> Value:
    response = call.answers.get(section.id)
    return None if response is None else answer_words(definition_of(section).type, response, queues)
