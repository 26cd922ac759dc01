"""Single headers of a request, and whether the request is a HEAD."""

from typing import Final

from litestar.types import Scope

IS_HEAD_STATE: Final = "is_head"
"""The key in the state of the scope."""


def is_head(scope: Scope) -> bool:
    """Tell whether the request is a HEAD, so that the body of its answer is not sent."""
    return bool(scope["state"].get(IS_HEAD_STATE))


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of a name in lower case, or None. Only this header is decoded."""
    for known, value in scope["headers"]:
        if known == name:
            return value.decode("latin-1")
    return None
