"""Requests to receivers of events. They go to the address that was checked, and follow no redirects."""

import ssl
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import anyio
import structlog

from dialer.webhooks.addresses import AddressError, AddressGuard
from dialer.webhooks.names import names_of
from dialer.webhooks.retries import SECOND_MS, PostOutcome, asked_wait_ms

if TYPE_CHECKING:
    from dialer.webhooks.checked_session import CheckedSession

TIMEOUT_S: Final = 10.0
"""The time for a request and its whole answer."""

_log = structlog.get_logger(__name__)


class Poster:
    """Sends requests to receivers, with limits of time, of connections and of what is read."""

    def __init__(
        self,
        guard: AddressGuard,
        now_ms: Callable[[], int],
        *,
        timeout_s: float = TIMEOUT_S,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._guard: Final = guard
        self._now_ms: Final = now_ms
        self._timeout_s: Final = timeout_s
        self._given_tls: Final = ssl_context
        self._opening: Final = anyio.Lock()
        self._session: CheckedSession | None = None

    async def aclose(self) -> None:
        """Close all connections to receivers."""
        with anyio.CancelScope(shield=True):
            if self._session is not None:
                await self._session.close()
                self._session = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, account_id: int) -> PostOutcome:
        """Send an event of an account, and return what the receiver answered.

        No answer, and no address, is an outcome, too. The caller limits the requests at a time.
        """
        began_s = time.perf_counter()
        status: int | None = None
        wait_ms, problem = 0, ""
        try:
            session = self._session or await self._open()
            with names_of(account_id):
                status, retry_after = await session.post(url, headers, body)
            wait_ms = asked_wait_ms(retry_after, self._now_ms())
        except TimeoutError:
            problem = f"no answer within {self._timeout_s:g} seconds"
        except AddressError as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - no answer, whatever it breaks, may end the sending to others
            problem = f"no connection: {type(error).__name__}"
            # Not the message: it may have the whole address, which may hold a secret, and the answer.
            _log.info("webhook_not_answered", reason=type(error).__name__, errno=getattr(error, "errno", None))
        else:
            problem = _problem_of(status)
        return PostOutcome(status, int((time.perf_counter() - began_s) * SECOND_MS), problem, wait_ms)

    async def _open(self) -> "CheckedSession":
        """Open the session. A thread prepares it, because that takes long and dialling must go on."""
        async with self._opening:
            if self._session is None:
                session = await anyio.to_thread.run_sync(_session_class)
                tls = await anyio.to_thread.run_sync(_tls) if self._given_tls is None else self._given_tls
                self._session = session(self._guard, self._timeout_s, tls)
            return self._session


def _session_class() -> "type[CheckedSession]":
    from dialer.webhooks.checked_session import CheckedSession  # noqa: PLC0415 - most services never need it

    return CheckedSession


def _problem_of(status: int | None) -> str:
    if status is None or HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return ""
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return f"status {status}: redirects are not followed"
    return f"status {status}"


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Return what verifies certificates. It is made once, as that takes as long as many requests."""
    import httpx  # noqa: PLC0415 - most services never need it

    return httpx.create_ssl_context()
