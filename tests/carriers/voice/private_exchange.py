"""A SIP exchange of a few telephones of this machine: it passes messages on, and keeps no state but who is called."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from typing import Final

from tests.carriers.sip.test_sipp import free_port

_CALLED: Final = re.compile(rb"^INVITE sip:([^@;>]+)@")
_CALL_ID: Final = re.compile(rb"(?im)^call-id:[ \t]*(\S+)")
_Address = tuple[str, int]


class _Exchange(asyncio.DatagramProtocol):
    """Messages of the trunk go to the telephone that was called, and those of telephones to the trunk."""

    def __init__(self, telephones: Mapping[str, int]) -> None:
        self._telephones: Final = telephones
        self._calls: dict[bytes, _Address] = {}
        self._trunk: _Address | None = None
        self.transport: asyncio.DatagramTransport

    def datagram_received(self, data: bytes, addr: _Address) -> None:
        call, called = _CALL_ID.search(data), _CALLED.match(data)
        if call is None:
            return
        if addr[1] in self._telephones.values():
            if self._trunk is not None:
                self.transport.sendto(data, self._trunk)
            return
        self._trunk = addr
        if called is not None and called[1].decode() in self._telephones:
            self._calls[call[1]] = ("127.0.0.1", self._telephones[called[1].decode()])
        if call[1] in self._calls:
            self.transport.sendto(data, self._calls[call[1]])


@contextlib.asynccontextmanager
async def exchange(telephones: Mapping[str, int]) -> AsyncIterator[int]:
    """Run an exchange of telephones, by number the port of each, and return its own port."""
    port = free_port()
    loop = asyncio.get_running_loop()
    transport, passing = await loop.create_datagram_endpoint(lambda: _Exchange(telephones), ("127.0.0.1", port))
    passing.transport = transport
    try:
        yield port
    finally:
        transport.close()
