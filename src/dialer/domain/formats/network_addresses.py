"""Addresses of the internet protocol: those of the public internet, and those that lead to another one."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_TRANSLATED: Final = tuple(map(ip_network, ("64:ff9b::/96", "::/96")))
"""Networks whose addresses end with an IPv4 address: of translators (NAT64), and of an early IPv6."""
_NAT64: Final = ip_network("64:ff9b::/96")
_UNICAST: Final = ip_network("2000::/3")
"""All addresses of IPv6 that are given out for the public internet (IANA, "Internet Protocol Version 6 Address Space").

`64:ff9b:1::/48` (RFC 8215), `::ffff:0:0:0/96` (RFC 2765), `fec0::/10` (RFC 3879), `5f00::/16` (RFC 9602) and
`100:0:0:1::/64` (RFC 9780) lie outside of it.
"""
_SPECIAL_IPV4: Final = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
            *("203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)
"""Networks that are not globally reachable (IANA, "IPv4 Special-Purpose Address Registry"), and multicast."""
_SPECIAL_IPV6: Final = tuple(
    map(ip_network, ("2001:2::/48", "2001:10::/28", "2001:db8::/32", "3fff::/20", "2001::/32", "2002::/16"))
)
"""Such networks within `2000::/3`: benchmarks, ORCHID, documentation (RFC 9637), and tunnels over IPv4.

Tunnels (Teredo, 6to4) lead through relays of others, which RFC 7526 calls deprecated.
"""


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

    Private, shared (RFC 6598), loopback, link-local, multicast, reserved and unspecified addresses do not. Neither do
    those that a translator alone knows. The registries are asked besides Python, because Python's tables differ by its
    version.
    """
    return all(
        one.is_global and not one.is_multicast and not _is_special(one) for one in (address, *addresses_within(address))
    )


def _is_special(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in _SPECIAL_IPV4)
    if address in _NAT64:
        return False  # The IPv4 address in it is checked instead.
    return address not in _UNICAST or any(address in network for network in _SPECIAL_IPV6)
