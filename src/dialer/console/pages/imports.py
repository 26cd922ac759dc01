"""Imports of CSV files into phonebooks and do-not-call lists: a look at what would happen, and the import itself."""

from http import HTTPStatus
from itertools import islice
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.http.errors import InvalidError, MalformedError, RecordNotFoundError
from dialer.api.http.forms import file_pieces
from dialer.api.records.imports import CONTACTS, NUMBERS, run_import
from dialer.api.service import ApiRequest
from dialer.app.errors import InvalidFieldsError
from dialer.app.imports.charsets import CHARSETS, UTF8
from dialer.app.imports.columns import parse_columns
from dialer.app.imports.imports import IMPORT_BYTES_MAX, ImportOptions
from dialer.app.imports.report import ImportReport, RowRemark
from dialer.console.catalogue import RecordPage
from dialer.console.errors import messages_of
from dialer.console.forms import check_form
from dialer.console.pages.record import identity_in
from dialer.console.pages.records import checked, shown_page
from dialer.console.services import page

FILE: Final = "file"
REMARKS_MAX: Final = 100
"""Rejected rows, and rows with warnings, that a page shows."""
_KINDS: Final = {kind.parents.path: kind for kind in (CONTACTS, NUMBERS)}


class ImportResult(NamedTuple):
    """The result of an import, or of a look at what it would do."""

    report: ImportReport
    is_dry: bool
    rejected: list[RowRemark]
    warnings: list[RowRemark]


class FormTexts(NamedTuple):
    """The texts of a form besides the file."""

    columns: str = ""
    charset: str = UTF8


@get(
    ["/records/{path:str}/{record_id:str}/import", "/records/{path:str}/{record_id:str}/check"], media_type="text/html"
)
async def show_import(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Show the form for a file."""
    return await _show(request, _page_of(request, path), identity_in(record_id), FormTexts())


@post("/records/{path:str}/{record_id:str}/import", media_type="text/html", request_max_body_size=IMPORT_BYTES_MAX)
async def import_file(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Import a file."""
    return await _run(request, path, record_id, is_dry=False)


@post("/records/{path:str}/{record_id:str}/check", media_type="text/html", request_max_body_size=IMPORT_BYTES_MAX)
async def check_file(request: ApiRequest, path: FromPath[str], record_id: FromPath[str]) -> Response[Any]:
    """Say what the import of a file would do."""
    return await _run(request, path, record_id, is_dry=True)


async def _run(request: ApiRequest, path: str, record_id: str, *, is_dry: bool) -> Response[Any]:
    found, identity = _page_of(request, path), identity_in(record_id)
    checked(request, found, "PATCH")
    texts: dict[str, str] = {}
    body = file_pieces(request, file_field=FILE, texts=texts)
    try:
        await anext(body)
        check_form(request, texts)
        options = _options(texts, is_dry=is_dry)
        report = await run_import(request, _KINDS[found.path], identity, options, body)
    except (InvalidError, InvalidFieldsError, MalformedError) as error:
        return await _show(request, found, identity, _asked(texts), messages=messages_of(error))
    rejected, warnings = (list(islice(some, REMARKS_MAX)) for some in (report.errors, report.warnings))
    return await _show(request, found, identity, _asked(texts), done=ImportResult(report, is_dry, rejected, warnings))


def _page_of(request: ApiRequest, path: str) -> RecordPage:
    found = shown_page(request, path)
    if path not in _KINDS:
        raise RecordNotFoundError("There is no such page.")
    return found


def _asked(texts: dict[str, str]) -> FormTexts:
    return FormTexts(texts.get("columns", ""), texts.get("charset", UTF8))


def _options(texts: dict[str, str], *, is_dry: bool) -> ImportOptions:
    asked = _asked(texts)
    if asked.charset not in CHARSETS:
        raise InvalidError({"charset": [f"Use one of {', '.join(CHARSETS)}."]})
    return ImportOptions(columns=parse_columns(asked.columns), charset=asked.charset, is_dry=is_dry)


async def _show(
    request: ApiRequest,
    found: RecordPage,
    identity: int,
    asked: FormTexts,
    *,
    done: ImportResult | None = None,
    messages: list[str] | None = None,
) -> Response[Any]:
    resource = checked(request, found, "PATCH")
    record: Any = await request.service.read(request, lambda unit: records.read_record(unit, resource, identity))
    return page(
        request,
        "import.html",
        found.place,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        shown=found,
        name=record.name,
        identity=identity,
        asked=asked,
        done=done,
        messages=messages or [],
        charsets=list(CHARSETS),
        column=_KINDS[found.path].rows.column,
        within=found.within[0],
    )
