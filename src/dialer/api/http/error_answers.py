"""The answer to each error of a request: its status, its headers, and its body in JSON or as problem details."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import msgspec
import structlog
from litestar import Request, Response
from litestar.datastructures.headers import MediaTypeHeader
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap
from sqlalchemy.exc import IntegrityError

from dialer.app.work.errors import (
    CampaignNotReadyError,
    ErrorCode,
    InvalidFieldsError,
    RefusedError,
    StillUsedError,
    UnknownRecordError,
)
from dialer.domain.words.sentences import message_of
from dialer.domain.words.states import IllegalMoveError
from dialer.resources.words.errors import NOT_FOUND, NOT_PERMITTED, AnsweredError, Errors, InvalidError
from dialer.store.database.database import OutcomeUnknownError, StorageUnavailableError

STORAGE_RETRY_AFTER_S: Final = 5
"""The time after which a client may try again when the database is unavailable."""
PROBLEM_JSON: Final = "application/problem+json"
REQUEST_ID_STATE: Final = "request_id"
"""The key of the request's id in the `state` of an ASGI scope."""

_Request: TypeAlias = Request[Any, Any, Any]

_DETAILS: Final[Mapping[int, str]] = {
    HTTPStatus.NOT_FOUND: NOT_FOUND,
    HTTPStatus.FORBIDDEN: NOT_PERMITTED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large.",
}
_CODES: Final[Mapping[int, ErrorCode]] = {
    HTTPStatus.UNAUTHORIZED: ErrorCode.NOT_AUTHENTICATED,
    HTTPStatus.FORBIDDEN: ErrorCode.NOT_PERMITTED,
    HTTPStatus.NOT_FOUND: ErrorCode.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED: ErrorCode.METHOD_NOT_ALLOWED,
    HTTPStatus.REQUEST_TIMEOUT: ErrorCode.TIMED_OUT,
    HTTPStatus.CONFLICT: ErrorCode.CONFLICT,
    HTTPStatus.PRECONDITION_FAILED: ErrorCode.PRECONDITION_FAILED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ErrorCode.TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ErrorCode.MEDIA_TYPE,
    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE: ErrorCode.RANGE,
    HTTPStatus.UNPROCESSABLE_ENTITY: ErrorCode.IDEMPOTENCY_KEY_USED,
    HTTPStatus.TOO_MANY_REQUESTS: ErrorCode.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR: ErrorCode.INTERNAL,
    HTTPStatus.SERVICE_UNAVAILABLE: ErrorCode.BUSY,
}
"""The codes of errors whose status says all. Other statuses belong to malformed requests."""


class ErrorBody(msgspec.Struct):
    """The body of every error, except the errors of single fields."""

    detail: str


class Refusal(msgspec.Struct, frozen=True):
    """The content of an error answer, in JSON or as problem details."""

    status: int
    detail: str
    headers: Mapping[str, str] = {}
    errors: Errors | None = None
    """The messages by field. If there are any, they are the whole answer in JSON."""
    code: ErrorCode | None = None
    """The reason in a word, where the status does not say it."""


def _invalid(_: _Request, error: InvalidError | InvalidFieldsError) -> Refusal:
    is_start = isinstance(error, CampaignNotReadyError)
    code = ErrorCode.CAMPAIGN_NOT_READY if is_start else ErrorCode.INVALID_FIELDS
    detail = "Some of the fields are not as they must be."
    return Refusal(HTTPStatus.BAD_REQUEST, detail, errors=error.errors, code=code)


def _answered(_: _Request, error: AnsweredError) -> Refusal:
    return _refusal(error)


def _refusal(error: AnsweredError) -> Refusal:
    return Refusal(error.status, error.detail, error.headers, code=error.code)


def _refused(_: _Request, error: RefusedError) -> Refusal:
    return Refusal(HTTPStatus.CONFLICT, message_of(error), code=error.code)


def _still_used(_: _Request, error: StillUsedError) -> Refusal:
    return Refusal(HTTPStatus.CONFLICT, message_of(error), code=ErrorCode.STILL_USED)


def _missing(_: _Request, _error: UnknownRecordError) -> Refusal:
    return Refusal(HTTPStatus.NOT_FOUND, _DETAILS[HTTPStatus.NOT_FOUND])


def _illegal_move(_: _Request, error: IllegalMoveError) -> Refusal:
    errors = {"status": [message_of(error)]}
    return Refusal(HTTPStatus.CONFLICT, message_of(error), errors=errors, code=ErrorCode.ILLEGAL_MOVE)


def _malformed(_: _Request, _error: msgspec.ValidationError) -> Refusal:
    return Refusal(HTTPStatus.BAD_REQUEST, "The request is not as it must be.")


