"""Single headers of a request, and whether the request is a HEAD."""

from collections.abc import Mapping
from typing import Final

from litestar.types import Scope

IS_HEAD_STATE: Final = "is_head"
"""The key in the state of the scope."""
ADDED_STATE: Final = "added_headers"
"""The key in the state of the scope of headers that every answer to the request gets, errors included."""


def is_head(scope: Scope) -> bool:
    """Tell whether the request is a HEAD, so that the body of its answer is not sent."""
    return bool(scope["state"].get(IS_HEAD_STATE))


def add_headers(scope: Scope, headers: Mapping[str, str]) -> None:
    """Add headers to the answer, whatever it will be."""
    added = scope["state"].setdefault(ADDED_STATE, [])
    added += [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of a name in lower case, or None. Only this header is decoded."""
    for known, value in scope["headers"]:
        if known == name:
            return value.decode("latin-1")
    return None
