"""UDP sockets, and the addresses of hosts."""

import asyncio
import socket
from typing import Final

from dialer.carriers.sip.flows import Address

PORT_TRIES_MAX: Final = 200
RECEIVE_BUFFER_BYTES: Final = 1 << 20
SERVICE_TYPE: Final = 0xB8
"""Expedited forwarding (RFC 4594): sound goes before other traffic where networks care."""


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
    try:
        endpoints = await asyncio.get_running_loop().getaddrinfo(*address, type=socket.SOCK_DGRAM)
    except UnicodeError:
        raise OSError(f"{address[0]!r} is no host name") from None
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
