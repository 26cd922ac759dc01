"""Unknown names in a request: the header that names what was ignored, and the errors of what is refused."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final
from urllib.parse import quote

from dialer.resources.words.errors import Errors

IGNORED_FIELDS_HEADER: Final = "X-Ignored-Fields"
IGNORED_PARAMETERS_HEADER: Final = "X-Ignored-Parameters"
IGNORED_NAMES_MAX: Final = 20
IGNORED_NAME_LENGTH_MAX: Final = 40
"""Characters of a name in the header; a longer name is cut and ends in `...`."""
NEAR: Final = 0.75
"""The likeness (`difflib`) from which a known name was probably meant. Names of read-only fields stay below it."""


def unknown_errors(names: Iterable[str], message: str, known: Collection[str] = ()) -> Errors:
    """Return an error for each of the first unknown names, with the known name that was probably meant."""
    return {_cut(name): [message + _probably_meant(name, known)] for name in list(names)[:IGNORED_NAMES_MAX]}


def _probably_meant(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=NEAR) if len(name) <= IGNORED_NAME_LENGTH_MAX else []
    return f" Did you mean {near[0]}?" if near else ""


def ignored_header(names: Iterable[str], header: str = IGNORED_FIELDS_HEADER) -> dict[str, str]:
    """Return the header that names what was ignored, safe for any name and bounded in length."""
    listed = list(names)
    if not listed:
        return {}
    shown = [_header_safe(name) for name in listed[:IGNORED_NAMES_MAX]]
    more = ["..."] if len(listed) > IGNORED_NAMES_MAX else []
    return {header: ", ".join(shown + more)}


def _header_safe(name: str) -> str:
    return quote(_cut(name), safe=" !#$&'()*+-./:;<=>?@[]^_`{|}~").strip() or "%20"


def _cut(name: str) -> str:
    return f"{name[:IGNORED_NAME_LENGTH_MAX]}..." if len(name) > IGNORED_NAME_LENGTH_MAX else name
