"""Shown numbers: the caller IDs of calls, and the senders of text messages, that a carrier accepts."""

import re
from collections.abc import Iterable
from typing import Final

from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise

SENDER_MAX: Final = 11
"""Maximum characters of a sender that is a name (3GPP TS 23.040, section 9.1.2.5)."""
SHOWN_NUMBERS_MAX: Final = 1_000
"""Maximum number of caller IDs on the list of a gateway."""
_NAME: Final = re.compile(rf"(?=.*[A-Za-z])[A-Za-z0-9 ._&-]{{1,{SENDER_MAX}}}")


def shown_number(text: str, region: str | None, *, allows_names: bool) -> str | None:
    """Return the form in which shown numbers are compared; None if the text is no possible number with its country.

    `region` is the service's default region. `allows_names` is true for text messages, whose sender may be a name.
    """
    text = text.strip()
    if allows_names and _NAME.fullmatch(text):
        return text.casefold()
    try:
        number = normalise(text, region)
    except NumberError:
        return None
    return number if number.startswith("+") and is_possible(number) else None


def split_shown(text: str) -> list[str]:
    """Return the entries of a list of shown numbers that are separated by commas."""
    return [entry for part in text.split(",") if (entry := part.strip())]


def shown_numbers(texts: Iterable[str], region: str | None, *, allows_names: bool) -> set[str]:
    """Return shown numbers in the form in which they are compared, without those that are wrong."""
    return {number for text in texts if (number := shown_number(text, region, allows_names=allows_names)) is not None}
