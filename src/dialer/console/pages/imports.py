"""Lists that become phonebooks and do-not-call lists: upload, a look at how the file is read, and the import."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.actions.imports import CONTACTS, ImportKind
from dialer.api.answers.forms import FILE_NAME, file_pieces
from dialer.api.answers.long_tables import XLSX, format_of
from dialer.api.answers.spreadsheets import SPREADSHEET_ROWS_MAX, Spreadsheet, answer_spreadsheet
from dialer.api.service import ApiRequest
from dialer.app.imports.guessed_columns import (
    ASKED,
    REFUSALS,
)
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import IMPORT_BYTES_MAX
from dialer.app.imports.latin_guess import LatinReading
from dialer.app.imports.preview import ROWS_SEEN_MAX, FileView, ReadRow, read_rows
from dialer.app.imports.refusals import Suspicion, likely_kind, suspicion_of
from dialer.app.imports.rejected_lines import read_rejected
from dialer.app.imports.report import ImportReport
from dialer.app.imports.report_words import entries_in_words, readings_in_words
from dialer.app.work.errors import RefusedError
from dialer.console.lists.cut_off_imports import cut_off_import
from dialer.console.lists.list_choices import (
    CHARSET_WORDS,
    DELIMITER_WORDS,
    MEANING_WORDS,
    ListChoices,
    header_lines,
    meanings_for,
    options_of,
    read_choices,
    shown_label,
    takes_hidden,
)
from dialer.console.lists.list_country import CountryQuestion, ListCountry
from dialer.console.lists.list_reading import (
    IN_REQUEST_BYTES_MAX,
    KINDS,
    REMARKS_MAX,
    Hear,
    LookedList,
    NobodyImportedError,
    check_meanings,
    in_thread,
    look_at_list,
    report_of,
    why_rejected,
)
from dialer.console.lists.list_tasks import ListTask, ListTasks
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.record_rights import checked, shown_page
from dialer.console.parts.sentences import error_in_words, in_viewers_words
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import check_form
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.catalogue import RecordPage
from dialer.console.words.countries import country_names
from dialer.console.words.language import gettext
from dialer.domain.numbers.doubts import NumberDoubt, doubt_of
from dialer.domain.numbers.lost_zeros import keeps_zero
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud import records
from dialer.resources.words.errors import AnsweredError, InvalidError, MalformedError, RecordNotFoundError
from dialer.store.media.kept_lists import KeptList, KeptLists

FILE: Final = "file"
TASK: Final = "task/"
"""The page of what is done with a list in the background, below that of the list."""
SAMPLES_MAX: Final = 10
"""Rows that a page shows as they would be stored."""
EXAMPLES_MAX: Final = 3
"""Cells of each column that a page shows."""
EXAMPLE_MAX: Final = 200
"""Characters of a cell that a page shows."""
CHECKED_BYTES_MAX: Final = 20 * 1024 * 1024
"""Maximum size of a file, for a workbook unpacked, that is checked as a whole without being asked to."""


class ListPage(NamedTuple):
    """The file and the outcome that the page of a list shows."""

    view: FileView | None
    rows: list[ReadRow]
    report: ImportReport | None
    """The report that an import would give; None if that is not known."""
    country: CountryQuestion | None = None
    has_lost_zeros: bool = False
    """True if numbers of the first lines lack the 0 that belongs to them."""
    readings: Sequence[LatinReading] = ()
    """The character sets among which the viewer is asked to choose."""


class UnderWayError(Exception):
    """An error for a list that is being checked or imported in the background."""


@get("/records/{path:str}/{record_id:str}/import", media_type="text/html")
async def show_import(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Show the form for a file."""
    return await _show_upload(request, _page_of(request, path), identity_in(record_id))


