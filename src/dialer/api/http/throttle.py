"""Guessing passwords: how many failures a user name and an address have, and when they are heard again."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from typing import Final

FAILURES_MAX: Final = 10
WINDOW_S: Final = 300.0
"""The time in which the failures must fall, and for which nobody is heard after the last of them."""
SUBJECTS_MAX: Final = 10_000
"""User names and addresses that are remembered; the one that failed longest ago is forgotten first."""


class Throttle:
    """The failures of the last minutes by subject, in a table of bounded size."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s: Final = now_s
        self._failures: Final[OrderedDict[str, list[float]]] = OrderedDict()

    def retry_after_s(self, *subjects: str) -> int:
        """How many seconds none of the subjects is heard; 0 if all are."""
        return max([self._blocked_s(subject) for subject in subjects]) if self._failures else 0

    def failed(self, *subjects: str) -> None:
        """Remember one failure of each."""
        for subject in subjects:
            recent = [*self._failures.pop(subject, []), self._now_s()]
            self._failures[subject] = recent[-FAILURES_MAX:]
        while len(self._failures) > SUBJECTS_MAX:
            self._failures.popitem(last=False)

    def _blocked_s(self, subject: str) -> int:
        failures = self._failures.get(subject, [])
        if len(failures) < FAILURES_MAX or failures[-1] - failures[0] > WINDOW_S:
            return 0
        return max(0, ceil(failures[-1] + WINDOW_S - self._now_s()))
