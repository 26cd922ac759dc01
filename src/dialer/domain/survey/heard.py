"""The inputs of a callee in one call, as they are kept so that the call can be replayed."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from dialer.domain.survey.inputs import CONNECTED, MISSED, SectionInput

HEARD_MAX: Final = 1_000
"""Sections of one call whose inputs are kept: the first."""
LEFT: Final = "left"
"""The call ended in this section, before the survey was over."""
PLAYED: Final = "played"
"""The survey was over before the call was. This word has neither a section nor a time."""
_ENDS: Final = frozenset({LEFT, PLAYED})
_TRANSFERS: Final = frozenset({CONNECTED, MISSED})
_KEYS: Final = frozenset("0123456789*#ABCD")
_NO_KEYS: Final = "-"
_BETWEEN: Final = " "
_WITHIN: Final = ":"
_BRANCH: Final = "/"


class HeardInput(msgspec.Struct, frozen=True, gc=False):
    """An input of a callee in a section, which decides how the call goes on."""

    at_ms: int
    """Milliseconds since the answer."""
    section_id: int
    text: str
    """The text of the input (`text_of`), or one of the words for the end of a call."""

    @property
    def taken(self) -> SectionInput:
        """The input. The words for the end of a call are no input."""
        return SectionInput() if self.text in _ENDS else input_of(self.text)


THE_END: Final = HeardInput(0, 0, PLAYED)


class HeardError(ValueError):
    """Raised for stored inputs that cannot be read."""


def text_of(taken: SectionInput) -> str:
    """Return an input as a text without blanks and colons.

    Keys are their own text, and so is the outcome of a transfer. Any other input has a slash before its branch.
    """
    answer, branch = taken.answer, taken.branch
    if not branch and _KEYS.issuperset(answer):
        return answer
    if not answer and branch in _TRANSFERS:
        return branch
    return f"{_quoted(answer)}{_BRANCH}{_quoted(branch)}"


def _quoted(text: str) -> str:
    """Return a text with letters, digits and percent signs. Half a surrogate pair becomes a question mark."""
    return quote(text, safe="", errors="replace")


def input_of(text: str) -> SectionInput:
    """Return the input from the text that `text_of` makes."""
    if text in _TRANSFERS:
        return SectionInput(branch=text)
    answer, slash, branch = text.partition(_BRANCH)
    return SectionInput(unquote(answer), unquote(branch)) if slash else SectionInput(text)


def last_keys(heard: Sequence[HeardInput], section_id: int) -> tuple[str, int]:
    """Return the keys that were pressed last, or another last answer, and the section that asked for it.

    If there was none, return an empty text and the section that was reached.
    """
    for one in reversed(heard):
        if answer := one.taken.answer:
            return answer, one.section_id
    return "", section_id


def written(heard: Sequence[HeardInput]) -> str:
    """Return inputs as text: of each the milliseconds since the answer, the section, and the text of the input."""
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
