"""The records of a domain that say where its SIP servers are: NAPTR and SRV (RFC 3263 4)."""

from collections.abc import Sequence
from typing import Final

import msgspec

from dialer.carriers.sip.flows import Transport

SERVICES_MAX: Final = 2
"""Services of NAPTR records that are looked up, the preferred one first."""
TARGETS_MAX: Final = 8
"""Targets of SRV records that are used, those of the first priorities."""
_PREFIXES: Final = {Transport.UDP: "_sip._udp", Transport.TCP: "_sip._tcp", Transport.TLS: "_sips._tcp"}
_SERVICES: Final = {"SIP+D2U": Transport.UDP, "SIP+D2T": Transport.TCP, "SIPS+D2T": Transport.TLS}


class Naptr(msgspec.Struct, frozen=True):
    """A NAPTR record: the name of a service's SRV records."""

    order: int
    preference: int
    flags: str
    service: str
    replacement: str

    @property
    def transport(self) -> Transport | None:
        """The transport of its service; None if it is no service of SIP that we speak, or names no SRV records."""
        return _SERVICES.get(self.service.upper()) if self.flags.upper() == "S" and self.replacement else None


class Srv(msgspec.Struct, frozen=True):
    """An SRV record: a server. An empty `target` means that there is none."""

    priority: int
    weight: int
    port: int
    target: str


def service_name(domain: str, transport: Transport) -> str:
    """Return the usual name of the SRV records of a domain, such as `_sips._tcp.carrier.example`."""
    return f"{_PREFIXES[transport]}.{domain}"


def services_for(records: Sequence[Naptr], transport: Transport) -> list[str]:
    """Return the names of SRV records for a transport, the preferred one first."""
    ordered = sorted(records, key=lambda one: (one.order, one.preference))
    names = dict.fromkeys(one.replacement for one in ordered if one.transport is transport)
    return list(names)[:SERVICES_MAX]


def transports_in(records: Sequence[Naptr]) -> list[Transport]:
    """Return the transports that a domain offers, the preferred one first."""
    ordered = sorted(records, key=lambda one: (one.order, one.preference))
    return list(dict.fromkeys(one.transport for one in ordered if one.transport is not None))


def first_targets(records: Sequence[Srv]) -> list[Srv]:
    """Return the servers of SRV records that are used, by priority and weight. Those without a place are left out."""
    servers = {one for one in records if one.target and one.port}
    return sorted(servers, key=lambda one: (one.priority, -one.weight, one.target, one.port))[:TARGETS_MAX]
