"""Response headers and the request header `Prefer` in the OpenAPI document."""

from collections.abc import Iterable
from typing import Final

from dialer.api.actions.call_archives import AFTER
from dialer.api.answers.controller import (
    DUPLICATE_HEADER,
    LINK_HEADER,
    PREFERENCE_APPLIED,
    REMARKS_HEADER,
    REPRESENTATION,
    TOTAL_HEADER,
)
from dialer.api.answers.long_tables import CSV, FORMAT, XLSX
from dialer.api.http.edge import REQUEST_ID_HEADER
from dialer.api.http.idempotency import REPLAYED_HEADER
from dialer.api.http.known_parameters import STRICT
from dialer.api.openapi.parts import TEXT, Json, header, parameter
from dialer.api.routes.campaign_check import FORECAST
from dialer.api.routes.dry_runs import DRY_RUN
from dialer.api.routes.import_requests import REPORT_HEADER
from dialer.resources.crud.enumerations import text_schema
from dialer.resources.crud.resource import Resource, no_duplicate
from dialer.resources.crud.urls import ID_MAX, PREFIX
from dialer.resources.words.ignored import IGNORED_FIELDS_HEADER, IGNORED_PARAMETERS_HEADER
from dialer.resources.words.preconditions import ETAG_HEADER

_REQUEST_ID: Final = REQUEST_ID_HEADER.decode().title().replace("Id", "ID")
HEADERS: Final[Json] = {
    _REQUEST_ID: header(
        "Id of the request, which the log of the service has, too. A plain id of the client is kept.",
        "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d",
    ),
    IGNORED_PARAMETERS_HEADER: header(
        "Query parameters that were ignored because the operation does not know them", "phonebok_id"
    ),
    IGNORED_FIELDS_HEADER: header(
        "Fields of the body that were ignored because they are unknown or read-only", "full_nam, created_date"
    ),
    PREFERENCE_APPLIED: header(f"`{STRICT}` or `{REPRESENTATION}`, if the request preferred it", STRICT),
    DUPLICATE_HEADER: header(
        "URL of the first record that the new record duplicates", f"https://dialer.example{PREFIX}/contact/1/"
    ),
    REMARKS_HEADER: header(
        "The kinds of remarks on a number that is stored, as the report of an import has them: it is probably wrong, or"
        " it was read kindly",
        "impossible_number",
    ),
    REPLAYED_HEADER: header(
        "`true` if the `Idempotency-Key` was known, so that this is the first response again", "true"
    ),
    REPORT_HEADER: header(
        "The counts of an import whose report is a CSV, as a dictionary (RFC 9651)",
        "imported=3, duplicates=1, not_to_be_called=0, rejected=1, warned=0, hidden=0, totals=1, on_dnc=0,"
        " on_other_dnc=0",
    ),
    ETAG_HEADER: header(
        "Version of the record. Send it as `If-Match` to change only this version.", '"4f1c2a90d3b7e651"'
    ),
    TOTAL_HEADER: header(
        "Number of records on all pages, if the request has `page` or `page_size`",
        1_250,
        {"type": "integer", "minimum": 0},
    ),
    LINK_HEADER: header(
        'URLs of the next and the previous page (RFC 8288): `rel="next"` and `rel="prev"`',
        f'<https://dialer.example{PREFIX}/subscriber-list/?page=2&cursor=a10>; rel="next"',
    ),
}
"""Descriptions of response headers, by name."""
PREFER: Final[Json] = parameter(
    "Prefer",
    TEXT,
    f"With `{STRICT}` (RFC 7240), unknown query parameters and unknown or read-only fields get 400, and"
    f" records that duplicate another record get 409. With `{REPRESENTATION}`, the response to PATCH and PUT is 200"
    " with the record.",
    STRICT,
    "header",
)
"""Header parameter of all operations of the REST API."""

