"""What can go wrong for a client, and the one table that says which answer each becomes."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap
from sqlalchemy.exc import IntegrityError

from dialer.domain.states import IllegalMoveError
from dialer.store.database import StorageUnavailableError

STORAGE_RETRY_AFTER_S: Final = 5
"""When a client that met a database out of reach may try again."""
REQUEST_ID_STATE: Final = "request_id"
"""Where in an ASGI scope's `state` the id of the request is."""

Errors = dict[str, list[str]]
"""Field to messages; what concerns no single field is under `non_field_errors`."""

_DETAILS: Final[Mapping[int, str]] = {
    HTTPStatus.NOT_FOUND: "Not found.",
    HTTPStatus.FORBIDDEN: "You do not have permission to perform this action.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large.",
}


class ErrorBody(msgspec.Struct):
    """The body of every error but those of single fields."""

    detail: str


class InvalidError(Exception):
    """The fields of a request are not as they must be: 400, with every wrong field at once."""

    def __init__(self, errors: Errors) -> None:
        super().__init__(errors)
        self.errors: Final = errors


class AnsweredError(Exception):
    """An answer other than the one asked for: its status, its `detail` and its headers."""

    def __init__(self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status: Final = status
        self.detail: Final = detail
        self.headers: Final = dict(headers or {})


class MalformedError(AnsweredError):
    """The request cannot be read at all: 400."""

    def __init__(self, detail: str) -> None:
        super().__init__(HTTPStatus.BAD_REQUEST, detail)


class RecordNotFoundError(AnsweredError):
    """There is no such record, or none that the caller may see: 404."""

    def __init__(self, detail: str = "Not found.") -> None:
        super().__init__(HTTPStatus.NOT_FOUND, detail)


class ConflictError(AnsweredError):
    """The request is in order, but the state of the record forbids it: 409."""

    def __init__(self, detail: str) -> None:
        super().__init__(HTTPStatus.CONFLICT, detail)


class ForbiddenError(AnsweredError):
    """The caller is known, and may not do this: 403."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.FORBIDDEN, _DETAILS[HTTPStatus.FORBIDDEN])


_Handler = Callable[[Request[Any, Any, Any], Any], Response[Any]]


def _answer(status: int, body: object, headers: Mapping[str, str] | None = None) -> Response[Any]:
    return Response(body, status_code=status, media_type="application/json", headers=dict(headers or {}))


def _invalid(_: Request[Any, Any, Any], error: InvalidError) -> Response[Any]:
    return _answer(HTTPStatus.BAD_REQUEST, error.errors)


def _answered(_: Request[Any, Any, Any], error: AnsweredError) -> Response[Any]:
    return _answer(error.status, ErrorBody(error.detail), error.headers)


def _illegal_move(_: Request[Any, Any, Any], error: IllegalMoveError) -> Response[Any]:
    return _answer(HTTPStatus.CONFLICT, {"status": [str(error)]})


def _malformed(_: Request[Any, Any, Any], _error: msgspec.ValidationError) -> Response[Any]:
    return _answer(HTTPStatus.BAD_REQUEST, ErrorBody("The request is not as it must be."))


def _storage(_: Request[Any, Any, Any], _error: StorageUnavailableError) -> Response[Any]:
    body = ErrorBody("The database cannot be reached just now. Nothing was changed; try again.")
    return _answer(HTTPStatus.SERVICE_UNAVAILABLE, body, {"Retry-After": str(STORAGE_RETRY_AFTER_S)})


def _integrity(_: Request[Any, Any, Any], _error: IntegrityError) -> Response[Any]:
    return _answer(HTTPStatus.CONFLICT, ErrorBody("This contradicts another record."))


def _framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """The framework's own refusals: their status and headers, in our words."""
    detail = _DETAILS.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
    headers = {name.title(): value for name, value in (error.headers or {}).items()}
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f'Method "{request.method}" not allowed.'
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _unexpected(request, error)
    return _answer(error.status_code, ErrorBody(detail), headers)


def _unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """A mistake of ours: logged with everything, answered with nothing."""
    request_id = request.scope["state"].get(REQUEST_ID_STATE)
    structlog.get_logger().error("unexpected error", request_id=request_id, exc_info=error)
    return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, ErrorBody("Internal error."))


EXCEPTION_HANDLERS: Final[ExceptionHandlersMap] = {
    InvalidError: _invalid,
    AnsweredError: _answered,
    IllegalMoveError: _illegal_move,
    msgspec.ValidationError: _malformed,
    StorageUnavailableError: _storage,
    IntegrityError: _integrity,
    HTTPException: _framework,
    Exception: _unexpected,
}
