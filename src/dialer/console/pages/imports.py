"""Lists that become phonebooks and do-not-call lists: upload, a look at how the file is read, and the import."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import anyio
import anyio.to_thread
from litestar import Response, get, post
from litestar.params import FromPath
from msgspec.structs import replace

from dialer.api.crud import records
from dialer.api.http.errors import InvalidError, MalformedError, RecordNotFoundError
from dialer.api.http.forms import FILE_NAME, file_pieces
from dialer.api.http.spreadsheets import SPREADSHEET_ROWS_MAX, Spreadsheet, answer_spreadsheet
from dialer.api.records.imports import CONTACTS, NUMBERS, ImportKind, run_import
from dialer.api.service import ApiRequest
from dialer.app.imports.file_country import Hints
from dialer.app.imports.guessed_columns import (
    AREA,
    ASKED,
    COUNTRY,
    FIRST_NAME,
    FULL_NAME,
    FURTHER_NUMBERS,
    LAST_NAME,
    NUMBER,
    REFUSALS,
)
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import IMPORT_BYTES_MAX
from dialer.app.imports.place_columns import PLACES
from dialer.app.imports.preview import FileView, ReadRow, look_at, read_rows
from dialer.app.imports.refusals import likely_kind
from dialer.app.imports.rejected_lines import RejectedLines, read_rejected
from dialer.app.imports.report import CSV_ERRORS_MAX, ImportReport
from dialer.app.imports.sheet_readers import reading_for
from dialer.console.catalogue import RecordPage
from dialer.console.countries import country_names
from dialer.console.errors import messages_of
from dialer.console.forms import check_form
from dialer.console.language import gettext
from dialer.console.list_choices import (
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
    with_view,
)
from dialer.console.list_country import CountryQuestion, ListCountry, hints_for, numbers_of
from dialer.console.pages.record import identity_in
from dialer.console.pages.records import checked, shown_page
from dialer.console.sentences import error_in_words, in_viewers_words
from dialer.console.services import go_to, page
from dialer.console.sheets import XLSX, format_of
from dialer.domain.sentences import Sentence
from dialer.store.media.kept_lists import KeptList, KeptLists

FILE: Final = "file"
REMARKS_MAX: Final = 100
"""Rejected rows, and rows with warnings, that a page shows."""
SAMPLES_MAX: Final = 10
"""Rows that a page shows as they would be stored."""
EXAMPLES_MAX: Final = 3
"""Cells of each column that a page shows."""
CHECKED_BYTES_MAX: Final = 20 * 1024 * 1024
"""Maximum size of a file, for a workbook unpacked, that is checked as a whole without being asked to."""
KINDS: Final = {kind.parents.path: kind for kind in (CONTACTS, NUMBERS)}
_PIECE_BYTES: Final = 65_536
_Read = TypeVar("_Read")


class ListPage(NamedTuple):
    """The file and the outcome that the page of a list shows."""

    view: FileView | None
    rows: list[ReadRow]
    report: ImportReport | None
    """The report that an import would give; None if that is not known."""
    country: CountryQuestion | None = None


class LookedList(NamedTuple):
    """A file as it is read: the choices with all that was open, and the country of its numbers."""

    view: FileView
    choices: ListChoices
    country: ListCountry

    def asked(self) -> ListChoices:
        """Return the choices, without a country while the viewer is asked for it."""
        question = self.country.question()
        is_open = question is not None and question.is_open
        return replace(self.choices, region=None) if is_open else self.choices


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
async def show_list(request: ApiRequest, token: FromPath[str]) -> Response[Any]:
    """Show how a list is read, and what its import would do. The address has the choices."""
    return await answer_list(
        request, token, read_choices(request.query_params), is_check="check" in request.query_params
    )


@get("/lists/{token:str}/rejected")
async def download_rejected(request: ApiRequest, token: FromPath[str]) -> Response[Any]:
    """Send the lines that an import has rejected, or would reject."""
    kept, choices = kept_list(request, token), read_choices(request.query_params)
    wanted = format_of(request)
    with suppress(FileNotFoundError):  # It was imported: its rejected lines are there.
        check_target(request, choices)
        looked = await look_at_list(request, kept.path, choices)
        await report_of(request, kept, kept.path, looked.choices, is_dry=True)
    rejected = kept.rejected
    if wanted == XLSX:
        return await answer_spreadsheet(request, await anyio.to_thread.run_sync(_spreadsheet_of, rejected), "rejected")
    content = await anyio.to_thread.run_sync(rejected.read_bytes) if rejected.exists() else b""
    headers = {"Content-Disposition": 'attachment; filename="rejected.csv"', "Cache-Control": "no-store"}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


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
    kept = KeptLists(request.service.settings.media_dir)
    body = file_pieces(request, file_field=FILE, texts=texts)
    await anext(body)
    check_form(request, texts)
    token = await anyio.to_thread.run_sync(kept.begin, request.user.id, time.time())
    async with await anyio.open_file(kept.find(request.user.id, token).path, "wb") as file:
        async for piece in body:
            await file.write(piece)
    return token, {**texts, "label": shown_label(texts.get(FILE_NAME, ""))}


async def look_at_list(request: ApiRequest, path: Path, choices: ListChoices) -> LookedList:
    """Return how a file is read, with all that was open in the choices as the file tells it."""
    return await _in_thread(request, _look_at, hints_for(request, ()), path, choices)


def _look_at(hints: Hints, path: Path, choices: ListChoices) -> LookedList:
    known = (hints.named or hints.zone) if choices.region is None else choices.region
    view = look_at(path, choices.form, known or None)
    complete = with_view(choices, view, known)
    country = ListCountry(hints._replace(headers=view.columns), choices.region, numbers_of(view, complete))
    return LookedList(view, replace(complete, region=country.region), country)


async def report_of(
    request: ApiRequest,
    kept: KeptList,
    path: Path,
    choices: ListChoices,
    *,
    is_dry: bool,
    on_numbers: Callable[[Sequence[str]], None] | None = None,
) -> ImportReport:
    """Import a list that stands at `path` now, or say what that would do, and write its rejected lines into a file."""
    kind = KINDS[choices.into]
    view = await _in_thread(request, look_at, path, choices.form, choices.region or None)
    lines = RejectedLines(
        kept.rejected, (gettext("Line"), gettext("Reason"), *view.columns), choices.form.delimiter or ";"
    )
    kept.rejected.unlink(missing_ok=True)
    options = replace(
        options_of(choices, view.columns, kind.rows.column, is_dry=is_dry),
        on_rejected=lambda record, reason: lines.add(record, why_rejected(kind, reason)),
        errors_max=CSV_ERRORS_MAX if is_dry else REMARKS_MAX,
        on_numbers=on_numbers,
    )
    try:
        return await run_import(request, kind, choices.identity, options, _pieces(path))
    finally:
        lines.close()


async def _in_thread(request: ApiRequest, read: Callable[..., _Read], *arguments: object) -> _Read:
    """Read a file in a thread, as one of the few that a user may read at the same time."""
    with reading_for(request.user.id):
        return await anyio.to_thread.run_sync(read, *arguments)


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while piece := await file.read(_PIECE_BYTES):
            yield piece


async def _read(
    request: ApiRequest, kept: KeptList, choices: ListChoices, *, is_check: bool
) -> tuple[ListPage, ListChoices]:
    """Return what the page of a list shows, and the choices with what was open."""
    path = kept.path
    looked = await look_at_list(request, path, choices)
    view, complete = looked.view, looked.choices
    check_meanings(complete)
    kind = KINDS[choices.into]
    target = kind.rows(0, region=complete.region or None)
    options = options_of(complete, view.columns, kind.rows.column, is_dry=True)
    rows = await _in_thread(request, read_rows, view, path, target, options, SAMPLES_MAX)
    report = None
    if is_check or view.bytes_read <= CHECKED_BYTES_MAX:
        further = looked.country.look_further
        report = await report_of(request, kept, path, complete, is_dry=True, on_numbers=further)
    return ListPage(view, rows, report, looked.country.question()), looked.asked()


def check_meanings(choices: ListChoices) -> None:
    """Raise CsvError unless one column has the numbers, and each part of a name is in one column at most."""
    count = choices.meanings.count(NUMBER)
    if not count:
        raise CsvError(gettext("Choose the column that has the phone numbers."))
    if count > 1:
        raise CsvError(gettext("Choose one column for the phone number, not several."))
    for meaning in (*FURTHER_NUMBERS, COUNTRY, AREA, FULL_NAME, FIRST_NAME, LAST_NAME, *PLACES):
        if choices.meanings.count(meaning) > 1:
            name = gettext(MEANING_WORDS[meaning])
            raise CsvError(gettext("Several columns are chosen for “%(name)s”. Choose one of them.") % {"name": name})


def check_answers(looked: LookedList) -> None:
    """Raise CsvError unless somebody has answered what the file does not tell."""
    if looked.asked().region is None:
        raise CsvError(gettext("Choose the country of the numbers without one."))
    for name, meaning in zip(looked.view.columns, looked.choices.meanings, strict=False):
        if meaning == ASKED:
            raise CsvError(gettext("Choose what the column “%(name)s” says.") % {"name": name})


def kept_list(request: ApiRequest, token: str) -> KeptList:
    """Return a list of the viewer, which may be gone; raise RecordNotFoundError for no token."""
    try:
        return KeptLists(request.service.settings.media_dir).find(request.user.id, token)
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
    return [error_in_words(error)] if isinstance(error, CsvError) else messages_of(error)


def why_rejected(kind: ImportKind, reason: str) -> str:
    """Return the reason of a rejection without the name of our own column, which the file does not have."""
    if isinstance(reason, Sentence) and reason.values.get("column") == kind.rows.column:
        reason = reason.values["error"]
    return in_viewers_words(reason)


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
    token: str,
    choices: ListChoices,
    messages: list[str] | None = None,
    *,
    is_check: bool = False,
) -> Response[Any]:
    """Show how a list is read, and what its import would do, or that the list is gone or being imported."""
    kind = check_target(request, choices)
    name = await name_of_target(request, kind, choices)
    kept = kept_list(request, token)
    shown, problems, status = ListPage(None, [], None), list(messages or []), HTTPStatus.OK
    try:
        shown, choices = await _read(request, kept, choices, is_check=is_check)
    except (CsvError, InvalidError, MalformedError) as error:
        problems += [one for one in messages_in(error) if one not in problems]
        shown, choices = await _only_seen(request, kept.path, choices)
    except FileNotFoundError:
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
    return ListPage(looked.view, [], None, looked.country.question()), looked.asked()


def _values(choices: ListChoices, shown: ListPage, token: str) -> Mapping[str, Any]:
    report, view = shown.report, shown.view
    columns = () if view is None else view.columns
    examples = [
        list(
            islice(
                (
                    cells[place]
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
        "country": shown.country,
        "asked": [
            (place, name, str(likely_kind(name)))
            for place, (name, meaning) in enumerate(zip(columns, choices.meanings, strict=False))
            if meaning == ASKED
        ],
        "has_refusals": any(meaning in REFUSALS for meaning in choices.meanings),
        "countries": country_names(),
        "back": _back(choices, token),
        "is_packed": choices.label.lower().endswith((".xlsx", ".xls", ".pdf", ".zip")),
        "hides_rows": bool((view and view.hidden_rows) or (report and report.hidden)),
        "takes_hidden": takes_hidden(choices),
    }


def _back(choices: ListChoices, token: str) -> str:
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
