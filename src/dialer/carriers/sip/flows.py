"""Flows: the ways by which SIP messages reach the other side, and the next hops from which they follow."""

from enum import Enum
from typing import Final, TypeAlias

import msgspec

SIP_PORT: Final = 5_060
"""The port of SIP where none is named."""
SIPS_PORT: Final = 5_061
"""The port of SIP over TLS where none is named."""

Address: TypeAlias = tuple[str, int]
"""A host and a port."""


class Transport(Enum):
    """The transport protocols for SIP messages, such as UDP."""

    UDP = "udp"
    TCP = "tcp"
    TLS = "tls"


UDP: Final = Transport.UDP
"""The only transport that loses messages, so that they are repeated. The others have connections."""


class Flow(msgspec.Struct, frozen=True):
    """A way to one other side, and back: what it sends comes by the same flow.

    Of a connection, it also names the next one to the same place: that continues what the lost one began.
    """

    address: Address
    """The IP address and the port of the other side."""
    transport: Transport = UDP


class NextHop(msgspec.Struct, frozen=True):
    """The place to which a URI leads. Its host may be a name."""

    address: Address
    transport: Transport = UDP


Target: TypeAlias = Flow | NextHop
"""The aim of a message: a flow that is known, or a place to which a flow is to be found."""
