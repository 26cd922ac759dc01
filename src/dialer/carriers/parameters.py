"""Parameters of gateways: a JSON text that users write, as a struct for each protocol."""

import re
from ipaddress import ip_address
from typing import Any, Final, TypeVar

import msgspec

HOST_LENGTH_MAX: Final = 253
_HOST: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?", re.ASCII)


class ParametersError(ValueError):
    """The parameters of a gateway are wrong. The message is for the person who set them."""


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The way to a carrier."""

    simulated: dict[str, Any] = {}
    """The behaviour of the callees in forecasts."""


_Kind = TypeVar("_Kind", bound=Parameters)


def read_parameters(text: str, kind: type[_Kind]) -> _Kind:
    """Return the parameters in a JSON text.

    Raises:
        ParametersError: one is missing, unknown or wrong.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ParametersError(f"{error}.".replace("..", ".")) from None


def is_host(text: str) -> bool:
    """Return whether a text is a host name or an IP address."""
    return len(text) <= HOST_LENGTH_MAX and (is_address(text) or _HOST.fullmatch(text) is not None)


def is_address(text: str) -> bool:
    """Return whether a text is an IP address, and needs no name server."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