def _storage(_: _Request, _error: StorageUnavailableError) -> Refusal:
    detail = "The database cannot be reached just now. Nothing was changed; try again."
    return _later(detail, ErrorCode.DATABASE_UNAVAILABLE)


def _unknown(_: _Request, _error: OutcomeUnknownError) -> Refusal:
    detail = "The database was lost during this. It may have been done: look, or repeat it with its Idempotency-Key."
    return _later(detail, ErrorCode.OUTCOME_UNKNOWN)


def _later(detail: str, code: ErrorCode) -> Refusal:
    retry_after = {"Retry-After": str(STORAGE_RETRY_AFTER_S)}
    return Refusal(HTTPStatus.SERVICE_UNAVAILABLE, detail, retry_after, code=code)


def _integrity(_: _Request, _error: IntegrityError) -> Refusal:
    return Refusal(HTTPStatus.CONFLICT, "This contradicts another record.")


def _framework(request: _Request, error: HTTPException) -> Refusal:
    """Answer an error of the framework with its status and headers, and our text."""
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _unexpected(request, error)
    detail = _DETAILS.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f'Method "{request.method}" not allowed.'
    return Refusal(error.status_code, detail, {name.title(): value for name, value in (error.headers or {}).items()})


def _unexpected(request: _Request, error: Exception) -> Refusal:
    """Log an unexpected error with its stack trace, and show the client none of it."""
    request_id = request.scope["state"].get(REQUEST_ID_STATE)
    structlog.get_logger().error("unexpected error", request_id=request_id, exc_info=error)
    return Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal error.")


_TABLE: Final[Mapping[type[Exception], Callable[[_Request, Any], Refusal]]] = {
    InvalidError: _invalid,
    InvalidFieldsError: _invalid,
    RefusedError: _refused,
    StillUsedError: _still_used,
    UnknownRecordError: _missing,
    AnsweredError: _answered,
    IllegalMoveError: _illegal_move,
    msgspec.ValidationError: _malformed,
    StorageUnavailableError: _storage,
    OutcomeUnknownError: _unknown,
    IntegrityError: _integrity,
    HTTPException: _framework,
    Exception: _unexpected,
}


class Problem(msgspec.Struct, omit_defaults=True):
    """Problem details as in RFC 9457; `code` is the reason in a word, `errors` are the messages by field."""

    title: str
    status: int
    detail: str
    code: str
    errors: Errors | None = None


def encode_plain(answer: object) -> bytes:
    """Return JSON in which sentences are plain texts."""
    return msgspec.json.encode(answer, enc_hook=str)


def refusal_of(request: _Request, error: Exception) -> Refusal:
    """Return the content of the answer to an error."""
    return next(_TABLE[kind] for kind in type(error).__mro__ if kind in _TABLE)(request, error)


def _answering(refuse: Callable[[_Request, Any], Refusal]) -> Callable[[_Request, Any], Response[bytes]]:
    def answer(request: _Request, error: Exception) -> Response[bytes]:
        refusal = refuse(request, error)
        media_type, body = _content(refusal, request.headers.get("accept", ""))
        headers = {**refusal.headers, "Vary": "Accept"}
        return Response(body, status_code=refusal.status, media_type=media_type, headers=headers)

    return answer


def _content(refusal: Refusal, accept: str) -> tuple[str, bytes]:
    """Return the media type and the body of an answer to a client that accepts these types."""
    if asks_for_problem(accept):
        return PROBLEM_JSON, encode_plain(_problem(refusal))
    return "application/json", encode_plain(refusal.errors or ErrorBody(refusal.detail))


def error_answer(error: AnsweredError, accept: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of the answer to an error that is raised before a request has a route."""
    media_type, body = _content(_refusal(error), accept)
    headers = {"Content-Type": media_type, "Content-Length": str(len(body)), **error.headers, "Vary": "Accept"}
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()], body


def _problem(refusal: Refusal) -> Problem:
    code = refusal.code or code_of(refusal.status)
    return Problem(HTTPStatus(refusal.status).phrase, refusal.status, refusal.detail, code, refusal.errors)


def code_of(status: int) -> ErrorCode:
    """Return the code of an error that has none of its own."""
    return _CODES.get(status, ErrorCode.MALFORMED)


def asks_for_problem(accept: str) -> bool:
    """Tell whether an `Accept` header names problem details. A wildcard or a weight of zero does not count."""
    for item in accept.split(","):
        named = MediaTypeHeader(item)
        if f"{named.maintype}/{named.subtype}".strip().lower() == PROBLEM_JSON:
            return named.params.get("q", "1").strip("0.") != ""
    return False


EXCEPTION_HANDLERS: Final[ExceptionHandlersMap] = {kind: _answering(refuse) for kind, refuse in _TABLE.items()}
