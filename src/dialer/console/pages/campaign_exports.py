"""Files of a campaign: its people, what became of each, its answers with a row for each call, and its proof."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Stream
from sqlalchemy import select

from dialer.api.actions.call_archives import ZIP
from dialer.api.actions.campaign_proofs import answer_proof
from dialer.api.answers.list_chunks import read_chunks
from dialer.api.answers.long_tables import format_of
from dialer.api.http.event_streams import SlowReadersCutOff
from dialer.api.service import ApiRequest
from dialer.app.campaigns.readiness import survey_of
from dialer.app.campaigns.results import distinct_heads
from dialer.console.pages.campaign import check_seen
from dialer.console.parts.answers import answer_words, questions_of, queue_names
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind, answer_chunks
from dialer.console.parts.zones import zone_of
from dialer.console.words.language import gettext
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import Section
from dialer.resources.crud.pagination import parse_selection
from dialer.resources.crud.resource import Unit
from dialer.resources.records.subscribers import SUBSCRIBERS
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.answers_by_call import AnswersChunk, CallAnswers, read_answers
from dialer.store.tables import Campaign


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
    # The first sheet imports what a start does without.
    from dialer.console.parts.people_sheet import read_people_sheet  # noqa: PLC0415

    identity, service = identity_in(record_id, "campaign"), request.service
    await service.read(request, lambda unit: check_seen(unit, identity))
    columns, chunks = await read_people_sheet(service.database, identity, service.links(request).base)
    return await answer_chunks(request, columns, chunks, f"results-campaign-{identity}", zone_of(request))


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


@get("/campaigns/{record_id:str}/proof", media_type=ZIP, middleware=[SlowReadersCutOff])
async def download_proof(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Send the archive that proves a campaign, as the API does."""
    identity = identity_in(record_id, "campaign")
    return await answer_proof(request, identity, lambda unit: check_seen(unit, identity))


def _read(identity: int, after_id: int, unit: Unit) -> AnswersChunk:
    return read_answers(unit.connection, identity, after_id)


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
