"""The other end of a SIP gateway, and ours."""

import hashlib
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import quote

import msgspec

from dialer.carriers.sip.digest import TrunkAccount
from dialer.carriers.sip.sdp import Codec
from dialer.carriers.sip.wire import Address

METHODS: Final = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE"


class Trunk(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier that takes calls over SIP, and the address at which we are found."""

    server: Address
    """The carrier's address."""
    domain: str
    """The host of the SIP addresses of callers and callees."""
    here: Address
    """Our address as the carrier sees it: the host and port of Via and Contact."""
    credentials: TrunkAccount | None = None
    codecs: tuple[Codec, ...] = (Codec.PCMU, Codec.PCMA)
    registers: bool = False
    networks: tuple[str, ...] = ()
    """IP addresses and networks from which calls come in, besides `server`."""
    session_expires_s: int = 1_800
    """Interval of session timers (RFC 4028); 0: none are asked for."""

    def is_of(self, source: Address) -> bool:
        """Return whether an address, which is an IP address, belongs to the carrier."""
        if source[0] == self.server[0]:
            return True
        return any(ip_address(source[0]) in ip_network(one, strict=False) for one in self.networks)

    @property
    def via(self) -> str:
        """The beginning of our Via headers."""
        return f"SIP/2.0/UDP {self.hostport}"

    @property
    def hostport(self) -> str:
        """Our host and port, as they are written in headers."""
        host, port = self.here
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def contact(self) -> str:
        """The value of our Contact header."""
        user = self.credentials.username if self.credentials else "dialer"
        return f"<sip:{quote(user, safe='')}@{self.hostport}>"

    def named(self, user: str) -> str:
        """Return the SIP address of a number or account at the carrier."""
        return f"sip:{quote(user, safe='+*#')}@{self.domain}"


def mark(*parts: str) -> str:
    """Return the identifier that follows from its parts: a process that begins anew finds the same ones."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=10).hexdigest()
