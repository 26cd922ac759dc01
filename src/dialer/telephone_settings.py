"""The settings of agents' telephones in browsers."""

import re
from functools import partial
from ipaddress import ip_address
from typing import Final

from dialer.settings_values import Setting, read_whole

PORT_MAX: Final = 65_535
_NAME: Final = re.compile(r"(?i)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,9}\Z")


def _read_host(text: str) -> str:
    """Return an IP address or a host name.

    Raises:
        ValueError: the text holds none.
    """
    if _NAME.match(text) and not text.replace(".", "").isdigit():
        return text.lower()
    return str(ip_address(text))


TELEPHONE_SETTINGS: Final = (
    Setting(
        variable="DIALER_TELEPHONE_PORT",
        field="telephone_port",
        default="unset",
        meaning="the UDP port of agents' telephones in browsers; unset: there are none",
        may_hold=f"a whole number from 1 to {PORT_MAX}",
        read=partial(read_whole, least=1, most=PORT_MAX),
    ),
    Setting(
        variable="DIALER_PUBLIC_HOST",
        field="public_host",
        default="the machine's own address",
        meaning="the address of that port, as browsers reach it",
        may_hold="an IP address or a host name",
        read=_read_host,
    ),
)
"""The variables of telephones in browsers, in the order of the help."""
