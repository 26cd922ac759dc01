"""Requests that a page of another site makes a browser send.

A browser keeps a password that it was asked for, and adds it to such requests. It says where they come from:
`Sec-Fetch-Site`, and to addresses without TLS at least `Origin`. Programs send neither.
"""

from typing import Final

from litestar.types import HTTPScope, Scope

from dialer.api.http.hosts import host_name
from dialer.app.work.errors import ErrorCode
from dialer.resources.words.errors import ForbiddenError
from dialer.resources.words.headers import header

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""
FOREIGN: Final = (
    "The request was sent by a page of another site, so nothing was changed. Programs send it without the headers"
    " Origin and Sec-Fetch-Site, or with an API key."
)
_OTHERS: Final = frozenset({"cross-site", "same-site"})


def refuse_other_sites(scope: HTTPScope) -> None:
    """Refuse a writing request that a page of another site sent.

    Raises:
        ForbiddenError: it has.
    """
    if scope["method"] not in SAFE and _is_from_elsewhere(scope):
        raise ForbiddenError(FOREIGN, code=ErrorCode.OTHER_SITE)


def _is_from_elsewhere(scope: Scope) -> bool:
    site = header(scope, b"sec-fetch-site")
    if site is not None:
        return site.strip().lower() in _OTHERS
    origin = header(scope, b"origin")
    if origin is None:
        return False
    scheme, separator, authority = origin.partition("://")
    is_web = scheme.lower() in {"http", "https"} and bool(separator)
    own = host_name(header(scope, b"host") or "")
    return not is_web or own is None or host_name(authority) != own
