"""The requests of imports: their options, the two forms of their bodies, and the two forms of their answers."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Parameter, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from msgspec.structs import replace

from dialer.api.answers.csv_lines import write_csv
from dialer.api.answers.forms import MULTIPART, file_pieces
from dialer.api.answers.spreadsheets import XLSX
from dialer.api.answers.streams import describe_bodies, expect_type, pieces
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes.dry_runs import DRY_RUN
from dialer.api.routes.exports import CSV, JSON, accepted_type
from dialer.api.service import ApiRequest
from dialer.app.imports.charsets import CHARSETS
from dialer.app.imports.columns import FIELD
from dialer.app.imports.imports import ImportOptions
from dialer.app.imports.report import COUNTS, CSV_ERRORS_MAX, ERRORS_MAX, ImportReport
from dialer.resources.crud.fields import Conventions
from dialer.resources.records.import_options import (
    CHARSET,
    HEADER,
    HIDDEN,
    MEND_ZEROS,
    OPTION_NAMES,
    REGION,
    SEPARATOR,
    SEPARATORS,
    SHEET,
    SHOWN_MAX,
    read_flag,
    read_import_options,
)
from dialer.resources.words.errors import Errors, InvalidError

FILE: Final = "file"
REPORT: Final = "report"
REPORT_HEADER: Final = "X-Import-Report"
"""The counts of an import whose report is a CSV, as a dictionary (RFC 9651)."""
VCARDS: Final = ("text/vcard", "text/x-vcard", "text/directory")
"""Types of contacts of telephones: that of today (RFC 6350), and those before it."""
_NAMES: Final = (*OPTION_NAMES, DRY_RUN, REPORT)
KNOWN_PARAMETERS: Final = {LISTS_OPTION: (), PARAMETERS_OPTION: _NAMES}
_REPORTS: Final = {"json": JSON, "csv": CSV}


class ImportRequest(msgspec.Struct, frozen=True):
    """A request to import: its options, the pieces of the file, and whether the report is to be a CSV."""

    options: ImportOptions
    body: AsyncIterator[bytes]
    is_csv: bool


def parse_request(request: ApiRequest, conventions: Conventions) -> ImportRequest:
    """Return the options and the body of a request.

    Raises:
        InvalidError: an option is wrong.
        AnsweredError: the body is neither CSV nor a form, or is in an unknown charset (415).
    """
    given, errors = request.query_params, dict[str, list[str]]()
    sent_type = request.content_type[0].strip().lower()
    is_form = sent_type == MULTIPART
    is_named = is_form or sent_type == XLSX
    text_type = sent_type if sent_type in VCARDS else CSV
    or_else = f" Or send it as {MULTIPART}, in the part '{FILE}'."
    said = {} if is_named else expect_type(request, text_type, or_else=or_else)
    is_csv = _wanted(request, errors) == CSV
    options = replace(
        read_import_options(given, conventions, errors, said.get(CHARSET)),
        is_dry=read_flag(DRY_RUN, given.get(DRY_RUN), conventions, errors, default=False),
        errors_max=CSV_ERRORS_MAX if is_csv else ERRORS_MAX,
    )
    if errors:
        raise InvalidError(errors)
    return ImportRequest(options, file_pieces(request, file_field=FILE) if is_form else pieces(request), is_csv)


def _wanted(request: ApiRequest, errors: Errors) -> str:
    given = request.query_params.get(REPORT)
    if given is None:
        return accepted_type(request, [JSON, CSV])
    if given not in _REPORTS:
        errors[REPORT] = [f"{given[:SHOWN_MAX]!r} is not a report. Use one of {', '.join(_REPORTS)}."]
    return _REPORTS.get(given, JSON)


def answer(report: ImportReport, *, is_csv: bool) -> Response[ImportReport]:
    """Return the report as JSON, or its rejected rows as CSV with the counts in a header."""
    if not is_csv:
        return Response(report)
    rows = [[one.line for one in report.errors], *([getattr(one, name) for one in report.errors] for name in _TEXTS)]
    content = write_csv([[name] for name in ("line", *_TEXTS)]) + (write_csv(rows) if report.errors else b"")
    headers = {
        REPORT_HEADER: ", ".join(f"{name}={getattr(report, name)}" for name in COUNTS),
        "Content-Disposition": 'attachment; filename="rejected.csv"',
        "Vary": "Accept",
    }
    return Response(content, media_type=CSV, headers=headers)  # type: ignore[arg-type] # encoded already


_TEXTS: Final = ("kind", "reason", "value")


def describe_import(column: str) -> type[Operation]:
    """Return the OpenAPI operation of an import of a file that has this column."""
    # Generators of clients know no body of the type of workbooks. They send one as the file of a form.
    text = Schema(
        type=OpenAPIType.STRING,
        description=(
            f"A CSV file with a header line that has a column {column}; or a workbook, with the type {XLSX}; or the"
            f" contacts of a telephone, with the type {VCARDS[0]}."
        ),
    )
    example = f"{column}\n+12025550100\n"
    file = Schema(
        type=OpenAPIType.STRING,
        format=OpenAPIFormat.BINARY,
        content_media_type=CSV,
        description="The CSV file, workbook (.xlsx) or contacts of a telephone (.vcf).",
        examples=[example],
    )
    form = Schema(type=OpenAPIType.OBJECT, required=[FILE], properties={FILE: file})
    bodies = {
        CSV: OpenAPIMediaType(schema=text, example=example),
        MULTIPART: OpenAPIMediaType(schema=form, example={FILE: example}),
    }
    rejected = OpenAPIMediaType(
        schema=Schema(type=OpenAPIType.STRING), example="line,kind,reason,value\r\n2,no_digits,'x' has no digits.,x\r\n"
    )

    @dataclass
    class ImportOperation(describe_bodies(bodies, _parameters())):  # type: ignore[misc] # a class that is made here
        def __post_init__(self) -> None:
            super().__post_init__()
            found: Any = (self.responses or {}).get("200")
            if isinstance(found, OpenAPIResponse):
                found.content = {**(found.content or {}), CSV: rejected}

    return ImportOperation


_HIDDEN_WORDS: Final = (
    "`true` takes the rows that a workbook hides, as by a filter; `false` leaves them out. The default is `true` for"
    " do-not-call lists only. The report counts those that are left out."
)


_MEND_WORDS: Final = (
    "`true` gives numbers the 0 back that a spreadsheet took, in countries where it belongs to the number, such as"
    " Italy: only where a number that somebody can have comes of it. `kinds` of the report counts them as"
    " `mended_zero`; without the option, as `lost_zero`. A do-not-call list gets such numbers in both forms anyway."
)


def _parameters() -> list[Parameter]:
    told: dict[str, tuple[Schema, str, object]] = {
        HIDDEN: (Schema(type=OpenAPIType.BOOLEAN), _HIDDEN_WORDS, True),
        MEND_ZEROS: (Schema(type=OpenAPIType.BOOLEAN, default=False), _MEND_WORDS, True),
        FIELD: (
            Schema(type=OpenAPIType.STRING),
            (
                "Pairs of a column of the file and the name to read it as, with commas between them. An empty name"
                " leaves the column out. Other columns keep their names. Several columns may be read as the number: the"
                " later ones count where the earlier ones have none. `country_code`, `area_code`, `do_not_call`,"
                " `do_not_call_notes` and `may_be_called` say more about the number, or who must not be called."
                " `time_zone`, `state` and `postal_code` say where the person is."
            ),
            "Phone:contact,First:first_name",
        ),
        CHARSET: (
            Schema(type=OpenAPIType.STRING, pattern=f"^({'|'.join(CHARSETS)})$"),
            (
                "The character set of the file. It overrides the content type's. Without either, the file tells it:"
                " UTF-8, UTF-16 or Windows-1252."
            ),
            "windows-1252",
        ),
        SEPARATOR: (
            Schema(type=OpenAPIType.STRING, pattern=f"^({'|'.join(SEPARATORS)})$"),
            "The character between cells. Without it, the first line tells it.",
            "semicolon",
        ),
        HEADER: (
            Schema(type=OpenAPIType.BOOLEAN, default=True),
            "`false` if the first line has no names of columns. They are named `column_1`, `column_2` and so on then.",
            True,
        ),
        SHEET: (
            Schema(type=OpenAPIType.STRING),
            "The name of the sheet of a workbook (.xlsx). The default is the first sheet that has rows.",
            "Customers",
        ),
        REGION: (
            Schema(type=OpenAPIType.STRING, pattern="^[A-Z]{2}$"),
            "The country of numbers without one: an ISO 3166 code. The default is the user's, else the service's.",
            "DE",
        ),
        DRY_RUN: (
            Schema(type=OpenAPIType.BOOLEAN, default=False),
            "`true` returns the report that the import would give, and stores nothing.",
            True,
        ),
        REPORT: (
            Schema(type=OpenAPIType.STRING, pattern="^(json|csv)$"),
            "The form of the report. It overrides the `Accept` header. `csv` lists the rejected rows.",
            "csv",
        ),
    }
    return [
        Parameter(name=name, param_in="query", required=False, schema=schema, description=description, example=example)
        for name, (schema, description, example) in told.items()
    ]
