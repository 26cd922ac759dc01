"""Query parameters that a handler knows. Others are named in a header, or refused if the client prefers that."""

from collections import Counter
from typing import Final
from urllib.parse import parse_qsl

from litestar.types import ASGIApp, Receive, Scope, Send

from dialer.resources.words.errors import InvalidError
from dialer.resources.words.headers import add_headers, preference
from dialer.resources.words.ignored import IGNORED_PARAMETERS_HEADER, ignored_header, unknown_errors

LISTS_OPTION: Final = "lists"
"""The option of a handler that reads the query parameters of lists; its value names further ones."""
PARAMETERS_OPTION: Final = "parameters"
"""The option that names the query parameters of a resource's lists."""
STRICT: Final = "handling=strict"
"""The preference (RFC 7240, 4.4) with which an unknown name is an error."""

_STRICT_STATE: Final = "is_strict"
_PARAMETERS_STATE: Final = "parameters"
"""The key of the parameters, which are parsed once for a request."""


class KnownParameters:
    """Middleware that names the query parameters that a handler does not read, or refuses them.

    It is not a guard, because the framework copies the handler for each call of a guard, at a higher cost.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["query_string"] or b"prefer" in dict(scope["headers"]):
            _check_parameters(scope)
        await self._app(scope, receive, send)


def _check_parameters(scope: Scope) -> None:
    """Raise InvalidError for repeated parameters, and for unknown ones if the client prefers that; else name these."""
    strict = prefers_strict(scope)
    if strict:
        scope["state"][_STRICT_STATE] = True
        add_headers(scope, {"Preference-Applied": STRICT})
    if not scope["query_string"]:
        return
    options = scope["route_handler"].opt
    known_names = (*options[PARAMETERS_OPTION], *options[LISTS_OPTION]) if LISTS_OPTION in options else ()
    parameters = parse_parameters(scope)
    # Values that are equal do no harm; of different ones, the client cannot know which counts.
    repeated = [
        name
        for name, count in Counter(name for name, _ in set(parameters)).items()
        if count > 1 and name in known_names
    ]
    if repeated:
        raise InvalidError(unknown_errors(repeated, "This parameter has different values. Give it once."))
    unknown = [name for name in dict(parameters) if name not in known_names]
    if unknown and strict:
        takes = f"Known: {', '.join(known_names)}." if known_names else "There are none here."
        raise InvalidError(unknown_errors(unknown, f"Unknown parameter. {takes}"))
    add_headers(scope, ignored_header(unknown, IGNORED_PARAMETERS_HEADER))


def parse_parameters(scope: Scope) -> list[tuple[str, str]]:
    """Return the query parameters in the client's order, which the framework's own parameters lose."""
    state = scope["state"]
    if _PARAMETERS_STATE not in state:
        state[_PARAMETERS_STATE] = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    parameters: list[tuple[str, str]] = state[_PARAMETERS_STATE]
    return parameters


def prefers_strict(scope: Scope) -> bool:
    """Return whether a `Prefer` header asks for strict handling; the first that names a handling counts."""
    return preference(scope, "handling") == "strict"


def is_strict(scope: Scope) -> bool:
    """Return whether the client asked that unknown names in its request be errors, by `Prefer: handling=strict`."""
    return bool(scope["state"].get(_STRICT_STATE))
