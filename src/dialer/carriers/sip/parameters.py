"""The parameters of a gateway whose protocol is `sip`."""

import ipaddress
import re
from typing import Annotated, Final, Literal

import msgspec

from dialer.carriers.parameters import Parameters, ParametersError, is_address, is_host, read_parameters, words
from dialer.carriers.sip.caller_headers import CallerHeaders, problem_with
from dialer.carriers.sip.flows import SIP_PORT, SIPS_PORT, Address, Flow, Transport
from dialer.carriers.sip.sdp import Codec
from dialer.carriers.sip.trunk import Trunk, TrunkAccount

INBOUND_HOSTS_MAX: Final = 32
SOUND_TIMEOUT_S_MIN: Final = 15
"""Three times the time between two reports: a shorter silence is no sign that the other side is gone."""

_SERVER: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::([0-9]{1,5}))?", re.ASCII)
_PORTS: Final = re.compile(r"([0-9]{1,5})-([0-9]{1,5})", re.ASCII)
_URL: Final = re.compile(r"https?://[0-9A-Za-z._~:@\[\]-]{1,255}(?:/[!-~]*)?", re.ASCII)
_PORT_MAX: Final = 65_535
_PORTS_MIN: Final = 1_024
_PRINTABLE: Final = r"\A[!-~]*\Z"

Port = Annotated[int, msgspec.Meta(ge=0, le=_PORT_MAX)]
Word = Annotated[str, msgspec.Meta(max_length=255, pattern=_PRINTABLE)]
Secret = Annotated[str, msgspec.Meta(max_length=255, pattern=r"\A[^\x00-\x1f]*\Z")]
Number = Annotated[str, msgspec.Meta(max_length=32, pattern=r"\A(?:\+?[0-9]{1,31})?\Z")]
Path = Annotated[str, msgspec.Meta(max_length=1_024, pattern=r"\A[^\x00-\x1f]*\Z")]
Interval = Annotated[int, msgspec.Meta(ge=0, le=86_400)]


