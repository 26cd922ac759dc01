"""SIP over UDP: one socket for all flows, a message in each datagram."""

import asyncio
import contextlib
import socket
from typing import Final

from dialer.carriers.sip.flows import Address, Flow
from dialer.carriers.sip.messages import DATAGRAM_BYTES_MAX
from dialer.carriers.voice.flow_transport import Take

READ_AT_ONCE_MAX: Final = 64
"""Datagrams that one turn of the event loop reads from one socket."""


class UdpTransport:
    """The flows of one UDP socket, which is read by the event loop and written at once."""

    def __init__(self, bound: socket.socket, take: Take) -> None:
        self._socket: Final = bound
        self._take: Final = take
        self.port: Final[int] = bound.getsockname()[1]
        asyncio.get_running_loop().add_reader(bound.fileno(), self._read)

    async def open(self, address: Address) -> Flow:
        """Return the flow to an address. Nothing is sent: UDP has no connections."""
        return Flow(address)

    def send(self, data: bytes, flow: Flow) -> None:
        """Send a datagram. A full buffer or an unreachable network loses it, as a network may."""
        with contextlib.suppress(OSError):
            self._socket.sendto(data, flow.address)

    def close(self) -> None:
        """Close the socket."""
        if self._socket.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()

    def _read(self) -> None:
        for _ in range(READ_AT_ONCE_MAX):
            try:
                data, source = self._socket.recvfrom(DATAGRAM_BYTES_MAX)
            except BlockingIOError:
                return
            except OSError:
                # Somebody's ICMP message about a datagram of ours: its loss is noticed by timers.
                continue
            self._take(data, Flow((source[0], source[1])))
