"""The service's calling hours: an outer limit for all campaigns, which their own windows can only narrow."""

import re
from datetime import time
from typing import Final

import msgspec

from dialer.domain.calling_times.calendars import Calendar

ANY_HOUR: Final = "off"
"""The text for no calling hours."""
_HOURS: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])")


class CallingHours(msgspec.Struct, frozen=True):
    """The calling hours of the service, in the callee's time zone."""

    hours: Calendar | None = Calendar(start=time(8), stop=time(21))
    """None if calls are allowed at any hour. The default is that of 47 CFR 64.1200(c)(1)."""
    for_simulated: bool = False
    """True if the hours hold for simulated gateways too: an administrator has set them."""

    def over(self, *, is_simulated: bool) -> Calendar | None:
        """Return the hours in which the service may call over a simulated or a real gateway; None for any hour."""
        return None if is_simulated and not self.for_simulated else self.hours


def read_calling_hours(text: str | None) -> CallingHours:
    """Return the calling hours of a text such as `08:00-21:00` or `off`; None stands for the default.

    Raises:
        ValueError: the text is something else, or the hours end before they begin.
    """
    if text is None:
        return CallingHours()
    if text == ANY_HOUR:
        return CallingHours(None, for_simulated=True)
    match = _HOURS.fullmatch(text)
    if match is None:
        raise ValueError(text)
    begin_hour, begin_minute, end_hour, end_minute = map(int, match.groups())
    start, stop = time(begin_hour, begin_minute), time(end_hour, end_minute)
    if start >= stop:
        raise ValueError(text)
    return CallingHours(Calendar(start=start, stop=stop), for_simulated=True)
