"""Telephone numbers in `sip:` and `tel:` URIs (RFC 3261 19.1.6, RFC 3966)."""

import re
from typing import Final
from urllib.parse import unquote

from sipmessage import URI

from dialer.domain.numbers.normal_form import is_possible

NUMBER_MAX: Final = 64
_PRINTABLE: Final = re.compile(rf"[!-~]{{1,{NUMBER_MAX}}}\Z")
_NUMBER: Final = re.compile(r"\+?[0-9.()-]{3,64}\Z", re.ASCII)
_SEPARATORS: Final = str.maketrans("", "", "-.()")
_CONTEXT: Final = re.compile(r"\+[0-9]{1,14}\Z", re.ASCII)
_CONTEXT_NAME: Final = "phone-context"


def is_telephone_number(user: str) -> bool:
    """Return whether the user of a URI may be a telephone number."""
    return _NUMBER.match(user) is not None


def number_in(uri: URI | None) -> str:
    """Return the user of a URI without its parameters; empty if it is none that can be a number.

    A local number is within its `phone-context` (RFC 3966 5.1.5). If that is the beginning of global numbers, such as
    `+1`, and both together are a number that can exist, they are the number.
    """
    if uri is None:
        return ""
    user, _, parameters = unquote(uri.user or "").partition(";")
    if not _PRINTABLE.match(user):
        return ""
    context = _context_in(parameters) or _context_of(uri)
    if user.startswith("+") or not _CONTEXT.match(context) or not is_telephone_number(user):
        return user
    number = context + user.translate(_SEPARATORS)
    return number if is_possible(number) else user


def _context_in(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == _CONTEXT_NAME:
            return value.strip().translate(_SEPARATORS)
    return ""


def _context_of(uri: URI) -> str:
    for name, value in uri.parameters.items():
        if name.lower() == _CONTEXT_NAME and value:
            return unquote(value).translate(_SEPARATORS)
    return ""
