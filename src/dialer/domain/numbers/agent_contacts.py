"""Agents' contacts and targets of transfers: telephone numbers, or extensions of the switch behind a gateway.

An agent may also take calls in a browser. Only the engine writes such a contact: nobody may give one as a number.
"""

import re
from typing import Final

from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise

_EXTENSION: Final = re.compile(r"[0-9]{2,6}", re.ASCII)
BROWSER: Final = "browser:"
"""The beginning of the contact of a telephone in the browser. The id of its agent follows."""
_BROWSER: Final = re.compile(rf"{BROWSER}([0-9]{{1,19}})", re.ASCII)


def browser_of(agent_id: int) -> str:
    """Return the contact of the telephone in the browser of an agent, as lines dial it."""
    return f"{BROWSER}{agent_id}"


def agent_in_browser(contact: str) -> int | None:
    """Return the agent whose telephone in the browser a contact means; None if it means none."""
    found = _BROWSER.fullmatch(contact)
    return None if found is None else int(found[1])


def is_extension(contact: str) -> bool:
    """Return whether an agent's contact is an extension: 2 to 6 bare digits."""
    return _EXTENSION.fullmatch(contact) is not None


def target_number(text: str, region: str | None) -> str:
    """Return the number to which a call is transferred, in normal form. An extension stays as it is.

    So does a number that its country (`region`) cannot have, as the switch behind the gateway may know it.

    Raises:
        NumberError: the text is neither a number nor an extension.
    """
    bare = text.strip()
    if is_extension(bare):
        return bare
    number = normalise(bare, region)
    return number if is_possible(number) else normalise(bare, None)


def telephone_of(contact: str) -> str:
    """Return the extension or the number in normal form of an agent's contact; empty if it is neither."""
    bare = contact.strip()
    if is_extension(bare):
        return bare
    try:
        return normalise(bare, None)
    except NumberError:
        return ""
