"""How many requests a minute each user and each address may send."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from typing import Final

PERIOD_S: Final = 60.0
SUBJECTS_MAX: Final = 10_000
"""Users and addresses that are remembered; the one that was heard longest ago is forgotten first."""


class RateLimit:
    """A minute's worth of requests for every subject: all of it at once or evenly, and it comes back evenly.

    What is remembered of a subject is one number: the moment at which all that it has used will have come back.
    """

    def __init__(self, requests_a_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._interval_s: Final = PERIOD_S / requests_a_minute
        self._now_s: Final = now_s
        self._restored_s: Final[OrderedDict[str, float]] = OrderedDict()

    def take(self, subject: str) -> int:
        """Take one request: 0, or if there is none left, in how many seconds there will be, and nothing is taken."""
        now_s = self._now_s()
        restored_s = max(now_s, self._restored_s.get(subject, now_s)) + self._interval_s
        excess_s = restored_s - now_s - PERIOD_S
        # What is less than a thousandth of a request is the rounding of sums.
        if excess_s > self._interval_s / 1_000:
            return max(1, ceil(excess_s))
        self._restored_s[subject] = restored_s
        self._restored_s.move_to_end(subject)
        if len(self._restored_s) > SUBJECTS_MAX:
            self._restored_s.popitem(last=False)
        return 0
