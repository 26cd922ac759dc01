"""A line that sends text messages over HTTP."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import httpx
import structlog

from dialer.carriers.line_port import Exchange, Found, Unknown, Unplaced
from dialer.carriers.texts.forbidden_hosts import is_internal
from dialer.carriers.texts.parameters import HttpParameters, read_http_parameters
from dialer.carriers.texts.requests import WebRequest, outcome_of, request_of
from dialer.carriers.texts.text_line import DETAIL_MAX, TextLine
from dialer.domain.sessions.leg_protocol import LegReport, Receipt, Texting
from dialer.domain.words.enums import MessageStatus

IN_FLIGHT_MAX: Final = 200
"""Messages without an answer."""
CONNECTIONS_MAX: Final = 50
KEEP_ALIVE_S: Final = 2.0
"""Time for which an idle connection is used again. A carrier might close it just when a message leaves."""
CONNECT_S: Final = 5.0
ANSWER_S: Final = 15.0
"""Time for the carrier to answer. After that, nobody can say whether the message was sent."""
ANSWER_BYTES_MAX: Final = 65_536
_LEADS_INSIDE: Final = "the name of the host leads to an address of this machine's own network"
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
"""Errors before the first byte of a request."""

_log = structlog.get_logger(__name__)


class WebAnswer:
    """The status and the beginning of the body of an answer."""

    def __init__(self, status: int, body: bytes, retry_after: str) -> None:
        self.status: Final = status
        self.body: Final = body
        self.retry_after_s: Final = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None


class NotSentError(Exception):
    """The carrier was not reached, so the message certainly was not sent."""


class UnansweredError(Exception):
    """The carrier may have the message, and has not said so."""


class WebSender:
    """Sends HTTP requests to one carrier, without redirects, cookies and proxies."""

    def __init__(self) -> None:
        limits = httpx.Limits(max_connections=CONNECTIONS_MAX, keepalive_expiry=KEEP_ALIVE_S)
        self._transport: Final = httpx.AsyncHTTPTransport(limits=limits, retries=0)

    async def send(self, request: WebRequest) -> WebAnswer:
        """Send a request, and return the answer.

        Raises:
            NotSentError: the carrier was not reached.
            UnansweredError: the answer did not arrive.
        """
        timeout = {"connect": CONNECT_S, "pool": CONNECT_S, "read": ANSWER_S, "write": ANSWER_S}
        headers = [(name.encode(), value.encode()) for name, value in request.headers.items()]
        try:
            http_request = httpx.Request(
                request.method,
                request.url,
                headers=headers,
                content=request.content,
                extensions={"timeout": timeout, "trace": _refuse_internal},
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise NotSentError(str(error)[:DETAIL_MAX]) from None
        try:
            async with asyncio.timeout(CONNECT_S + ANSWER_S):
                return await self._answer(http_request)
        except _NOT_SENT as error:
            raise NotSentError(str(error)[:DETAIL_MAX] or type(error).__name__) from None
        except (httpx.HTTPError, OSError, TimeoutError) as error:
            raise UnansweredError(str(error)[:DETAIL_MAX] or type(error).__name__) from None

    async def _answer(self, http_request: httpx.Request) -> WebAnswer:
        answer = await self._transport.handle_async_request(http_request)
        body = bytearray()
        try:
            async for piece in answer.aiter_raw():
                body += piece[: ANSWER_BYTES_MAX - len(body)]
                if len(body) >= ANSWER_BYTES_MAX:
                    break
        finally:
            await answer.aclose()
        return WebAnswer(answer.status_code, bytes(body), answer.headers.get("retry-after", ""))

    async def close(self) -> None:
        """Close all connections to the carrier."""
        await self._transport.aclose()


async def _refuse_internal(event: str, facts: Mapping[str, Any]) -> None:
    """End a connection to an address that no gateway may lead to, before a byte was sent. A name may lead to any.

    Raises:
        NotSentError: it is such a connection.
    """
    if not event.endswith("connect_tcp.complete"):
        return
    stream = facts["return_value"]
    peer = stream.get_extra_info("server_addr")
    if peer is None or is_internal(str(peer[0])):
        await stream.aclose()
        raise NotSentError(_LEADS_INSIDE)


class HttpTextLine(TextLine[HttpParameters]):
    """The line of one gateway whose carrier takes text messages over HTTP."""

    messages_max = IN_FLIGHT_MAX

    def __init__(self, protocol: str, gateway_id: int, parameters: str, exchange: Exchange) -> None:
        super().__init__(gateway_id, exchange, lambda: read_http_parameters(protocol, parameters))
        self._sender: Final = WebSender()
        if self._parameters is not None:
            exchange.is_up("")

    def settled(self, number: int) -> None:
        """Do nothing: carriers repeat receipts to the service itself, not to the line."""

    async def close(self) -> None:
        """Stop. Messages without an answer count as sent."""
        await super().close()
        await self._sender.close()

    async def _sending(self, parameters: HttpParameters, leg: Texting) -> None:
        for heard in await self._outcome(parameters, leg):
            self._exchange.heard(0, leg.key, heard)

    async def _outcome(self, parameters: HttpParameters, leg: Texting) -> tuple[LegReport | Found, ...]:
        try:
            answer = await self._sender.send(request_of(parameters, self._gateway_id, leg))
        except NotSentError as error:
            self._pauses.begin(f"the carrier cannot be reached: {error}")
            return (Unplaced(),)
        except UnansweredError as error:
            _log.warning("message_unanswered", gateway_id=self._gateway_id, key=leg.key, reason=str(error))
            return (Unknown(),)
        except Exception:  # noqa: BLE001 - an answer that breaks the library must not end the line
            _log.exception("message_failed", gateway_id=self._gateway_id, key=leg.key)
            return (Unknown(),)
        reports = outcome_of(parameters, answer.status, answer.body)
        if reports == (Unplaced(),):
            self._pauses.wait(f"the carrier asks to wait (HTTP {answer.status})", answer.retry_after_s)
        else:
            self._pauses.worked()
        if reports == (Receipt("", MessageStatus.UNAUTHORIZED),):
            _log.error("carrier_refuses_credentials", gateway_id=self._gateway_id, status=answer.status)
        return reports
