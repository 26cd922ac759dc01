"""The addresses of this machine. A request to one of them passes the firewalls that keep others out."""

import socket
from ipaddress import IPv6Address
from typing import Final

from dialer.domain.formats.network_addresses import Address

_DISCARD: Final = 9
"""A port for a socket that sends nothing."""
_OF_NOBODY: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of documentation (RFC 5737, RFC 3849), which no machine has."""


def is_of_this_machine(address: Address) -> bool:
    """Return whether an address belongs to this machine, as its kernel says at this moment. Nothing is sent."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    return _is_own_source(family, str(address)) or (
        _can_bind(family, str(address)) and not _can_bind(family, _OF_NOBODY[family])
    )


def _is_own_source(family: socket.AddressFamily, address: str) -> bool:
    """Return whether packets to an address would come from the same address: so the kernel routes to itself."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _DISCARD))
            return str(probe.getsockname()[0]) == address
    except OSError:
        return False


def _can_bind(family: socket.AddressFamily, address: str) -> bool:
    """Return whether a socket can have an address. Some machines are set up so that it can have any."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
