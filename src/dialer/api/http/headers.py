"""Single headers of a request, as they came, and whether it asks for the headers of its answer alone."""

from collections.abc import Mapping
from typing import Final

from litestar.types import Scope

IS_HEAD_STATE: Final = "is_head"
"""Where the scope's state has it."""
ADDED_STATE: Final = "added_headers"
"""Where the scope's state has the headers that every answer to the request gets, errors included."""


def is_head(scope: Scope) -> bool:
    """Whether the body of the answer will not be sent."""
    return bool(scope["state"].get(IS_HEAD_STATE))


def add_headers(scope: Scope, headers: Mapping[str, str]) -> None:
    """Add headers to the answer, whatever it will be."""
    added = scope["state"].setdefault(ADDED_STATE, [])
    added += [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of that name, which is in lower case; None if there is none.

    Whoever reads but one or two need not have all of them decoded.
    """
    for known, value in scope["headers"]:
        if known == name:
            return value.decode("latin-1")
    return None