AFTER_PARAMETER: Final[Json] = parameter(
    AFTER,
    {"type": "integer", "minimum": 0, "maximum": ID_MAX, "default": 0},
    "Id of a survey result. The archive has the recordings after it; use the URL in the header `Link`.",
    10_000,
)
_TABLE_FORMATS: Final = {
    CSV: "CSV with a header line; null is an empty cell.",
    XLSX: "A spreadsheet, whose dates are dates and whose amounts are numbers.",
}
TABLE_FORMAT_PARAMETER: Final[Json] = parameter(
    FORMAT,
    text_schema(_TABLE_FORMATS, _TABLE_FORMATS, "TableFormat").to_schema(),
    "The format of the answer.",
    XLSX,
)
DRY_RUN_PARAMETER: Final[Json] = parameter(
    DRY_RUN, {"type": "boolean", "default": False}, "If true, subscribers are counted and not changed.", example=True
)
FORECAST_PARAMETER: Final[Json] = parameter(
    FORECAST,
    {"type": "boolean", "default": True},
    "If false, no forecast is computed, and the answer comes at once.",
    example=True,
)


ALWAYS_TOLD: Final = (_REQUEST_ID, IGNORED_PARAMETERS_HEADER, PREFERENCE_APPLIED)
"""Headers that every response may have."""


def answer_headers(verb: str, resource: Resource | None, *, has_fields: bool, is_repeatable: bool) -> Json:
    """Return the headers of a successful response.

    `has_fields` tells if the request has a body with fields, `is_repeatable` if it takes an `Idempotency-Key`.
    """
    names = [*ALWAYS_TOLD]
    names += [IGNORED_FIELDS_HEADER] if has_fields else []
    names += [REPLAYED_HEADER] if is_repeatable else []
    names += [REPORT_HEADER] if verb == "import" else []
    if resource is not None:
        names += [DUPLICATE_HEADER] if verb == "create" and resource.first_like is not no_duplicate else []
        names += [REMARKS_HEADER] if verb in {"create", "change"} and resource.remarks is not None else []
        names += [TOTAL_HEADER, LINK_HEADER] if verb == "list" and resource.plain_array else []
    return header_references(names)


def header_references(names: Iterable[str]) -> Json:
    """Return references to descriptions of headers, by name."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


_EXPORT_FORMATS: Final = {
    "json": "The file, and links to those that it names.",
    "yaml": "The file alone.",
}
EXPORT_PARAMETERS: Final = (
    parameter(
        "username",
        {"type": "string"},
        "The user whose records are exported. Only admins may name another one than themselves.",
        "anna",
    ),
    parameter(
        "name",
        {"type": "string", "minLength": 1, "maxLength": 100},
        "The name of the file without its end. By default the name of the user.",
        "anna",
    ),
    parameter(
        "format",
        text_schema(_EXPORT_FORMATS, _EXPORT_FORMATS, "ExportFormat").to_schema(),
        "The form of the answer. It overrides the `Accept` header.",
        "json",
    ),
)
"""Query parameters of the export of an account."""
EVENTS_PARAMETERS: Final = (
    parameter("types", {"type": "string"}, "Only events of these types, with commas between them.", "call.ended"),
    parameter("campaign", {"type": "integer", "format": "int64", "minimum": 1}, "Only events of this campaign.", 1),
    parameter(
        "since", {"type": "string", "format": "date-time"}, "Only events from this moment on.", "2026-11-20T08:00:00Z"
    ),
    parameter("after", {"type": "string", "pattern": "^(evt_)?[0-9]+$"}, "The `id` of the last event read.", "evt_42"),
    parameter("limit", {"type": "integer", "minimum": 1, "maximum": 1000}, "The number of events of a page.", 100),
)
"""Query parameters of the events of an account."""


def with_dry_run(answers: Json) -> Json:
    """Return the responses of an operation with 200 added, for a dry run that only counts."""
    counted = {key: value for key, value in answers["201"].items() if key != "headers"}
    return {"200": {**counted, "description": "Counted, in a dry run"}, **answers}
