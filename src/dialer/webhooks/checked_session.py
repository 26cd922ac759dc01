"""Connections to the addresses that were checked, and to no others.

Import this module late: its library takes a quarter of a second, and most services send no events.
"""

import socket
import ssl
from collections.abc import Mapping
from typing import Final

import anyio
from aiohappyeyeballs import AddrInfoType
from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from dialer.shares import Shares
from dialer.webhooks.addresses import AddressGuard
from dialer.webhooks.names import account_of_names

ANSWER_BYTES_MAX: Final = 65_536
ADDRESSES_MAX: Final = 4
"""Addresses of a host that are tried, each soon after the one before."""
NAMES_AT_ONCE: Final = 64
"""Names that are resolved at a time, in threads of their own."""
NAMES_OF_ACCOUNT_AT_ONCE: Final = 4
_KEPT_S: Final = 4.0
"""The time for which an idle connection is kept: common servers close theirs after five seconds."""
_AGENT: Final = "dialer-webhooks"


class CheckedSession:
    """Connections for requests of at most `timeout_s` each, with their answers. It is made on the loop that uses it."""

    def __init__(self, guard: AddressGuard, timeout_s: float, ssl_context: ssl.SSLContext) -> None:
        self._guard: Final = guard
        connector = TCPConnector(
            limit=0,
            limit_per_host=0,  # Accounts may share a host. Each of them has a limit of requests.
            keepalive_timeout=_KEPT_S,
            use_dns_cache=False,
            resolver=CheckedNames(guard),
            socket_factory=self._socket,
            ssl=ssl_context,
        )
        self._session: Final = ClientSession(
            connector=connector,
            timeout=ClientTimeout(total=timeout_s),
            headers={"User-Agent": _AGENT},
            skip_auto_headers=("Accept-Encoding",),
            auto_decompress=False,
            cookie_jar=DummyCookieJar(),
        )

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, str | None]:
        """Send a body, and return the status and what the answer says of a wait. A long answer is not read to its end.

        Raises:
            AddressError: nothing may be sent there.
            TimeoutError: the answer took too long.
            Exception: whatever the library raises for hosts that do not answer, or not in HTTP.
        """
        exactly = URL(url, encoded=True)
        async with self._session.post(exactly, headers=headers, data=body, allow_redirects=False) as answer:
            count = 0
            async for chunk in answer.content.iter_any():
                count += len(chunk)
                if count > ANSWER_BYTES_MAX:
                    break
            return answer.status, answer.headers.get("Retry-After")

    async def close(self) -> None:
        """Close all connections to receivers."""
        await self._session.close()

    def _socket(self, target: AddrInfoType) -> socket.socket:
        """Return a socket for a connection. An address in the URL itself is resolved by nobody: it is checked here."""
        self._guard.check_address(target[4][0])
        return socket.socket(*target[:3])


class CheckedNames(AbstractResolver):
    """Names with those of their addresses that the guard allows."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard: Final = guard
        self._places: Final = Shares(NAMES_AT_ONCE, NAMES_OF_ACCOUNT_AT_ONCE)
        self._threads: Final = anyio.CapacityLimiter(NAMES_AT_ONCE)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a host, of any family.

        Raises:
            AddressError: the host has no address, or only such as nothing may be sent to.
        """
        del family
        async with self._places.place(account_of_names()):
            addresses = await anyio.to_thread.run_sync(
                self._guard.addresses, host, port, abandon_on_cancel=True, limiter=self._threads
            )
        return [_result(host, address, port) for address in addresses[:ADDRESSES_MAX]]

    async def close(self) -> None:
        """Do nothing: the threads that look up names end by themselves."""


def _result(host: str, address: str, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST,
    )
