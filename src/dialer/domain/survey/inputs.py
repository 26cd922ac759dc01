"""The input of a section, which decides how a call goes on, and what a section makes of it."""

from enum import IntEnum
from typing import Final

import msgspec

CONNECTED: Final = "connected"
"""The branch of a transfer that has connected the callee."""
MISSED: Final = "missed"
"""The branch of a transfer that has not."""
ANSWER_MAX: Final = 1_000
"""Characters of an answer that count."""
RESULT_MAX: Final = 16_384
"""Characters of the result of a program that count."""
SUMMARY_MAX: Final = 4_000
BRANCH_MAX: Final = 15
"""Characters of the key of a branch that a program chooses."""


class SectionInput(msgspec.Struct, frozen=True, gc=False):
    """An answer, and a branch that whoever gave it has chosen. Either may be empty."""

    answer: str = ""
    """The keys of a callee, or any other text; empty for none."""
    branch: str = ""
    """The outcome of a transfer. Empty: the answer decides."""


_CONNECTED: Final = SectionInput(branch=CONNECTED)
_MISSED: Final = SectionInput(branch=MISSED)


class AskAgain(IntEnum):
    """The condition for repeating a question while its `retries` last."""

    NEVER = 0
    WITHOUT_BRANCH = 1
    """The question is repeated if none of the branches exists."""
    ALWAYS = 2


class InputResult(msgspec.Struct, frozen=True):
    """The result of an input in a section."""

    branches: tuple[str, ...]
    """The keys of the branches to try: the call takes the first that exists."""
    response: str | None = None
    """The answer to record, if any."""
    asks_again: AskAgain = AskAgain.NEVER
    was_wrong: bool = False
    """True if the callee is told, before the question is repeated, that the input was wrong."""


def transfer_input(*, is_connected: bool) -> SectionInput:
    """Return the input of a transfer that is over."""
    return _CONNECTED if is_connected else _MISSED
