"""`GET …/results/`: what became of each person of a campaign, with answers, cost and the columns of the list."""

from collections.abc import AsyncIterator, Callable
from datetime import datetime, tzinfo
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from litestar import Response, get
from litestar.openapi.spec import Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath

from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.long_tables import CSV, FORMAT, answer_csv, answer_xlsx, format_of
from dialer.api.answers.spreadsheets import XLSX, CellLink, CellValue, in_zone
from dialer.api.answers.streams import describe_answer
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.service import ApiRequest
from dialer.app.campaigns.results import PeopleSheet, begin_sheet, distinct_heads, list_value, records_voices
from dialer.domain.billing.money import MONEY_SCALE, format_money
from dialer.domain.survey.survey import Section, section_name
from dialer.domain.words.enums import SubscriberStatus
from dialer.resources.crud import records
from dialer.resources.crud.moments import show_timestamp
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.urls import identity_in
from dialer.resources.records.calls import SURVEY_RESULTS
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.queries.results_by_person import GivenAnswer, Onward, PersonResult, ResultsChunk, read_results

_CSV: Final = "text/csv"
_KNOWN: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: (FORMAT,)}
_DESCRIBED: Final = describe_answer(
    {
        _CSV: Schema(type=OpenAPIType.STRING),
        XLSX: Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY, content_media_type=XLSX),
    }
)
_HEADS: Final = (
    *("subscriber", "phone_number", "full_name", "status", "status_reason", "attempts", "last_attempt", "cost"),
    *("agent", "disposition", "disposition_word", "note", "call_back", "currency"),
)
"""The columns of every campaign. Answers and the columns of the list follow."""
_STATES: Final = {int(status): status.name.lower() for status in SubscriberStatus}

Moment: TypeAlias = Callable[[int | None], str | datetime | None]


class _Cells(NamedTuple):
    """The values of a format that are no plain texts and numbers."""

    moment: Moment
    money: Callable[[int], str | float]
    currency: str
    """The currency of the cost."""
    recordings: str
    """The start of the addresses of survey results."""


@get(
    "/campaigns/{record_id:str}/results", tags=[CAMPAIGNS.path], media_type=_CSV, opt=_KNOWN, operation_class=_DESCRIBED
)
async def read_campaign_results(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Return a row for each person of a voice campaign: state, attempts, cost, answers, and the columns of the list.

    An answer is the last one of the person to its section, over all their calls. The answer to a section that records
    is the length of the recording in seconds, and the column after it has the address of the recording.
    """
    return await _answer(request, CAMPAIGNS, record_id)


@get(
    "/sms-campaigns/{record_id:str}/results",
    tags=[SMS_CAMPAIGNS.path],
    media_type=_CSV,
    opt=_KNOWN,
    operation_class=_DESCRIBED,
)
async def read_sms_campaign_results(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Return a row for each person of an SMS campaign: state, attempts, cost, and the columns of the list."""
    return await _answer(request, SMS_CAMPAIGNS, record_id)


async def _answer(request: ApiRequest, resource: Resource, record_id: str) -> Response[Any]:
    identity, service, wanted = identity_in(record_id), request.service, format_of(request)

    def begin(unit: Unit) -> tuple[PeopleSheet, str]:
        account_id = records.load(unit, resource, identity)["user_id"]
        currency = currency_of_sums(unit.connection, account_id, unit.conventions.currency)
        return begin_sheet(unit.connection, identity), currency or ""

    sheet, currency = await service.read(request, begin, is_long=True)
    start, name = service.links(request).records(SURVEY_RESULTS.path), f"results-{resource.path}-{identity}"
    zone = service.conventions(request).zone
    cells = _in_csv(currency, start) if wanted == CSV else _in_spreadsheet(currency, start, zone)

    async def chunks() -> AsyncIterator[list[list[CellValue]]]:
        found = sheet.first
        yield [_row(person, sheet, cells) for person in found.people]
        while (onward := found.onward) is not None:
            found = await service.read(request, partial(_read, identity, onward), is_long=True)
            yield [_row(person, sheet, cells) for person in found.people]

    if wanted == CSV:
        lines = (write_csv(list(zip(*rows, strict=True))) async for rows in chunks() if rows)
        return await answer_csv(request, name, write_csv([[head] for head in _heads(sheet)]), lines)
    return await answer_xlsx(request, name, _heads(sheet), chunks())


def _read(identity: int, onward: Onward, unit: Unit) -> ResultsChunk:
    return read_results(unit.connection, identity, onward)


def _in_csv(currency: str, start: str) -> _Cells:
    return _Cells(lambda at_ms: None if at_ms is None else show_timestamp(at_ms), format_money, currency, start)


def _in_spreadsheet(currency: str, start: str, zone: tzinfo) -> _Cells:
    def moment(at_ms: int | None) -> datetime | None:
        return None if at_ms is None else in_zone(at_ms, zone)

    return _Cells(moment, lambda amount: amount / MONEY_SCALE, currency, start)


def _heads(sheet: PeopleSheet) -> list[str]:
    answers = [head for section in sheet.sections for head in _heads_of(section)]
    return distinct_heads([*_HEADS, *answers, *sheet.list_columns])


def _heads_of(section: Section) -> list[str]:
    name = section_name(section)
    return [name, f"{name} (recording)"] if records_voices(section) else [name]


def _row(person: PersonResult, sheet: PeopleSheet, cells: _Cells) -> list[CellValue]:
    row: list[CellValue] = [
        person.id,
        person.number,
        person.name,
        _STATES.get(person.status, str(person.status)),
        person.reason,
        person.attempts,
        cells.moment(person.last_attempt_ms),
        cells.money(person.cost),
        person.agent,
        person.disposition,
        person.word,
        person.note,
        cells.moment(person.call_back_ms),
        cells.currency,
    ]
    for section in sheet.sections:
        row += _answer_cells(section, person.answers.get(section.id), cells)
    return row + [list_value(person.variables.get(name)) for name in sheet.list_columns]


def _answer_cells(section: Section, given: GivenAnswer | None, cells: _Cells) -> list[CellValue]:
    if not records_voices(section):
        return [None if given is None else given.response]
    if given is None:
        return [None, None]
    return [
        given.recorded_s,
        CellLink(f"{cells.recordings}{given.result_id}/recording/") if given.is_recorded else None,
    ]
