"""The name that a request is for: there is one (RFC 9112, 3.2), and it is a name of the service.

A service whose `base_url` is set knows its names. A foreign name that leads to its address is an attempt to let a
browser take it for a part of a foreign site. Addresses, and names without a dot, cannot be used for that.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import structlog
from litestar.types import Scope

from dialer.resources.words.headers import header

OPEN_PATHS: Final = ("/health/", "/metrics")
"""Paths that a monitor on the same network asks for under any name."""
HOST_SHOWN_MAX: Final = 100
"""Characters of a wrong host that an error repeats."""
NAMES_TOLD_MAX: Final = 20
"""Refused names that get a line in the log, each at its first request."""
NAMES_KEPT_MAX: Final = 256
"""Names of requests that are kept as they were read."""
_NO_HOST: Final = "The request has no Host header. Send one."
_TWO_HOSTS: Final = "The request has several Host headers. Send one."
_OLD: Final = "HTTP/0.9 is not supported. Use HTTP/1.1."
_CHUNKS: Final = "HTTP/1.0 has no Transfer-Encoding. Send a Content-Length, or use HTTP/1.1."


class OwnNames:
    """The names under which a service answers; without a `base_url`, it answers under every one."""

    def __init__(self, base_url: str | None, others: Iterable[str]) -> None:
        self._own: Final = None if base_url is None else _plain(str(urlsplit(base_url).hostname))
        self._names: Final = frozenset() if self._own is None else frozenset({self._own, *map(_plain, others)})
        self._told: Final[set[str]] = set()
        """The refused names that are in the log."""

    def problem(self, scope: Scope) -> str | None:
        """Return the reason to refuse a request because of its Host header; None for an allowed host."""
        hosts: list[str] = []
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value.decode("latin-1"))
        version = scope["http_version"]
        if version == "0.9":
            return _OLD
        if version == "1.0" and header(scope, b"transfer-encoding") is not None:
            return _CHUNKS
        if len(hosts) != 1:
            return _TWO_HOSTS if hosts else {"1.0": None}.get(version, _NO_HOST)
        return self._foreign(scope["path"], hosts[0]) if self._names else None

    def _foreign(self, path: str, host: str) -> str | None:
        """Return the reason for which a name is refused, or None."""
        if path.startswith(OPEN_PATHS) or self._is_own(host):
            return None
        shown = host[:HOST_SHOWN_MAX]
        detail = f"{shown!r} is not a name of this service. Use {self._own}, or add the name to DIALER_OTHER_HOSTS."
        name = (host_name(host) or "")[:HOST_SHOWN_MAX]
        if name not in self._told and len(self._told) < NAMES_TOLD_MAX:
            self._told.add(name)
            structlog.get_logger(__name__).warning("host_refused", host=shown, detail=detail)
        return detail

    def _is_own(self, host: str) -> bool:
        name = host_name(host)
        return name is not None and (name in self._names or _is_harmless(name))


@lru_cache(maxsize=NAMES_KEPT_MAX)
def host_name(authority: str) -> str | None:
    """Return the name in a host with or without a port, in lower case; None if it is malformed."""
    if any(character in authority for character in "/?#@\\"):
        return None
    try:
        name = urlsplit(f"//{authority}").hostname
    except ValueError:
        return None
    return None if name is None else _plain(name)


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")


def _is_harmless(name: str) -> bool:
    """Return whether no other site can have a name: an address, or a name without a dot."""
    try:
        ip_address(name)
    except ValueError:
        return "." not in name
    return True
