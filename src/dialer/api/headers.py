"""Single headers of a request, as they came."""

from litestar.types import Scope


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of that name, which is in lower case; None if there is none.

    Whoever reads but one or two need not have all of them decoded.
    """
    for known, value in scope["headers"]:
        if known == name:
            return value.decode("latin-1")
    return None
