"""Entity tags and conditional requests in the OpenAPI document."""

from http import HTTPStatus
from typing import Final

from dialer.api.answers.controller import REPRESENTATION
from dialer.api.openapi import examples
from dialer.api.openapi.parts import TEXT, Json, header, parameter
from dialer.resources.crud.resource import Resource
from dialer.resources.words.preconditions import ETAG_HEADER

_TAG: Final = '"5d41402abc4b2a76.9f86d081884c7d65"'
_HEADER: Final[Json] = {ETAG_HEADER: {"$ref": f"#/components/headers/{ETAG_HEADER}"}}
_REFUSED: Final[Json] = {"412": {"$ref": "#/components/responses/Error412"}}
_JSON: Final = "application/json"


def _condition(name: str, description: str) -> Json:
    schema = {"type": "string", "examples": [_TAG, "*"]}
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


_DOWNLOADS: Final = frozenset({"download_recording", "download_audio", "download_call"})
"""Operations whose answer is a file."""
_COMPUTED: Final = frozenset(
    {
        *("read_campaign_statistics", "read_sms_campaign_statistics", "read_all_statistics"),
        *("read_campaign_results", "read_sms_campaign_results"),
    }
)
"""Operations whose answer is computed and has no entity tag."""
_TOLD: Final[Json] = {
    "Accept-Ranges": header("`bytes`: parts of the file can be asked for", "bytes"),
    "Content-Range": header("Place of the part in the file", "bytes 0-99/5000"),
}
_PARTIAL: Final[list[Json]] = [
    parameter(
        "Range",
        TEXT,
        "The bytes to send (RFC 9110, 14), one range. Several ranges get the whole file.",
        "bytes=100-",
        "header",
    ),
    parameter(
        "If-Range",
        TEXT,
        "The ETag of an earlier part. If the file is another one now, the whole file is sent.",
        '"5d41402abc4b2a76"',
        "header",
    ),
]
_MATCH: Final = _condition(
    "If-Match",
    "An ETag of the record, or several. If clients have changed the record since, the response is 412 and nothing"
    " happens. Changes by dialling, such as counters, do not count. `*` means any version.",
)
_NONE_MATCH: Final = _condition(
    "If-None-Match",
    "An ETag of the record, or several. If nothing in the record has changed since, the response is 304, without"
    " the record.",
)


def with_conditions(operation: Json, verb: str, resource: Resource | None) -> Json:
    """Return an operation on records or files with its entity tags and conditions; any other, unchanged."""
    if operation["operationId"] in _DOWNLOADS:
        return _with_ranges(operation)
    if resource is None or verb not in _PARTS or operation["operationId"] in _COMPUTED:
        return operation
    parameters, more = _PARTS[verb]
    responses = {
        status: _tagged(answer) if status in {"200", "201", "202"} and verb != "delete" else answer
        for status, answer in operation["responses"].items()
    }
    if verb in {"change", "put"}:
        responses["200"] = _shown(resource, responses["202"])
    return {**operation, "parameters": [*operation["parameters"], *parameters], "responses": {**responses, **more}}


def _with_ranges(operation: Json) -> Json:
    """Return the download of a file, which may be in part."""
    whole = operation["responses"]["200"]
    headers = {**whole["headers"], **_HEADER, "Accept-Ranges": _TOLD["Accept-Ranges"]}
    part = {
        "description": "The part of the file that `Range` asks for",
        "headers": {**headers, "Content-Range": _TOLD["Content-Range"]},
        "content": whole["content"],
    }
    refused = {"416": {"$ref": "#/components/responses/Error416"}}
    return {
        **operation,
        "parameters": [*operation["parameters"], *_PARTIAL, _NONE_MATCH, _MATCH],
        "responses": {
            **operation["responses"],
            "200": {**whole, "headers": headers},
            "206": part,
            **_UNCHANGED,
            **_REFUSED,
            **refused,
        },
    }


def _tagged(answer: Json) -> Json:
    return {**answer, "headers": {**answer.get("headers", {}), **_HEADER}}


def _shown(resource: Resource, changed: Json) -> Json:
    """Return the response to a change of which the client prefers to see the result."""
    content = {
        "schema": {"$ref": f"#/components/schemas/{resource.read.__name__}"},
        "example": examples.record(resource.read),
    }
    description = f"Changed; the record, if the request preferred `{REPRESENTATION}`"
    return {"description": description, "headers": changed["headers"], "content": {_JSON: content}}


_UNCHANGED: Final[Json] = {
    str(HTTPStatus.NOT_MODIFIED.value): {"description": "The record has not changed", "headers": _HEADER}
}
_PARTS: Final[dict[str, tuple[list[Json], Json]]] = {
    "read": ([_NONE_MATCH, _MATCH], {**_UNCHANGED, **_REFUSED}),
    "create": ([], {}),
    "upload": ([], {}),
    "copy": ([], {}),
    "change": ([_MATCH], _REFUSED),
    "put": ([_MATCH], _REFUSED),
    "delete": ([_MATCH], _REFUSED),
}
"""Parameters and further responses of operations, by their verb."""
