"""The errors of the OpenAPI document: their schemas, and an answer for each status."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from dialer.api.http.error_answers import PROBLEM_JSON, code_of
from dialer.api.openapi.answer_headers import ALWAYS_TOLD, header_references
from dialer.api.openapi.parts import TEXT, Json, header
from dialer.api.routes.exports import JSON
from dialer.app.work.errors import ErrorCode

_ERRORS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("Invalid fields, or an invalid request", "This field is required."),
    401: ("Missing or invalid credentials", "Invalid username/password."),
    403: ("Not permitted", "You do not have permission to perform this action."),
    404: ("The record or the page does not exist", "Not found."),
    408: ("The body did not arrive in time", "The body did not arrive in time."),
    409: (
        "The state of the record or another record forbids the request",
        "Still used by campaigns 1. Change or delete them first.",
    ),
    412: ("The record is not in the state that the request requires", "The record has changed."),
    413: ("The body is too large", "The body is too large."),
    415: ("The content type of the body is not supported", "Send the body as application/json."),
    416: ("The file does not have the wanted part", "The file has 100 bytes, so 'bytes=100-' is not a part of it."),
    422: ("The Idempotency-Key was used with another body", "This Idempotency-Key was used with another body."),
    429: ("Too many wrong passwords, or too many requests", "Too many wrong passwords; try again later."),
    503: ("The database is not available", "The database cannot be reached just now. Nothing was changed; try again."),
}
_INVALID: Final = ErrorCode.INVALID_FIELDS.value
_REQUIRED: Final = "This field is required."
_MESSAGES: Final[Json] = {"type": "array", "items": TEXT}
_BY_FIELD: Final[Json] = {"contact": [_REQUIRED]}
ERROR_SCHEMAS: Final[Json] = {
    "Error": {
        "title": "Error",
        "description": "Messages by field, or one `detail`.",
        "oneOf": [{"$ref": "#/components/schemas/ErrorDetail"}, {"$ref": "#/components/schemas/ErrorFields"}],
        "examples": [_BY_FIELD],
    },
    "ErrorDetail": {
        "title": "ErrorDetail",
        "description": "A problem that is not the problem of a field.",
        "type": "object",
        "required": ["detail"],
        "properties": {"detail": {**TEXT, "description": "The problem in a sentence.", "examples": ["Not found."]}},
        "examples": [{"detail": "Not found."}],
    },
    "ErrorFields": {
        "title": "ErrorFields",
        "description": "Messages by field. Messages without a field are under `non_field_errors`.",
        "type": "object",
        "additionalProperties": {**_MESSAGES, "description": "The problems of one field.", "examples": [[_REQUIRED]]},
        "minProperties": 1,
        "examples": [_BY_FIELD],
    },
    "Problem": {
        "title": "Problem",
        "description": "An error in the form of RFC 9457, for requests that accept application/problem+json.",
        "type": "object",
        "required": ["title", "status", "detail", "code"],
        "properties": {
            "title": {**TEXT, "description": "The meaning of the status code.", "examples": ["Bad Request"]},
            "status": {"type": "integer", "description": "The status code of the response.", "examples": [400]},
            "detail": {
                **TEXT,
                "description": "The problem in a sentence.",
                "examples": ["Some of the fields are not as they must be."],
            },
            "code": {
                **TEXT,
                "description": "The reason in a word, for programs. Words are never renamed; new ones may come.",
                "examples": [_INVALID],
            },
            "errors": {
                "title": "Messages",
                "type": "object",
                "description": "The problems of each field, by its name. Absent if the problem is not one of fields.",
                "additionalProperties": _MESSAGES,
                "examples": [_BY_FIELD],
            },
        },
    },
}
"""The schemas of errors, by their names."""
_RETRY_AFTER: Final[Json] = {
    "Retry-After": header("Seconds to wait before the next request", 30, {"type": "integer", "minimum": 0})
}
_HEADERS: Final[Mapping[int, Json]] = {
    416: {
        "Content-Range": header("Size of the file", "bytes */5000"),
        "ETag": {"$ref": "#/components/headers/ETag"},
    },
    415: {"Accept-Encoding": header("`identity`, if the body was compressed", "identity")},
    412: {"ETag": {"$ref": "#/components/headers/ETag"}},
    401: {"WWW-Authenticate": header("The authentication scheme", 'Basic realm="dialer"')},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}


def error_responses() -> Json:
    """Return the answers to refused requests, by the names that operations refer to."""
    return {f"Error{status}": _error(status) for status in _ERRORS}


def _error(status: int) -> Json:
    description, detail = _ERRORS[status]
    is_of_fields = status == HTTPStatus.BAD_REQUEST
    plain = {"name": [detail]} if is_of_fields else {"detail": detail}
    problem = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, "code": code_of(status).value}
    if is_of_fields:
        problem |= {"detail": "Some of the fields are not as they must be.", "code": _INVALID, "errors": plain}
    content = {
        JSON: {"schema": {"$ref": "#/components/schemas/Error"}, "example": plain},
        PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": problem},
    }
    headers = {**header_references(ALWAYS_TOLD), **_HEADERS.get(status, {})}
    return {"description": description, "headers": headers, "content": content}
