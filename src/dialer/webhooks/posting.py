"""Requests to receivers of events. They go to the address that was checked, and follow no redirects."""

import ssl
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

import anyio
import httpcore

from dialer.webhooks.addresses import AddressError, AddressGuard, parse_url
from dialer.webhooks.retries import SECOND_MS, PostOutcome, asked_wait_ms

TIMEOUT_S: Final = 10.0
"""The time for a request and its whole answer."""
ANSWER_BYTES_MAX: Final = 65_536
REQUESTS_MAX: Final = 256
"""Requests to all receivers at a time."""
CONNECTIONS_MAX: Final = 64
"""Connections to one receiver, of which several webhooks may share the address."""
POOLS_MAX: Final = 200
"""Receivers whose connections are kept."""
ADDRESSES_MAX: Final = 4
"""Addresses of a host that are tried, one after the other."""
NAMES_AT_ONCE: Final = 32
"""Names that are resolved at a time, in threads of their own: a slow server of names holds up nobody else."""
_KEPT_CONNECTIONS: Final = 8
_KEPT_S: Final = 30.0
_AGENT: Final = "dialer-webhooks"


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """A network on which only addresses are reached that the guard allows."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard: Final = guard
        self._network: Final = httpcore.AnyIOBackend()
        self._threads: Final = anyio.CapacityLimiter(NAMES_AT_ONCE)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of the library
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host, at one of its addresses that were checked a moment ago."""
        addresses = await anyio.to_thread.run_sync(
            self._guard.addresses, host, port, abandon_on_cancel=True, limiter=self._threads
        )
        *others, last = addresses[:ADDRESSES_MAX]
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
        return await self._network.connect_tcp(last, port, timeout, local_address, socket_options)


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
        self._now_ms: Final = now_ms
        self._timeout_s: Final = timeout_s
        self._ssl_context: Final = ssl_context
        self._network: Final = _CheckedNetwork(guard)
        self._limiter: Final = anyio.CapacityLimiter(REQUESTS_MAX)
        self._pools: Final[OrderedDict[str, httpcore.AsyncConnectionPool]] = OrderedDict()
        """The connections of each receiver: a request looks at all that its pool has, so receivers share none."""

    async def aclose(self) -> None:
        """Close all connections."""
        with anyio.CancelScope(shield=True):
            while self._pools:
                await self._pools.popitem()[1].aclose()

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> PostOutcome:
        """Send an event, and return what the receiver answered. No answer, and no address, is an outcome, too."""
        began_s = time.perf_counter()
        status: int | None = None
        wait_ms, problem = 0, ""
        try:
            async with self._limiter:
                status, wait_ms = await self._send(url, {**headers, "User-Agent": _AGENT}, body)
        except TimeoutError:
            problem = f"no answer within {self._timeout_s:g} seconds"
        except AddressError as error:
            problem = str(error)
        except (OSError, httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            problem = f"no connection: {type(error).__name__}"
        else:
            problem = _problem_of(status)
        return PostOutcome(status, int((time.perf_counter() - began_s) * SECOND_MS), problem, wait_ms)

    async def _send(self, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, int]:
        """Return the status, and the wait that the receiver asks for. A long answer is not read to its end."""
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        with anyio.fail_after(self._timeout_s):
            async with (await self._pool(url)).stream("POST", url, headers=sent, content=body) as answer:
                count = 0
                async for chunk in answer.aiter_stream():
                    count += len(chunk)
                    if count > ANSWER_BYTES_MAX:
                        break
                asked = next((value for name, value in answer.headers if name.lower() == b"retry-after"), None)
                return answer.status, asked_wait_ms(None if asked is None else asked.decode("latin-1"), self._now_ms())

    async def _pool(self, url: str) -> httpcore.AsyncConnectionPool:
        """Return the connections of a receiver. Those of the one that was asked longest ago are forgotten."""
        parts = parse_url(url)
        key = f"{parts.scheme}://{parts.netloc}"
        pool = self._pools.pop(key, None) or httpcore.AsyncConnectionPool(
            ssl_context=(self._ssl_context or _ssl_context()) if parts.scheme == "https" else None,
            max_connections=CONNECTIONS_MAX,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=_KEPT_S,
            network_backend=self._network,
        )
        self._pools[key] = pool
        if len(self._pools) > POOLS_MAX:
            oldest, others = self._pools.popitem(last=False)
            if all(one.is_idle() for one in others.connections):
                await others.aclose()
            else:
                self._pools[oldest] = others
        return pool


def _problem_of(status: int | None) -> str:
    if status is None or HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return ""
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return f"status {status}: redirects are not followed"
    return f"status {status}"


@lru_cache(maxsize=1)
def _ssl_context() -> ssl.SSLContext:
    """Return what verifies certificates. It is made once, as that takes as long as many requests."""
    return httpcore.default_ssl_context()
