"""UDP sockets that are read by the event loop, and written at once."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Final

from dialer.carriers.sip.messages import DATAGRAM_BYTES_MAX
from dialer.carriers.sip.outputs import Address

READ_AT_ONCE_MAX: Final = 64
"""Datagrams that one turn of the event loop reads from one socket."""
PORT_TRIES_MAX: Final = 200
RECEIVE_BUFFER_BYTES: Final = 1 << 20
SERVICE_TYPE: Final = 0xB8
"""Expedited forwarding (RFC 4594): sound goes before other traffic where networks care."""

Take = Callable[[bytes, Address], None]


class UdpSocket:
    """A UDP socket."""

    def __init__(self, bound: socket.socket, take: Take) -> None:
        self._socket: Final = bound
        self._take: Final = take
        self.port: Final[int] = bound.getsockname()[1]
        asyncio.get_running_loop().add_reader(bound.fileno(), self._read)

    def send(self, data: bytes, destination: Address) -> None:
        """Send a datagram. A full buffer or an unreachable network loses it, as a network may."""
        with contextlib.suppress(OSError):
            self._socket.sendto(data, destination)

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
            self._take(data, (source[0], source[1]))


def bind(family: socket.AddressFamily, port: int) -> socket.socket:
    """Return a UDP socket on a port of all addresses; 0 is any port.

    Raises:
        OSError: the port is in use, or not allowed.
    """
    bound = socket.socket(family, socket.SOCK_DGRAM)
    try:
        bound.settimeout(0)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        if family is socket.AddressFamily.AF_INET:
            bound.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, SERVICE_TYPE)
        bound.bind(("", port))
    except OSError:
        bound.close()
        raise
    return bound


def bind_for_sound(family: socket.AddressFamily, ports: range | None, chance: int) -> socket.socket:
    """Return a UDP socket on an even port of a range that is free, beginning with one that is chosen by `chance`.

    Raises:
        OSError: none is free.
    """
    if ports is None:
        return bind(family, 0)
    even = ports[ports.start % 2 :: 2] or ports
    failed = OSError("no port for sound is free")
    for step in range(min(len(even), PORT_TRIES_MAX)):
        try:
            return bind(family, even[(chance + step) % len(even)])
        except OSError as error:
            failed = error
    raise failed


def bind_for_reports(family: socket.AddressFamily, port: int) -> socket.socket | None:
    """Return a UDP socket for the reports of a call, beside the one for its sound; None if its port is taken."""
    try:
        return bind(family, port)
    except (OSError, OverflowError):
        return None


async def resolve(address: Address) -> tuple[socket.AddressFamily, Address, tuple[str, ...]]:
    """Return the family and the IP address of a host, the first that the name server gives, and its other addresses.

    Raises:
        OSError: the name is unknown.
    """
    loop = asyncio.get_running_loop()
    endpoints = await loop.getaddrinfo(*address, type=socket.SOCK_DGRAM)
    found, _, _, _, resolved = endpoints[0]
    others = (str(endpoint[4][0]) for endpoint in endpoints[1:] if endpoint[0] is found)
    return found, (str(resolved[0]), int(resolved[1])), tuple(dict.fromkeys(others))


def address_towards(family: socket.AddressFamily, destination: Address) -> str:
    """Return the address of this machine from which packets to a destination leave.

    Raises:
        OSError: there is no way to the destination.
    """
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: the system looks up the route.
        probe.connect(destination)
        return str(probe.getsockname()[0])
