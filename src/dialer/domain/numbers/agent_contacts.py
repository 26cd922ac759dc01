"""Agents' contacts: telephone numbers, or extensions of the switch behind a gateway."""

import re
from typing import Final

from dialer.domain.numbers.normal_form import NumberError, normalise

_EXTENSION: Final = re.compile(r"[0-9]{2,6}", re.ASCII)


def is_extension(contact: str) -> bool:
    """Return whether an agent's contact is an extension: 2 to 6 bare digits."""
    return _EXTENSION.fullmatch(contact) is not None


def telephone_of(contact: str) -> str:
    """Return the extension or the number in normal form of an agent's contact; empty if it is neither."""
    bare = contact.strip()
    if is_extension(bare):
        return bare
    try:
        return normalise(bare)
    except NumberError:
        return ""
