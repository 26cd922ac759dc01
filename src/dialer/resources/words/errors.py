"""The errors of requests, which `dialer.api.http.error_answers` answers."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from dialer.app.work.errors import ErrorCode

Errors = dict[str, list[str]]
"""Messages by field; those that concern no single field are under `non_field_errors`."""

NOT_FOUND: Final = "Not found."
NOT_PERMITTED: Final = "You do not have permission to perform this action."


class InvalidError(Exception):
    """An error for invalid fields of a request: 400, with all of them at once."""

    def __init__(self, errors: Errors) -> None:
        super().__init__(errors)
        self.errors: Final = errors


class AnsweredError(Exception):
    """An error with a status, a `detail` and headers of its own; `code` is None if the status says all."""

    def __init__(
        self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None, code: ErrorCode | None = None
    ) -> None:
        super().__init__(detail)
        self.code: Final = code
        self.status: Final = status
        self.detail: Final = detail
        self.headers: Final = dict(headers or {})


class MalformedError(AnsweredError):
    """An error for a request that cannot be parsed: 400."""

    def __init__(self, detail: str) -> None:
        super().__init__(HTTPStatus.BAD_REQUEST, detail)


class RecordNotFoundError(AnsweredError):
    """An error for a record that does not exist, or that the caller may not see: 404."""

    def __init__(self, detail: str = NOT_FOUND) -> None:
        super().__init__(HTTPStatus.NOT_FOUND, detail)


class ConflictError(AnsweredError):
    """An error for a valid request that the state of the record forbids: 409."""

    def __init__(self, detail: str, code: ErrorCode | None = None) -> None:
        super().__init__(HTTPStatus.CONFLICT, detail, code=code)


class ForbiddenError(AnsweredError):
    """An error for a caller without permission: 403."""

    def __init__(self, detail: str = NOT_PERMITTED, code: ErrorCode | None = None) -> None:
        super().__init__(HTTPStatus.FORBIDDEN, detail, code=code)
