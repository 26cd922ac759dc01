"""Limits on the requests a minute of each user and each address."""

import time
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from typing import Final

PERIOD_S: Final = 60.0
SUBJECTS_MAX: Final = 10_000
"""Users and addresses that are remembered; the one whose last request is oldest is forgotten first."""


class RateLimit:
    """A minute's worth of requests for every subject, which may be used at once and is restored evenly.

    One number is kept for each subject: the moment at which its whole allowance is restored.
    """

    def __init__(self, requests_a_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._interval_s: Final = PERIOD_S / requests_a_minute
        self._now_s: Final = now_s
        self._restored_s: Final[OrderedDict[str, float]] = OrderedDict()

    def take(self, subject: str) -> int:
        """Take one request of a user or an address. Return 0, or the seconds to wait if none is left."""
        now_s = self._now_s()
        restored_s = max(now_s, self._restored_s.get(subject, now_s)) + self._interval_s
        excess_s = restored_s - now_s - PERIOD_S
        # Ignore floating-point error below 0.001 requests.
        if excess_s > self._interval_s / 1_000:
            return max(1, ceil(excess_s))
        self._restored_s[subject] = restored_s
        self._restored_s.move_to_end(subject)
        if len(self._restored_s) > SUBJECTS_MAX:
            self._restored_s.popitem(last=False)
        return 0
