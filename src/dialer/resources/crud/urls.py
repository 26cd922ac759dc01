"""URLs in answers, and URLs that requests send back."""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from litestar.connection import ASGIConnection

from dialer.resources.words.errors import RecordNotFoundError
from dialer.resources.words.headers import header

ID_MAX: Final = 2**63 - 1
PREFIX: Final = "/rest-api"
URL_PATHS: Final = {"dnc-list": "dnc"}
"""The paths of records in URLs, if they differ from the path of the resource. The resource answers under both."""
LINKS_KEPT_MAX: Final = 256
"""Addresses of the service whose links are kept in a cache; clients use only a few."""

_PATHS: Final = {shown: path for path, shown in URL_PATHS.items()}
_ID: Final = re.compile(r"0*[1-9][0-9]{0,18}\Z", re.ASCII)
_RECORD: Final = re.compile(rf"{PREFIX}/([a-z-]{{1,40}})/([0-9]{{1,40}})/?\Z", re.ASCII)
_HOST: Final = re.compile(
    r"[A-Za-z0-9._\-]{1,253}(:[0-9]{1,5})?\Z|\[(?P<ipv6>[0-9A-Fa-f:.]{2,45})\](:[0-9]{1,5})?\Z", re.ASCII
)


def parse_id(text: str) -> int | None:
    """Return the id in `text`, 1 to 2^63-1 in ASCII digits; None if the text is not an id."""
    if not _ID.match(text):
        return None
    number = int(text)
    return number if number <= ID_MAX else None


def identity_in(text: str) -> int:
    """Return the id in the path of a request.

    Raises:
        RecordNotFoundError: the text is no id.
    """
    identity = parse_id(text)
    if identity is None:
        raise RecordNotFoundError
    return identity


class Links(msgspec.Struct, frozen=True):
    """The address of the service as the caller of one request knows it.

    `base` is the scheme and the host, and the path if the service lives under one, without a slash at the end. `hosts`
    are the host names that a reference may have.
    """

    base: str
    hosts: frozenset[str]

    def collection(self, path: str) -> str:
        """Return the absolute URL of a list."""
        return f"{self.base}{PREFIX}/{path}/"

    def collections(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the absolute URLs of many lists, by their paths."""
        begin = f"{self.base}{PREFIX}/"
        return {path: f"{begin}{path}/" for path in paths}

    def record(self, path: str, record_id: int) -> str:
        """Return the absolute URL of a record of the resource at `path`."""
        return f"{self.records(path)}{record_id}/"

    def records(self, path: str) -> str:
        """Return the common start of the URLs of all records at `path`; an id and a slash follow it."""
        return f"{self.base}{PREFIX}/{URL_PATHS.get(path, path)}/"

    def id_in(self, reference: str, path: str) -> int | None:
        """Return the id of the record at `path` that a relative or absolute URL of this service names; else None."""
        match = _RECORD.match(self._own_path(reference))
        if match is None or _PATHS.get(match[1], match[1]) != path:
            return None
        return parse_id(match[2])

    def _own_path(self, reference: str) -> str:
        if reference.startswith("/"):
            return reference
        try:
            url = urlsplit(reference)
        except ValueError:
            return ""
        if url.scheme not in {"http", "https"} or url.netloc.lower() not in self.hosts or url.query or url.fragment:
            return ""
        return url.path.removeprefix(urlsplit(self.base).path)


def links_for(connection: ASGIConnection[Any, Any, Any, Any], base_url: str | None) -> Links:
    """Return the links for one request, with the configured address, or else the address that the client used.

    A `Host` header that is not a valid host is not repeated in an answer.
    """
    host = header(connection.scope, b"host") or ""
    if not _is_host(host):
        name, port = connection.scope.get("server") or ("localhost", None)
        host = f"{name}:{port}" if port else name
    return _links(base_url or f"{connection.scope['scheme']}://{host}", host)


@lru_cache(maxsize=LINKS_KEPT_MAX)
def _is_host(text: str) -> bool:
    match = _HOST.match(text)
    if match is None or match["ipv6"] is None:
        return match is not None
    try:
        IPv6Address(match["ipv6"])
    except ValueError:
        return False
    return True


@lru_cache(maxsize=LINKS_KEPT_MAX)
def _links(base_url: str, host: str) -> Links:
    base = base_url.rstrip("/")
    return Links(base=base, hosts=frozenset({host.lower(), urlsplit(base).netloc.lower()}))
