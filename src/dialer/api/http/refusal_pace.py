"""The pace of refusals: a requester who is refused again and again gets each answer a little later."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

PROMPT_REFUSALS: Final = 20
"""Refusals of one requester that are answered at once."""
REFUSAL_EVERY_S: Final = 0.1
"""The time between further ones, and the time in which one more is answered at once again."""
REFUSAL_WAITS_S: Final = 2.0
"""The longest time for which the answer to a refused request waits."""
REQUESTERS_MAX: Final = 10_000
"""Requesters that are remembered; the one that was refused longest ago is forgotten first."""


class RefusalPace:
    """The delays of refusals. A program that repeats refused requests in a loop is slowed down by its own waits."""

    def __init__(self) -> None:
        self._due_s: Final[OrderedDict[Hashable, float]] = OrderedDict()
        """The moment from which each requester has all prompt refusals again."""

    def wait_s(self, requester: Hashable, now_s: float) -> float:
        """Count a refusal, and return the seconds for which its answer waits."""
        allowed_s = PROMPT_REFUSALS * REFUSAL_EVERY_S
        due_s = max(now_s, self._due_s.pop(requester, now_s)) + REFUSAL_EVERY_S
        self._due_s[requester] = due_s = min(due_s, now_s + allowed_s + REFUSAL_WAITS_S)
        if len(self._due_s) > REQUESTERS_MAX:
            self._due_s.popitem(last=False)
        return max(0.0, due_s - now_s - allowed_s)
