"""Response headers and the request header `Prefer` in the OpenAPI document."""

from collections.abc import Iterable
from typing import Any, Final

from dialer.api.crud.controller import DUPLICATE_HEADER, LINK_HEADER, PREFERENCE_APPLIED, REPRESENTATION, TOTAL_HEADER
from dialer.api.crud.resource import Resource, no_duplicate
from dialer.api.crud.urls import ID_MAX, PREFIX
from dialer.api.http.edge import REQUEST_ID_HEADER
from dialer.api.http.idempotency import REPLAYED_HEADER
from dialer.api.http.ignored import IGNORED_FIELDS_HEADER, IGNORED_PARAMETERS_HEADER, STRICT
from dialer.api.http.preconditions import ETAG_HEADER
from dialer.api.routes.campaign_check import FORECAST
from dialer.api.routes.import_requests import REPORT_HEADER
from dialer.api.routes.recordings import AFTER
from dialer.api.routes.recycle import DRY_RUN

Json = dict[str, Any]
"""A part of the OpenAPI document."""

_TEXT: Final[Json] = {"type": "string"}
_REQUEST_ID: Final = REQUEST_ID_HEADER.decode().title().replace("Id", "ID")
HEADERS: Final[Json] = {
    _REQUEST_ID: {
        "description": "Id of the request, which the log of the service has, too. A plain id of the client is kept.",
        "schema": _TEXT,
        "example": "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d",
    },
    IGNORED_PARAMETERS_HEADER: {
        "description": "Query parameters that were ignored because the operation does not know them",
        "schema": _TEXT,
        "example": "phonebok_id",
    },
    IGNORED_FIELDS_HEADER: {
        "description": "Fields of the body that were ignored because they are unknown or read-only",
        "schema": _TEXT,
        "example": "full_nam, created_date",
    },
    PREFERENCE_APPLIED: {
        "description": f"`{STRICT}` or `{REPRESENTATION}`, if the request preferred it",
        "schema": _TEXT,
        "example": STRICT,
    },
    DUPLICATE_HEADER: {
        "description": "URL of the first record that the new record duplicates",
        "schema": _TEXT,
        "example": f"https://dialer.example{PREFIX}/contact/1/",
    },
    REPLAYED_HEADER: {
        "description": "`true` if the `Idempotency-Key` was known, so that this is the first response again",
        "schema": _TEXT,
        "example": "true",
    },
    REPORT_HEADER: {
        "description": "The counts of an import whose report is a CSV, as a dictionary (RFC 9651)",
        "schema": _TEXT,
        "example": "imported=3, duplicates=1, rejected=1, warned=0",
    },
    ETAG_HEADER: {
        "description": "Version of the record. Send it as `If-Match` to change only this version.",
        "schema": _TEXT,
        "example": '"4f1c2a90d3b7e651"',
    },
    TOTAL_HEADER: {
        "description": "Number of records on all pages, if the request has `page` or `page_size`",
        "schema": {"type": "integer", "minimum": 0},
        "example": 1_250,
    },
    LINK_HEADER: {
        "description": 'URLs of the next and the previous page (RFC 8288): `rel="next"` and `rel="prev"`',
        "schema": _TEXT,
        "example": f'<https://dialer.example{PREFIX}/subscriber-list/?page=2&cursor=a10>; rel="next"',
    },
}
"""Descriptions of response headers, by name."""
PREFER: Final[Json] = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": f"With `{STRICT}` (RFC 7240), unknown query parameters and unknown or read-only fields get 400, and"
    f" records that duplicate another record get 409. With `{REPRESENTATION}`, the response to PATCH and PUT is 200"
    " with the record.",
    "schema": _TEXT,
    "example": STRICT,
}
"""Header parameter of all operations of the REST API."""

AFTER_PARAMETER: Final[Json] = {
    "name": AFTER,
    "in": "query",
    "required": False,
    "description": "Id of a survey result. The archive has the recordings after it; use the URL in the header `Link`.",
    "schema": {"type": "integer", "minimum": 0, "maximum": ID_MAX, "default": 0},
    "example": 10_000,
}
DRY_RUN_PARAMETER: Final[Json] = {
    "name": DRY_RUN,
    "in": "query",
    "required": False,
    "description": "If true, subscribers are counted and not changed.",
    "schema": {"type": "boolean", "default": False},
    "example": True,
}
FORECAST_PARAMETER: Final[Json] = {
    "name": FORECAST,
    "in": "query",
    "required": False,
    "description": "If false, no forecast is computed, and the answer comes at once.",
    "schema": {"type": "boolean", "default": True},
    "example": True,
}


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
        names += [TOTAL_HEADER, LINK_HEADER] if verb == "list" and resource.plain_array else []
    return header_references(names)


def header_references(names: Iterable[str]) -> Json:
    """Return references to descriptions of headers, by name."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
