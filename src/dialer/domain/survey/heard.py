"""The inputs of a callee in one call, as they are kept so that the call can be replayed."""

from collections.abc import Sequence
from typing import Final

import msgspec

HEARD_MAX: Final = 1_000
"""Sections of one call whose inputs are kept: the first."""
CONNECTED: Final = "connected"
"""The input of a transfer that has connected the callee."""
MISSED: Final = "missed"
"""The input of a transfer that has not."""
LEFT: Final = "left"
"""The call ended in this section, before the survey was over."""
PLAYED: Final = "played"
"""The survey was over before the call was. This word has neither a section nor a time."""
_NO_INPUTS: Final = frozenset({"", CONNECTED, MISSED, LEFT, PLAYED})
"""Inputs in which the callee has pressed nothing."""
_NO_KEYS: Final = "-"
_BETWEEN: Final = " "
_WITHIN: Final = ":"


class HeardInput(msgspec.Struct, frozen=True, gc=False):
    """An input of a callee in a section, which decides how the call goes on."""

    at_ms: int
    """Milliseconds since the answer."""
    section_id: int
    text: str
    """The keys, empty for none, or one of the words above."""


THE_END: Final = HeardInput(0, 0, PLAYED)


class HeardError(ValueError):
    """Raised for stored inputs that cannot be read."""


def last_keys(heard: Sequence[HeardInput], section_id: int) -> tuple[str, int]:
    """Return the keys that were pressed last, and the section that asked for them.

    If nothing was pressed, return no keys and the section that was reached.
    """
    for one in reversed(heard):
        if one.text not in _NO_INPUTS:
            return one.text, one.section_id
    return "", section_id


def written(heard: Sequence[HeardInput]) -> str:
    """Return inputs as text: of each the milliseconds since the answer, the section, and its keys or word."""
    return _BETWEEN.join([f"{one.at_ms}:{one.section_id}:{one.text or _NO_KEYS}" for one in heard])


def read_heard(text: str) -> tuple[HeardInput, ...]:
    """Return the inputs of a call from the text that `written` makes.

    Raises:
        HeardError: the text is not of this form.
    """
    return tuple(_read_one(word) for word in text.split(_BETWEEN) if word)


def _read_one(word: str) -> HeardInput:
    try:
        at_ms, section_id, text = word.split(_WITHIN)
        return HeardInput(int(at_ms), int(section_id), "" if text == _NO_KEYS else text)
    except ValueError:
        raise HeardError(f"{word!r} is no input of a call.") from None
