"""Single headers of a request, its preferences, and whether it is a HEAD."""

from collections.abc import Mapping
from typing import Final

from litestar.types import Scope

IS_HEAD_STATE: Final = "is_head"
"""The key in the state of the scope."""
ADDED_STATE: Final = "added_headers"
"""The key in the state of the scope of headers that every answer to the request gets, errors included."""

OF_PROXIES: Final = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"}
)
"""Headers that proxies add."""


def has_passed_proxy(scope: Scope) -> bool:
    """Return whether a proxy that says so has passed the request on."""
    return any(name in OF_PROXIES for name, _ in scope["headers"])


def is_head(scope: Scope) -> bool:
    """Tell whether the request is a HEAD, so that the body of its answer is not sent."""
    return bool(scope["state"].get(IS_HEAD_STATE))


def add_headers(scope: Scope, headers: Mapping[str, str]) -> None:
    """Add headers to the answer, whatever it will be."""
    added = scope["state"].setdefault(ADDED_STATE, [])
    added += [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of a name in lower case, or None. Only this header is decoded."""
    for header_name, value in scope["headers"]:
        if header_name == name:
            return value.decode("latin-1")
    return None


def joined_header(scope: Scope, name: bytes) -> str | None:
    """Return all headers of a name in lower case, joined as one list (RFC 9110, 5.3), or None."""
    joined: str | None = None
    for header_name, value in scope["headers"]:
        if header_name == name:
            text = value.decode("latin-1")
            joined = text if joined is None else f"{joined}, {text}"
    return joined


def preference(scope: Scope, name: str) -> str | None:
    """Return the value of a preference of the `Prefer` headers (RFC 7240), or None. The first with the name counts."""
    for header_name, value in scope["headers"]:
        for item in value.decode("latin-1").split(",") if header_name == b"prefer" else ():
            token, _, text = item.partition(";")[0].partition("=")
            if token.strip().lower() == name:
                return text.strip().strip('"').lower()
    return None
