"""The connection to a service, and the content of its answers."""

from http import HTTPStatus
from typing import Any, TypeVar

import httpx

from dialer_client.client import AuthenticatedClient
from dialer_client.models.error_detail import ErrorDetail
from dialer_client.models.error_fields import ErrorFields
from dialer_client.types import Response

TIMEOUT_S = 60.0
KEY_PREFIX = "dk_"
_Content = TypeVar("_Content")


class RefusedError(Exception):
    """Raised when the service refuses a request; `messages` are by field, or one `detail`."""

    def __init__(self, status: int, messages: Any) -> None:  # noqa: ANN401 - JSON
        super().__init__(f"{status}: {messages}")
        self.status = status
        self.messages = messages


def connect(url: str, key: str, *, timeout_s: float = TIMEOUT_S) -> AuthenticatedClient:
    """Return a client of the service at `url`, such as `https://dialer.example`, with an API key.

    Raises:
        ValueError: the key or the address is not one, as if a variable of the environment is empty.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is not an address of a service. Give one that begins with http:// or https://.")
    if not key.startswith(KEY_PREFIX):
        raise ValueError(f"The API key does not begin with {KEY_PREFIX}. Make one with `dialer keys create`.")
    return AuthenticatedClient(
        base_url=url.rstrip("/"), token=key, timeout=httpx.Timeout(timeout_s), raise_on_unexpected_status=True
    )


def done(answer: Response[_Content | ErrorDetail | ErrorFields]) -> _Content:
    """Return the content of an answer.

    Raises:
        RefusedError: the service refused the request.
    """
    if isinstance(answer.parsed, ErrorDetail | ErrorFields):
        raise RefusedError(answer.status_code, answer.parsed.to_dict())
    if answer.status_code >= HTTPStatus.BAD_REQUEST:
        raise RefusedError(answer.status_code, answer.content.decode("utf-8", "replace"))
    return answer.parsed  # type: ignore[return-value] # None is the content of an answer without any
