"""The other end of a SIP gateway, and ours."""

import hashlib
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import quote

import msgspec

from dialer.carriers.sip.caller_headers import CallerHeaders
from dialer.carriers.sip.flows import UDP, Address, Flow
from dialer.carriers.sip.sdp import Codec

METHODS: Final = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE"
SUPPORTED: Final = frozenset({"timer"})
"""The extensions that we understand."""


class TrunkAccount(msgspec.Struct, frozen=True):
    """The name and the password of an account at the carrier."""

    username: str
    password: str


class Trunk(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier that takes calls over SIP, and the address at which we are found."""

    server: Flow
    """The flow to the carrier."""
    domain: str
    """The host of the SIP addresses of callers and callees."""
    here: Address
    """Our address as the carrier sees it: the host and port of Via and Contact."""
    credentials: TrunkAccount | None = None
    codecs: tuple[Codec, ...] = (Codec.PCMU, Codec.PCMA)
    registers: bool = False
    networks: tuple[str, ...] = ()
    """IP addresses and networks that belong to the carrier, besides `server`."""
    sound_networks: tuple[str, ...] = ()
    """IP addresses and networks at which the carrier's sound is, besides its own; empty for all."""
    asks_options: bool = True
    """True to ask regularly whether the carrier is there."""
    session_expires_s: int = 1_800
    """Interval of session timers (RFC 4028); 0: none are asked for."""
    caller: CallerHeaders = CallerHeaders()
    machine: str = ""
    """The IP address of this machine on the way to the carrier, whatever the carrier sees."""

    def is_of(self, source: Address) -> bool:
        """Return whether an address, which is an IP address, belongs to the carrier."""
        return source[0] == self.server.address[0] or is_within(source[0], self.networks)

    def is_end_of(self, flow: Flow) -> bool:
        """Return whether the other end of a flow is the carrier."""
        return self.is_of(flow.address)

    def may_sound_be_at(self, host: str) -> bool:
        """Return whether sound may be sent to an IP address: to one host, and not to this machine or to many.

        The carrier's own addresses are always right, and those that are listed: a carrier may be on this machine.
        """
        if ip_address(host).version != ip_address(self.server.address[0]).version:
            # The sockets are those of the carrier's kind of addresses.
            return False
        if is_within(host, self.sound_networks):
            return True
        return self.may_send_to(host) and (not self.sound_networks or self.is_of((host, 0)))

    def may_send_to(self, host: str) -> bool:
        """Return whether messages may be sent to an IP address: the carrier's, or that of one other machine."""
        return self.is_of((host, 0)) or (is_single_machine(host) and host != self.machine)

    def may_use(self, flow: Flow) -> bool:
        """Return whether messages may be sent on a flow: not to ourselves, nor over another network or transport.

        The socket is of the carrier's kind of addresses. All connections are the carrier's.
        """
        if flow.transport is not self.server.transport:
            return False
        if flow.transport is not UDP:
            return True
        host, _ = flow.address
        is_of_kind = ip_address(host).version == ip_address(self.server.address[0]).version
        return is_of_kind and flow.address != self.here and self.may_send_to(host)

    @property
    def via(self) -> str:
        """The beginning of our Via headers. Of connections, it asks for requests by the same one (RFC 5923)."""
        sender = f"SIP/2.0/{self.server.transport.name} {self.hostport}"
        return sender if self.server.transport is UDP else f"{sender};alias"

    @property
    def hostport(self) -> str:
        """Our host and port, as they are written in headers."""
        host, port = self.here
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def contact(self) -> str:
        """The value of our Contact header."""
        user = self.credentials.username if self.credentials else "dialer"
        way = "" if self.server.transport is UDP else f";transport={self.server.transport.value}"
        return f"<sip:{quote(user, safe='')}@{self.hostport}{way}>"

    def named(self, user: str) -> str:
        """Return the SIP address of a number or account at the carrier."""
        return f"sip:{quote(user, safe='+*#')}@{self.domain}"


def is_single_machine(host: str) -> bool:
    """Return whether an IP address is one that a machine can have for others: not a loopback, nor that of a group."""
    address = _address(host)
    is_local = address.is_loopback or address.is_unspecified or address.is_link_local
    return not (is_local or address.is_multicast or address.is_reserved)


def is_within(host: str, networks: tuple[str, ...]) -> bool:
    """Return whether a host is an IP address in one of the networks."""
    try:
        address = ip_address(host) if networks else None
    except ValueError:
        return False
    return address is not None and any(address in network for network in _parsed(networks))


@lru_cache(maxsize=256)
def _parsed(networks: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(network, strict=False) for network in networks)


def _address(host: str) -> IPv4Address | IPv6Address:
    """Return an IP address, the one of IPv4 if it is one in the form of IPv6."""
    address = ip_address(host)
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def mark(*parts: str) -> str:
    """Return the identifier that follows from its parts: a process that begins anew finds the same ones."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=10).hexdigest()
