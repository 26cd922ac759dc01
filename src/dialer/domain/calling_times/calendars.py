"""Calendars: weekdays, a daily window in wall time, and public holidays."""

from datetime import datetime, time
from typing import Final

import msgspec

from dialer.domain.calling_times.public_holidays import public_holidays

END_OF_DAY: Final = time(23, 59, 59)
"""The stop that stands for the end of the day."""


class Calendar(msgspec.Struct, frozen=True):
    """The hours in which calls are allowed: seven weekdays from Monday, and a daily window in wall time."""

    weekdays: tuple[bool, bool, bool, bool, bool, bool, bool] = (True,) * 7
    start: time = time(0, 0, 0)
    stop: time = END_OF_DAY
    closed_in: str = ""
    """ISO code of the country on whose public holidays no calls are allowed; empty if holidays do not matter."""

    @property
    def is_always(self) -> bool:
        """Return whether calling is allowed at any time."""
        is_whole_day = self.start == time(0, 0, 0) and self.stop == END_OF_DAY
        return is_whole_day and all(self.weekdays) and not self.closed_in

    def allows(self, local: datetime) -> bool:
        """Return whether a local time is allowed. An hour that occurs twice is allowed the first time only."""
        if local.fold or not self.weekdays[local.weekday()]:
            return False
        if self.closed_in and local.date() in public_holidays(self.closed_in, local.year):
            return False
        wall = local.time()
        before_stop = wall < self.stop or self.stop == END_OF_DAY
        if self.start <= self.stop:
            return self.start <= wall and before_stop
        return self.start <= wall or before_stop
