"""Addresses of the internet protocol: those of the public internet, and those that lead to another one."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_TRANSLATED: Final = tuple(map(ip_network, ("64:ff9b::/96", "::/96")))
"""Networks whose addresses end with an IPv4 address: of translators (NAT64), and of an early IPv6."""


def addresses_within(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses to which an IPv6 address leads."""
    if isinstance(address, IPv4Address):
        return
    if any(address in network for network in _TRANSLATED):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    for inner_address in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if inner_address is not None:
            yield inner_address


def is_public(address: Address) -> bool:
    """Return whether an address, and every one to which it leads, belongs to one host of the public internet.

    Private, shared (RFC 6598), loopback, link-local, multicast, reserved and unspecified addresses do not
    (IANA special-purpose registries).
    """
    return all(one.is_global and not one.is_multicast for one in (address, *addresses_within(address)))
