"""The parameters of a gateway whose protocol is `freeswitch`."""

import ipaddress
import re
from typing import Annotated, Final, Literal

import msgspec

from dialer.carriers.parameters import Parameters, ParametersError, is_host, read_parameters, words

DEFAULT_PASSWORD: Final = "ClueCon"  # noqa: S105 - everybody knows it, so it is refused
"""The password with which FreeSWITCH is shipped."""
NUMBER: Final = "{number}"
VARIABLES_MAX: Final = 50
VARIABLES: Final = frozenset(
    {
        "absolute_codec_string",
        "accountcode",
        "bridge_generate_comfort_noise",
        "codec_string",
        "dtmf_type",
        "ignore_display_updates",
        "jitterbuffer_msec",
        "media_mix_inbound_outbound_codecs",
        "privacy",
        "rtp_hold_timeout_sec",
        "rtp_jitter_buffer_during_bridge",
        "rtp_jitter_buffer_plc",
        "rtp_negotiate_near_match",
        "rtp_secure_media",
        "rtp_secure_media_inbound",
        "rtp_secure_media_outbound",
        "rtp_timeout_sec",
        "send_silence_when_idle",
        "sip_cid_type",
        "sip_contact_user",
        "sip_from_display",
        "sip_from_host",
        "sip_invite_domain",
        "sip_renegotiate_codec_on_hold",
        "sip_sticky_contact",
        "suppress_cng",
        "verbose_sdp",
    }
)
"""The channel variables that a gateway may set.

Many others make the switch do something, as `execute_on_media` and `api_hangup_hook` run commands on its machine.
"""
HEADER: Final = "sip_h_"
"""The beginning of the variables that become SIP headers of the INVITE."""

_DIAL_STRING: Final = re.compile(r"[0-9A-Za-z_./:;=@+*#%~-]+", re.ASCII)
_PATH: Final = re.compile(r"/[0-9A-Za-z_./+-]*", re.ASCII)
_SOUND: Final = re.compile(r"[0-9A-Za-z_./:+=-]+", re.ASCII)
_HEADER: Final = re.compile(rf"{HEADER}[A-Za-z][0-9A-Za-z_-]{{0,63}}", re.ASCII)
_VALUE: Final = re.compile(r"[0-9A-Za-z_./:;@+*#%~-]*", re.ASCII)

Text = Annotated[str, msgspec.Meta(max_length=255)]
Secret = Annotated[str, msgspec.Meta(min_length=1, max_length=255, pattern=r"\A[!-~]+\Z")]
Port = Annotated[int, msgspec.Meta(ge=1, le=65_535)]


class FreeSwitchParameters(Parameters, frozen=True, kw_only=True):
    """The parameters of a FreeSWITCH gateway: the event socket, the dial string, and the sound."""

    host: Annotated[
        str,
        msgspec.Meta(min_length=1, max_length=253),
        words("Server", "Host name or address of the machine on which FreeSWITCH runs.", is_main=True),
    ] = "127.0.0.1"
    """Host or address of the event socket."""
    port: Annotated[
        Port, words("Port", "Port of its event socket: listen-port in event_socket.conf.xml.", is_main=True)
    ] = 8021
    password: Annotated[
        Secret, words("Password", "Password of its event socket, from event_socket.conf.xml.", is_secret=True)
    ]
    """Write-only: it is stored, and never shown."""
    dial_string: Annotated[
        Text,
        words(
            "Dial string",
            "The way to a number, as in the command originate. {number} stands where the number belongs.",
            example="sofia/gateway/trunk/{number}",
        ),
    ]
    media_path: Annotated[
        Text,
        words(
            "Media folder",
            "The folder in which FreeSWITCH finds the recordings of this program. Empty: under the same path.",
            example="/var/lib/dialer/media",
        ),
    ] = ""
    amd: Annotated[
        Literal["silence", "none"],
        words(
            "Answering machines",
            choices={"silence": "Tell them by the silence after the answer", "none": "Do not tell them from people"},
        ),
    ] = "silence"
    hold_music: Annotated[
        Text, words("Music on hold", "A file or a stream of FreeSWITCH.", example="local_stream://moh")
    ] = "local_stream://moh"
    variables: Annotated[
        dict[str, str],
        msgspec.Meta(max_length=VARIABLES_MAX),
        words(
            "Channel variables",
            "Variables of each call, one a line: name, colon, value.",
            example="absolute_codec_string: PCMA",
        ),
    ] = msgspec.field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """True if the event socket is on this machine, where its password crosses no network."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_freeswitch_parameters(parameters: str) -> FreeSwitchParameters:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    values = read_parameters(parameters, FreeSwitchParameters)
    if not is_host(values.host):
        raise ParametersError(f"host {values.host!r} is not a host name or an IP address.")
    if values.password == DEFAULT_PASSWORD and not values.is_local:
        raise ParametersError(
            f"password is the one with which FreeSWITCH is shipped, and {values.host} is another machine. "
            "Change it there and here."
        )
    if values.dial_string.count(NUMBER) != 1 or not _DIAL_STRING.fullmatch(values.dial_string.replace(NUMBER, "1")):
        raise ParametersError(
            f"dial_string {values.dial_string!r} is not a way to one number, such as sofia/gateway/trunk/{NUMBER}."
        )
    if values.media_path and not is_path(values.media_path):
        raise ParametersError(f"media_path {values.media_path!r} is not an absolute path of letters, digits and _./+-.")
    if not _SOUND.fullmatch(values.hold_music):
        raise ParametersError(f"hold_music {values.hold_music!r} is not a file or a stream of the switch.")
    _check_variables(values.variables)
    return values


def is_path(folder: str) -> bool:
    """Return whether the path of a folder can be put into a command: absolute, without blanks."""
    return _PATH.fullmatch(folder) is not None


def _check_variables(variables: dict[str, str]) -> None:
    for name, value in variables.items():
        if name not in VARIABLES and not _HEADER.fullmatch(name):
            raise ParametersError(
                f"variables: {name[:64]!r} may not be set here. Allowed are headers such as {HEADER}X-Account, and "
                f"{', '.join(sorted(VARIABLES))}. Set others in the switch, as in the gateway of its Sofia profile."
            )
        if not _VALUE.fullmatch(value):
            raise ParametersError(f"variables: the value of {name} may hold letters, digits and _./:;@+*#%~- only.")
