"""The headers of answers, and the `Prefer` header of requests, as the OpenAPI document describes them."""

from typing import Any, Final

from dialer.api.crud.controller import DUPLICATE_HEADER, LINK_HEADER, TOTAL_HEADER
from dialer.api.crud.resource import Resource, no_duplicate
from dialer.api.http.ignored import IGNORED_FIELDS_HEADER, IGNORED_PARAMETERS_HEADER, STRICT

Json = dict[str, Any]
"""A part of the document."""

PREFERENCE_APPLIED: Final = "Preference-Applied"
_TEXT: Final[Json] = {"type": "string"}
HEADERS: Final[Json] = {
    IGNORED_PARAMETERS_HEADER: {
        "description": "The query parameters that were ignored, as the operation does not know them",
        "schema": _TEXT,
    },
    IGNORED_FIELDS_HEADER: {
        "description": "The fields of the body that were ignored, as they are unknown or read-only",
        "schema": _TEXT,
    },
    PREFERENCE_APPLIED: {"description": f"`{STRICT}`, if it was preferred", "schema": _TEXT},
    DUPLICATE_HEADER: {"description": "The URL of the first record that the new one repeats", "schema": _TEXT},
    TOTAL_HEADER: {
        "description": "The number of records on all pages, if a page or its size was asked for",
        "schema": {"type": "integer", "minimum": 0},
    },
    LINK_HEADER: {
        "description": 'The URLs of the pages around this one (RFC 8288): `rel="next"` and `rel="prev"`',
        "schema": _TEXT,
    },
}
"""The descriptions of headers by their names."""
PREFER: Final[Json] = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": f"With `{STRICT}` (RFC 7240), unknown query parameters and unknown or read-only fields are refused"
    " with 400, and records that repeat another with 409.",
    "schema": {"type": "string", "examples": [STRICT]},
}
"""The parameter that all operations of the REST API have."""


def answer_headers(verb: str, resource: Resource | None, *, has_fields: bool) -> Json:
    """Return the headers of a successful answer; `has_fields` says whether the request has a body of them."""
    names = [IGNORED_PARAMETERS_HEADER, PREFERENCE_APPLIED]
    names += [IGNORED_FIELDS_HEADER] if has_fields else []
    if resource is not None:
        names += [DUPLICATE_HEADER] if verb == "create" and resource.first_like is not no_duplicate else []
        names += [TOTAL_HEADER, LINK_HEADER] if verb == "list" and resource.plain_array else []
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