@post("/records/{path:str}/{record_id:str}/import", media_type="text/html", request_max_body_size=IMPORT_BYTES_MAX)
async def upload_list(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Keep a file, and go on to the page that shows how it is read."""
    found, identity = _page_of(request, path), identity_in(record_id)
    resource = checked(request, found, "PATCH")
    try:
        token, texts = await keep_list(request, {})
    except (InvalidError, MalformedError) as error:
        return await _show_upload(request, found, identity, messages_of(error))
    await request.service.read(request, lambda unit: records.read_record(unit, resource, identity))
    choices = ListChoices(into=found.path, identity=identity, label=texts["label"])
    return go_to(choices.address(token))


@get("/lists/{token:str}", media_type="text/html")
async def show_list(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Show the reading of a list, and the effect of its import. The address has the choices."""
    choices, is_check = read_choices(request.query_params), "check" in request.query_params
    return await answer_list(request, console.list_tasks, token, choices, is_check=is_check)


@get("/lists/{token:str}/rejected")
async def download_rejected(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Send the lines that an import has rejected, or would reject."""
    kept, choices = kept_list(request, token), read_choices(request.query_params)
    wanted = format_of(request)
    task = console.list_tasks.find(request.user.id, token)
    is_of_task = task is not None and task.outcome is not None and task.choices.mark == choices.mark
    rejected = kept.rejected
    if not is_of_task and "kept" not in request.query_params:
        with suppress(FileNotFoundError):  # It was imported: its rejected lines are there.
            check_target(request, choices)
            looked = await look_at_list(request, kept.path, choices)
            await report_of(request, kept, kept.path, looked.choices, is_dry=True)
    if not kept.is_known:
        raise RecordNotFoundError("There is no such list.")
    if wanted == XLSX:
        return await answer_spreadsheet(request, await anyio.to_thread.run_sync(_spreadsheet_of, rejected), "rejected")
    content = await anyio.to_thread.run_sync(rejected.read_bytes) if rejected.exists() else b""
    headers = {"Content-Disposition": 'attachment; filename="rejected.csv"', "Cache-Control": "no-store"}
    return Response(content, media_type="text/csv", headers=headers)


def _spreadsheet_of(rejected: Path) -> Spreadsheet:
    """Return the lines that an import has rejected as a workbook, as many as one takes."""
    rows = read_rejected(rejected) if rejected.exists() else iter(())
    spreadsheet = Spreadsheet(gettext("Refused lines"), next(rows, ()))
    spreadsheet.add([int(line), *cells] for line, *cells in islice(rows, SPREADSHEET_ROWS_MAX))
    return spreadsheet


async def keep_list(request: ApiRequest, texts: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Keep the file of a form, and return its token and the form's texts, `label` with the name of the file among them.

    Raises:
        InvalidError: the form has no file.
        MalformedError: the form cannot be read.
    """
    kept = KeptLists(request.service.media)
    body = file_pieces(request, file_field=FILE, texts=texts)
    await anext(body)
    check_form(request, texts)
    token = await anyio.to_thread.run_sync(kept.begin, request.user.id, time.time())
    async with await anyio.open_file(kept.find(request.user.id, token).path, "wb") as file:
        async for piece in body:
            await file.write(piece)
    return token, {**texts, "label": shown_label(texts.get(FILE_NAME, ""))}


async def _read(
    request: ApiRequest, tasks: ListTasks, kept: KeptList, choices: ListChoices, *, is_check: bool
) -> tuple[ListPage, ListChoices]:
    """Return what the page of a list shows, and the choices with what was open.

    Raises:
        UnderWayError: the check goes on in the background.
    """
    path = kept.path
    looked = await look_at_list(request, path, choices)
    view, complete = looked.view, looked.choices
    check_meanings(complete)
    kind = KINDS[choices.into]
    target = kind.rows(0, region=complete.region or None)
    options = options_of(complete, view.columns, kind.rows.column, is_dry=True)
    rows = await in_thread(request, read_rows, view, path, target, options, ROWS_SEEN_MAX)
    has_lost_zeros = any(doubt_of(row.number) is NumberDoubt.LOST_ZERO for row in rows)
    report = None
    if view.bytes_read > IN_REQUEST_BYTES_MAX:
        looked, report = await _checked_in_background(request, tasks, kept, looked, is_check=is_check)
    elif is_check or view.bytes_read <= CHECKED_BYTES_MAX:
        report = await _check(request, kept, looked)
    shown = ListPage(view, rows[:SAMPLES_MAX], report, looked.country.question(), has_lost_zeros, looked.readings)
    return shown, looked.asked()


async def _check(request: ApiRequest, kept: KeptList, looked: LookedList, hear: Hear | None = None) -> ImportReport:
    """Return what an import would do, and look at the country of its numbers once more by the whole file."""
    further = looked.country.look_further
    return await report_of(request, kept, kept.path, looked.choices, is_dry=True, on_numbers=further, hear=hear)


async def _checked_in_background(
    request: ApiRequest, tasks: ListTasks, kept: KeptList, looked: LookedList, *, is_check: bool
) -> tuple[LookedList, ImportReport | None]:
    """Return the outcome of the check of a large file, which begins if it is wanted and was not stopped.

    Raises:
        UnderWayError: it goes on.
    """
    user_id, token = request.user.id, kept.token
    task = tasks.find(user_id, token)
    if task is not None and (task.is_import or task.choices.mark != looked.choices.mark):
        task = None
    if task is None or (is_check and task.was_stopped):
        if not is_check and (task is not None or looked.view.bytes_read > CHECKED_BYTES_MAX):
            return looked, None

        async def work(_: ListTask, hear: Hear) -> tuple[ListCountry, ImportReport]:
            report = await _check(request, kept, looked, hear)
            shown = replace(report, errors=report.errors[:REMARKS_MAX], warnings=report.warnings[:REMARKS_MAX])
            return looked.country, shown

        task = await tasks.begin(user_id, token, looked.choices, work, is_import=False)
    if task.is_under_way:
        raise UnderWayError
    if task.failure is not None:
        raise task.failure
    return (looked, None) if task.outcome is None else (looked._replace(country=task.outcome[0]), task.outcome[1])


def kept_list(request: ApiRequest, token: str) -> KeptList:
    """Return a list of the viewer, which may be gone; raise RecordNotFoundError for no token."""
    try:
        return KeptLists(request.service.media).find(request.user.id, token)
    except LookupError:
        raise RecordNotFoundError("There is no such list.") from None


def check_target(request: ApiRequest, choices: ListChoices) -> ImportKind:
    """Return the kind of an import; raise an error if the viewer may not change the records into which it goes."""
    checked(request, shown_page(request, choices.into), "PATCH")
    if not choices.identity and choices.into != CONTACTS.parents.path:
        raise RecordNotFoundError("There is no such list.")
    return KINDS[choices.into]


def _page_of(request: ApiRequest, path: str) -> RecordPage:
    found = shown_page(request, path)
    if path not in KINDS:
        raise RecordNotFoundError("There is no such page.")
    return found


def messages_in(error: Exception) -> list[str]:
    """Return the messages of an error in a list, in the viewer's language."""
    if isinstance(error, NobodyImportedError):
        return [str(error)]
    return [error_in_words(error)] if isinstance(error, CsvError) else messages_of(error)


async def _show_upload(
    request: ApiRequest, found: RecordPage, identity: int, messages: list[str] | None = None
) -> Response[Any]:
    resource = checked(request, found, "PATCH")
    record: Any = await request.service.read(request, lambda unit: records.read_record(unit, resource, identity))
    status = HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK
    return page(
        request, "import.html", found.place, status, shown=found, name=record.name, identity=identity,
        messages=messages or [], is_contacts=found.path == CONTACTS.parents.path,
    )  # fmt: skip


async def answer_list(
    request: ApiRequest,
    tasks: ListTasks,
    token: str,
    choices: ListChoices,
    messages: list[str] | None = None,
    *,
    is_check: bool = False,
) -> Response[Any]:
    """Show the reading of a list and the effect of its import, or that the list is gone or being imported."""
    kind = check_target(request, choices)
    name = await name_of_target(request, kind, choices)
    kept = kept_list(request, token)
    shown, problems, status = ListPage(None, [], None), list(messages or []), HTTPStatus.OK
    try:
        shown, choices = await _read(request, tasks, kept, choices, is_check=is_check)
    except UnderWayError:
        if not messages:
            return go_to(choices.address(token, TASK))
        shown, choices = await _only_seen(request, kept.path, choices)
    except (AnsweredError, CsvError, InvalidError, RefusedError) as error:
        problems += [one for one in messages_in(error) if one not in problems]
        shown, choices = await _only_seen(request, kept.path, choices)
    except FileNotFoundError:
        task = tasks.find(request.user.id, token)
        if (task is not None and task.is_under_way) or await cut_off_import(request, kept) is not None:
            return go_to(choices.address(token, TASK))
        status = HTTPStatus.CONFLICT if kept.taken.exists() else HTTPStatus.NOT_FOUND
    if messages:
        status = HTTPStatus.BAD_REQUEST
    found = shown_page(request, choices.into)
    return page(
        request,
        "list.html",
        found.place if choices.identity else "campaigns",
        status,
        **_values(choices, shown, token),
        is_changed="changed" in request.query_params,
        name=name,
        messages=problems,
        is_gone=status is HTTPStatus.NOT_FOUND,
        is_taken=status is HTTPStatus.CONFLICT,
        record=found,
        why=partial(why_rejected, kind),
    )


async def _only_seen(request: ApiRequest, path: Path, choices: ListChoices) -> tuple[ListPage, ListChoices]:
    """Return how a file is read without what an import would do, if it can be read at all."""
    try:
        looked = await look_at_list(request, path, choices)
    except (CsvError, FileNotFoundError):
        return ListPage(None, [], None), choices
    return ListPage(looked.view, [], None, looked.country.question(), readings=looked.readings), looked.asked()


def _values(choices: ListChoices, shown: ListPage, token: str) -> Mapping[str, Any]:
    report, view = shown.report, shown.view
    columns = () if view is None else view.columns
    examples = [
        list(
            islice(
                (
                    cells[place][:EXAMPLE_MAX]
                    for _, cells in (view.rows if view else ())
                    if place < len(cells) and cells[place].strip()
                ),
                EXAMPLES_MAX,
            )
        )
        for place in range(len(columns))
    ]
    return {
        "token": token,
        "choices": choices,
        "view": view,
        "rows": shown.rows,
        "report": report,
        "columns": list(zip(columns, choices.meanings, examples, strict=False)),
        "rejected": [] if report is None else report.errors[:REMARKS_MAX],
        "warnings": [] if report is None else report.warnings[:REMARKS_MAX],
        "charsets": [(code, gettext(word)) for code, word in CHARSET_WORDS.items()],
        "delimiters": [(code, gettext(word)) for code, word in DELIMITER_WORDS.items()],
        "sheets": [] if view is None else list(zip(view.sheets, view.sheets, strict=True)),
        "lines": [] if view is None else header_lines(choices, view),
        "meanings": {code: word for code, word in MEANING_WORDS.items() if code in meanings_for(choices.into)},
        "words": report_words(report, is_list=KINDS[choices.into].rows.is_list),
        "country": shown.country,
        "readings": [(one.charset, CHARSET_WORDS[one.charset], one.examples) for one in shown.readings],
        "asked": [
            (place, name, str(likely_kind(name)))
            for place, (name, meaning) in enumerate(zip(columns, choices.meanings, strict=False))
            if meaning == ASKED
        ],
        "late_refusals": [] if view is None or report is None else list(_late_refusals(view, report)),
        "offers_zeros": choices.into == CONTACTS.parents.path and _offers_zeros(choices, shown),
        "has_refusals": any(meaning in REFUSALS for meaning in choices.meanings),
        "countries": country_names(),
        "back": back_from(choices, token),
        "is_packed": choices.label.lower().endswith((".xlsx", ".xls", ".pdf", ".zip")),
        "hides_rows": bool((view and view.hidden_rows) or (report and report.hidden)),
        "takes_hidden": takes_hidden(choices),
    }


def _offers_zeros(choices: ListChoices, shown: ListPage) -> bool:
    """Return whether numbers may get a 0 back: if some have lost theirs, or the file is not checked and some may."""
    if choices.mends_zeros or shown.has_lost_zeros:
        return True
    return keeps_zero(choices.region or "") if shown.report is None else NumberDoubt.LOST_ZERO in shown.report.kinds


def report_words(report: ImportReport | None, *, is_list: bool) -> dict[str, list[str]]:
    """Return sentences of an import's report about all rows: ways of reading, and warnings."""
    kinds = {} if report is None else report.kinds
    return {
        "readings": [in_viewers_words(sentence) for sentence in readings_in_words(kinds)],
        "alarms": [in_viewers_words(sentence) for _, sentence in entries_in_words(kinds)] if is_list else [],
    }


def _late_refusals(view: FileView, report: ImportReport) -> Iterator[tuple[int, str, int]]:
    """Yield the columns that refuse calls in lines below the first ones only, by which nobody was asked.

    Each has its place, its name, and the count of the lines.
    """
    for remark in report.file_warnings:
        count = remark.reason.values.get("count", 0) if isinstance(remark.reason, Sentence) else 0
        if count and remark.column in view.columns:
            place = view.columns.index(remark.column)
            cells = [cells[place] for _, cells in view.rows if place < len(cells)]
            if suspicion_of(remark.column, cells) is Suspicion.NOTHING:
                yield place, remark.column, count


def back_from(choices: ListChoices, token: str) -> str:
    """Return the address of the upload of a list, with its choices."""
    if choices.identity:
        return f"/console/records/{choices.into}/{choices.identity}/import/"
    return (
        "/console/new-campaign/"
        + choices.address(token).partition("/lists/")[2].removeprefix(f"{token}/")
        + f"&list={token}"
    )


async def name_of_target(request: ApiRequest, kind: ImportKind, choices: ListChoices) -> str:
    """Return the name of the record into which the list goes; empty if it is yet to be made."""
    if not choices.identity:
        return ""
    record: Any = await request.service.read(
        request, lambda unit: records.read_record(unit, kind.parents, choices.identity)
    )
    return str(record.name)
