"""The parameters of a gateway whose protocol is `sip`."""

import ipaddress
import re
from typing import Annotated, Final, Literal

import msgspec

from dialer.carriers.parameters import Parameters, ParametersError, is_address, is_host, read_parameters
from dialer.carriers.sip.digest import TrunkAccount
from dialer.carriers.sip.messages import SIP_PORT
from dialer.carriers.sip.outputs import Address
from dialer.carriers.sip.sdp import Codec
from dialer.carriers.sip.trunk import Trunk

INBOUND_HOSTS_MAX: Final = 32
SOUND_TIMEOUT_S_MIN: Final = 15
"""Three times the time between two reports: a shorter silence is no sign that the other side is gone."""

_SERVER: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::([0-9]{1,5}))?", re.ASCII)
_PORTS: Final = re.compile(r"([0-9]{1,5})-([0-9]{1,5})", re.ASCII)
_PORT_MAX: Final = 65_535
_PORTS_MIN: Final = 1_024
_PRINTABLE: Final = r"\A[!-~]*\Z"

Port = Annotated[int, msgspec.Meta(ge=0, le=_PORT_MAX)]
Word = Annotated[str, msgspec.Meta(max_length=255, pattern=_PRINTABLE)]
Secret = Annotated[str, msgspec.Meta(max_length=255, pattern=r"\A[^\x00-\x1f]*\Z")]
Interval = Annotated[int, msgspec.Meta(ge=0, le=86_400)]


class SipParameters(Parameters, frozen=True, kw_only=True):
    """The way to a carrier over SIP."""

    server: Word
    """Host or address of the carrier, with `:port` if that is not 5060."""
    transport: Literal["udp"] = "udp"
    username: Word = ""
    password: Secret = ""
    """Write-only: it is stored, and never shown."""
    register: bool = False
    """True if the carrier wants to be told where we are (REGISTER)."""
    domain: Word = ""
    """Host of the SIP addresses of callers and callees. Default: the host of `server`."""
    codecs: Annotated[tuple[Codec, ...], msgspec.Meta(min_length=1, max_length=2)] = (Codec.PCMU, Codec.PCMA)
    public_host: Word = ""
    """Our address as the carrier sees it, if it is not the one of this machine."""
    local_port: Port = 0
    """UDP port for SIP on this machine; 0: any."""
    rtp_ports: Word = ""
    """Range of UDP ports for sound, as in `20000-20999`. Default: any."""
    symmetric: bool = True
    """True if sound goes back to where it comes from, as NAT needs it."""
    inbound_hosts: Annotated[tuple[Word, ...], msgspec.Meta(max_length=INBOUND_HOSTS_MAX)] = ()
    """IP addresses and networks such as `192.0.2.0/24` from which calls come in, besides `server`."""
    media_hosts: Annotated[tuple[Word, ...], msgspec.Meta(max_length=INBOUND_HOSTS_MAX)] = ()
    """IP addresses and networks to which sound is sent, besides those of the carrier. Default: all."""
    options: bool = True
    """True if the carrier is asked every half minute whether it is there (OPTIONS)."""
    inband_keys: bool = False
    """True if keys in the sound count, too, although the carrier has agreed on telephone events."""
    sound_timeout: Interval = 60
    """Seconds without any packet of the other side after which an answered call is hung up; 0: never."""
    session_expires: Interval = 1_800
    """Seconds after which a session must be refreshed; 0: never."""

    @property
    def server_address(self) -> Address:
        """Host and port of the carrier."""
        match = _SERVER.fullmatch(self.server)
        if match is None:
            raise ParametersError(f"server {self.server!r} is not a host with an optional port.")
        return match.group(1) or match.group(2), int(match.group(3) or SIP_PORT)

    @property
    def ports(self) -> range | None:
        """The ports for sound; None for any."""
        match = _PORTS.fullmatch(self.rtp_ports)
        return range(int(match.group(1)), int(match.group(2)) + 1) if match else None

    def trunk(self, server: Address, here: Address, others: tuple[str, ...] = ()) -> Trunk:
        """Return the trunk at a resolved address; `here` is our address as the network shows it.

        `others` are the other addresses of its name.
        """
        host = self.server_address[0]
        return Trunk(
            server=server,
            domain=self.domain or (f"[{host}]" if ":" in host else host),
            here=(self.public_host or here[0], here[1]),
            credentials=TrunkAccount(self.username, self.password) if self.username else None,
            codecs=self.codecs,
            registers=self.register,
            networks=(*self.inbound_hosts, *others),
            sound_networks=self.media_hosts,
            asks_options=self.options,
            session_expires_s=self.session_expires,
            machine=here[0],
        )


def read_sip_parameters(parameters: str) -> SipParameters:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    values = read_parameters(parameters, SipParameters)
    _check_hosts(values)
    if values.rtp_ports and (values.ports is None or len(values.ports) < 2 or values.ports.start < _PORTS_MIN):  # noqa: PLR2004 - one call needs two
        raise ParametersError(f"rtp_ports {values.rtp_ports!r} is not a range such as 20000-20999.")
    if values.ports is not None and values.ports.stop > _PORT_MAX + 1:
        raise ParametersError(f"rtp_ports {values.rtp_ports!r} ends after {_PORT_MAX}.")
    if values.register and not values.username:
        raise ParametersError("register needs a username.")
    if 0 < values.session_expires < 90:  # noqa: PLR2004 - RFC 4028, section 5
        raise ParametersError(f"session_expires {values.session_expires} is too short. Use 0, or at least 90.")
    if 0 < values.sound_timeout < SOUND_TIMEOUT_S_MIN:
        raise ParametersError(
            f"sound_timeout {values.sound_timeout} is too short. Use 0, or at least {SOUND_TIMEOUT_S_MIN}."
        )
    return values


def _check_hosts(values: SipParameters) -> None:
    host, port = values.server_address
    if not 0 < port <= _PORT_MAX:
        raise ParametersError(f"server {values.server!r} has a port that does not exist.")
    hosts = {"server": host, "domain": values.domain or host, "public_host": values.public_host or host}
    for name, value in hosts.items():
        if not (is_host(value) or is_address(value.strip("[]"))):
            raise ParametersError(f"{name} {value!r} is not a host name or an IP address.")
    for name, networks in {"inbound_hosts": values.inbound_hosts, "media_hosts": values.media_hosts}.items():
        for network in networks:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise ParametersError(f"{name} {network!r} is no IP address or network.") from None
    if values.public_host and not is_address(values.public_host.strip("[]")):
        raise ParametersError(f"public_host {values.public_host!r} is not an IP address.")
