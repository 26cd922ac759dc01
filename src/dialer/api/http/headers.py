"""Single headers of a request, as they came, and whether it asks for the headers of its answer alone."""

from typing import Final

from litestar.types import Scope

IS_HEAD_STATE: Final = "is_head"
"""Where the scope's state has it."""


def is_head(scope: Scope) -> bool:
    """Whether the body of the answer will not be sent."""
    return bool(scope["state"].get(IS_HEAD_STATE))


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of that name, which is in lower case; None if there is none.

    Whoever reads but one or two need not have all of them decoded.
    """
    for known, value in scope["headers"]:
        if known == name:
            return value.decode("latin-1")
    return None
