"""The kinds of carriers among which one chooses, each with a sentence that says for whom it is."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlencode

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.calls.plans import FREESWITCH, HTTP, KANNEL, SIMULATED, SIP, SMPP, SMS, VOICE

CARRIERS: Final[Mapping[str, str]] = {"gateway": VOICE, "sms-gateway": SMS}
"""The medium of each resource of gateways, by its path."""
KINDS: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("gateway", SIP): (
        gettext_noop("SIP trunk"),
        gettext_noop("You have an account at a telephone provider: a server, a user name and a password."),
    ),
    ("gateway", FREESWITCH): (
        gettext_noop("FreeSWITCH"),
        gettext_noop("You run a FreeSWITCH that is connected to your provider already."),
    ),
    ("gateway", SIMULATED): (
        gettext_noop("Simulated calls"),
        gettext_noop("You want to try campaigns first: nobody is called. The balance is charged as for real calls."),
    ),
    ("sms-gateway", HTTP): (
        gettext_noop("HTTP interface"),
        gettext_noop("Your text message provider has a web address (an API) that takes messages."),
    ),
    ("sms-gateway", SMPP): (
        gettext_noop("SMPP"),
        gettext_noop("Your provider has given you an SMPP account: a host, a port, a system ID and a password."),
    ),
    ("sms-gateway", KANNEL): (
        gettext_noop("Kannel"),
        gettext_noop("You run Kannel, and it is connected to your provider already."),
    ),
    ("sms-gateway", SIMULATED): (
        gettext_noop("Simulated text messages"),
        gettext_noop("You want to try campaigns of texts first: nobody gets one."),
    ),
}
"""The title of each kind, and for whom it is, by the path of the resource and the protocol."""


class CarrierKind(NamedTuple):
    """A kind of carrier that an admin can choose for a new gateway."""

    medium: str
    title: str
    about: str
    url: str


def shown_kinds() -> list[CarrierKind]:
    """Return all kinds of carriers, those for calls first."""
    return [
        CarrierKind(
            CARRIERS[path],
            gettext(title),
            gettext(about),
            f"/console/records/{path}/new/?{urlencode({'protocol': protocol})}",
        )
        for (path, protocol), (title, about) in KINDS.items()
    ]


def kind_title(path: str, protocol: str) -> str:
    """Return the title of a kind; the name of the protocol if it is none."""
    return gettext(KINDS[path, protocol][0]) if (path, protocol) in KINDS else protocol
