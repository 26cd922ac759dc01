"""Hosts of carriers over HTTP: those that no gateway may lead to, by their names and by their addresses."""

import ipaddress
import re
from typing import Final

from dialer.domain.formats.network_addresses import Address, addresses_within

_METADATA: Final = frozenset({"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"})
"""Names under which the machines of clouds find their own credentials."""
_METADATA_ADDRESSES: Final = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_NUMERIC: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}\.?", re.IGNORECASE)
"""Spellings that some libraries take for an IPv4 address, such as 2852039166."""


def is_internal(host: str) -> bool:
    """Return whether a host is link-local, or gives a machine of a cloud its credentials, or is an address in disguise.

    Addresses of private networks are not among them: a Kannel runs there.
    """
    bare = host.lower().rstrip(".").partition("%")[0]
    if bare in _METADATA:
        return True
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return _NUMERIC.fullmatch(bare) is not None
    return any(map(_is_internal_address, (address, *addresses_within(address))))


def _is_internal_address(address: Address) -> bool:
    is_odd = address.is_link_local or address.is_multicast or address.is_unspecified
    return is_odd or address in _METADATA_ADDRESSES
