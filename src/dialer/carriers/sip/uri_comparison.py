"""Comparison of SIP URIs by their parts, not by their text (RFC 3261 19.1.4)."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote

from sipmessage import URI

_NEVER_LEFT_OUT: Final = frozenset({"user", "ttl", "method", "maddr", "transport"})
"""Parameters that must be in both URIs, or in none."""


def is_same_uri(one: URI, other: URI) -> bool:
    """Return whether two URIs are equivalent."""
    return _parts(one) == _parts(other) and _have_same_parameters(_parameters(one), _parameters(other))


def _parts(uri: URI) -> tuple[str, str, str, str, int | None]:
    return uri.scheme.lower(), unquote(uri.user or ""), unquote(uri.password or ""), _host(uri.host), uri.port


def _host(host: str) -> str:
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return host.lower()


def _parameters(uri: URI) -> dict[str, str]:
    return {name.lower(): unquote(value or "").lower() for name, value in uri.parameters.items()}


def _have_same_parameters(one: dict[str, str], other: dict[str, str]) -> bool:
    if any(one[name] != other[name] for name in one.keys() & other.keys()):
        return False
    return not (one.keys() ^ other.keys()) & _NEVER_LEFT_OUT