class SipParameters(Parameters, frozen=True, kw_only=True):
    """The way to a carrier over SIP."""

    server: Annotated[
        Word,
        words(
            "Server",
            "Host name or address of the carrier, with “:port” at its end if the port is not 5060, or 5061 over TLS."
            " Your provider may call it SIP server, registrar, host or outbound proxy.",
            example="sip.carrier.example",
        ),
    ]
    username: Annotated[
        Word,
        words(
            "User name",
            "Your provider may call it authentication ID, SIP user or account. Empty: the carrier knows you by your IP"
            " address.",
            example="anna",
            is_main=True,
        ),
    ] = ""
    password: Annotated[Secret, words("Password", is_main=True, is_secret=True)] = ""
    """Write-only: it is stored, and never shown."""
    register: Annotated[
        bool,
        words(
            "Register at the carrier",
            "Tick it if your provider says that registration is required. Then the carrier knows where to send calls"
            " that come in.",
            is_main=True,
        ),
    ] = False
    """True if the carrier wants to be told where we are (REGISTER)."""
    domain: Annotated[
        Word,
        words(
            "Domain",
            "Only if the carrier has given you one that differs from the server. It may be called realm.",
            example="carrier.example",
        ),
    ] = ""
    """Host of the SIP addresses of callers and callees. Default: the host of `server`."""
    transport: Annotated[
        Literal["udp", "tcp", "tls"],
        words(
            "Transport",
            "UDP is what carriers offer first. Over TLS, nobody on the way reads who calls whom.",
            choices={"udp": "UDP", "tcp": "TCP", "tls": "TLS"},
        ),
    ] = "udp"
    srtp: Annotated[
        Literal["", "required", "offered", "off"],
        words(
            "Encrypted sound (SRTP)",
            "Its keys stand in the messages, so over UDP and TCP it protects from nobody who reads these.",
            choices={
                "": "As the transport: required over TLS, otherwise off",
                "required": "Required: no call without",
                "offered": "Offered: calls without it, where the other side has none",
                "off": "Off",
            },
        ),
    ] = ""
    """Default: `required` over TLS, else `off`."""
    ca_file: Annotated[
        Path,
        words(
            "Authority of the carrier (TLS)",
            "A PEM file on the machine of the worker, if the authority that signed the carrier's certificate is not"
            " one that the system knows.",
            example="/etc/dialer/ca.pem",
        ),
    ] = ""
    certificate: Annotated[
        Path,
        words(
            "Our certificate (TLS)",
            "A PEM file on the machine of the worker, if the carrier knows you by a certificate.",
            example="/etc/dialer/us.pem",
        ),
    ] = ""
    key: Annotated[
        Path,
        words(
            "Key of our certificate (TLS)",
            "A PEM file on the machine of the worker. The key itself is never stored here.",
            example="/etc/dialer/us.key",
        ),
    ] = ""
    server_name: Annotated[
        Word,
        words(
            "Name in the carrier's certificate (TLS)",
            "Only if it differs from the domain and the server.",
            example="carrier.example",
        ),
    ] = ""
    """Default: `domain`, else the host of `server`."""
    privacy: Annotated[
        bool,
        words(
            "Withhold the caller ID",
            "The carrier is told the number, and asked not to show it to the callee. Many countries forbid it for"
            " advertising.",
        ),
    ] = False
    asserted_identity: Annotated[
        Number,
        words(
            "Number that the carrier knows",
            "Sent as P-Asserted-Identity, if your provider wants the main number of your line there. Empty: the caller"
            " ID.",
            example="+12025550100",
        ),
    ] = ""
    diversion: Annotated[
        Number,
        words(
            "Diverting number",
            "Sent as Diversion, if your provider wants one of its own numbers there before it shows another caller ID.",
            example="+12025550100",
        ),
    ] = ""
    headers: Annotated[
        dict[str, str],
        words(
            "Further headers",
            "Sent with each call, if your provider asks for some. Their names begin with X-.",
            example="X-Account: 4711",
        ),
    ] = msgspec.field(default_factory=dict)
    identity_url: Annotated[
        Word,
        words(
            "Signing service (STIR/SHAKEN)",
            "Asked for a signature of the caller ID before each call, by the API of ATIS-1000082. Empty: no call is"
            " signed here. Your provider may sign by itself.",
            example="https://sign.example/stir/v1/signing",
        ),
    ] = ""
    identity_attest: Annotated[
        Literal["A", "B", "C"],
        words(
            "What is attested",
            "What you know of the caller ID.",
            choices={
                "A": "A: the customer is known, and may use the caller ID",
                "B": "B: the customer is known",
                "C": "C: neither",
            },
        ),
    ] = "A"
    identity_required: Annotated[
        bool,
        words(
            "No call without a signature",
            "If the service has not answered within 0.3 seconds, the call ends. Otherwise it goes on without.",
        ),
    ] = False
    codecs: Annotated[
        tuple[Codec, ...],
        msgspec.Meta(min_length=1, max_length=2),
        words(
            "Codecs",
            "The forms of sound that are offered, the preferred one first. PCMU is usual in North America,"
            " PCMA elsewhere. Carriers call them G.711 µ-law and A-law.",
        ),
    ] = (Codec.PCMU, Codec.PCMA)
    options: Annotated[
        bool,
        words(
            "Ask whether the carrier is there",
            "Sends OPTIONS every half minute. Without an answer, the line counts as down.",
        ),
    ] = True
    """True if the carrier is asked every half minute whether it is there (OPTIONS)."""
    inbound_hosts: Annotated[
        tuple[Word, ...],
        msgspec.Meta(max_length=INBOUND_HOSTS_MAX),
        words(
            "Further addresses of the carrier",
            "IP addresses or networks from which its calls come in, beside the server. One a line.",
            example="192.0.2.0/24",
        ),
    ] = ()
    media_hosts: Annotated[
        tuple[Word, ...],
        msgspec.Meta(max_length=INBOUND_HOSTS_MAX),
        words(
            "Addresses of sound",
            "IP addresses or networks to which sound may be sent, beside those of the carrier. One a line. Empty: any.",
            example="198.51.100.0/24",
        ),
    ] = ()
    public_host: Annotated[
        Word,
        words(
            "Our public address",
            "The IP address at which the carrier reaches this machine, if it stands behind NAT. Empty: its own.",
            example="203.0.113.7",
        ),
    ] = ""
    local_port: Annotated[
        Port, words("Local port", "Port for SIP on this machine. 0: any that is free.", example="5060")
    ] = 0
    rtp_ports: Annotated[
        Word,
        words(
            "Ports for sound", "Range of UDP ports that your firewall lets through. Empty: any.", example="20000-20999"
        ),
    ] = ""
    symmetric: Annotated[bool, words("Send sound to where it comes from", "Telephones behind NAT need it.")] = True
    inband_keys: Annotated[
        bool,
        words(
            "Hear keys in the sound, too",
            "Tick it if keys that callees press are lost, although the carrier has agreed on telephone events.",
        ),
    ] = False
    sound_timeout: Annotated[
        Interval,
        words(
            "Hang up after silence of the line",
            "An answered call without any packet of the other side for so long is hung up. 0: never; else at least 15.",
            unit="seconds",
        ),
    ] = 60
    session_expires: Annotated[
        Interval,
        words(
            "Refresh calls after",
            "Long calls are refreshed, so that both sides know that the other one is there. 0: never; else at least"
            " 90.",
            unit="seconds",
        ),
    ] = 1_800

    @property
    def kind(self) -> Transport:
        """The transport of messages."""
        return Transport(self.transport)

    @property
    def encryption(self) -> str:
        """The encryption of sound: `required`, `offered` or `off`."""
        return self.srtp or ("required" if self.kind is Transport.TLS else "off")

    @property
    def usual_port(self) -> int:
        """The port of the carrier if `server` names none."""
        return SIPS_PORT if self.kind is Transport.TLS else SIP_PORT

    @property
    def certificate_name(self) -> str:
        """The name for which the carrier's certificate must be: a host name or an IP address."""
        return (self.server_name or self.domain or self.server_address[0]).strip("[]")

    @property
    def server_address(self) -> Address:
        """Host and port of the carrier."""
        match = _SERVER.fullmatch(self.server)
        if match is None:
            raise ParametersError(f"server {self.server!r} is not a host with an optional port.")
        return match.group(1) or match.group(2), int(match.group(3) or self.usual_port)

    @property
    def domain_to_find(self) -> str:
        """The domain whose servers are found by its NAPTR and SRV records; empty if `server` names the very place.

        That is an address, a port, or a name of the own network, without a dot.
        """
        match = _SERVER.fullmatch(self.server)
        host = "" if match is None or match.group(3) else (match.group(2) or "").rstrip(".").lower()
        return host if "." in host and not is_address(host) else ""

    @property
    def ports(self) -> range | None:
        """The ports for sound; None for any."""
        match = _PORTS.fullmatch(self.rtp_ports)
        return range(int(match.group(1)), int(match.group(2)) + 1) if match else None

    def trunk(self, server: Flow, here: Address, others: tuple[str, ...] = ()) -> Trunk:
        """Return the trunk at the other end of a flow; `here` is our address as the network shows it.

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
            caller=CallerHeaders(self.privacy, self.asserted_identity, self.diversion, tuple(self.headers.items())),
            machine=here[0],
        )


def read_sip_parameters(parameters: str) -> SipParameters:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    values = read_parameters(parameters, SipParameters)
    _check_hosts(values)
    if problem := problem_with(values.headers):
        raise ParametersError(problem)
    if values.identity_url and not _URL.fullmatch(values.identity_url):
        raise ParametersError(f"identity_url {values.identity_url!r} is not an http or https URL.")
    if values.identity_required and not values.identity_url:
        raise ParametersError("identity_required needs an identity_url.")
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
    hosts = {
        "server": host,
        "domain": values.domain or host,
        "public_host": values.public_host or host,
        "server_name": values.server_name or host,
    }
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
