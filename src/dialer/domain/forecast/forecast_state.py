"""The state of the forecast in the check of a campaign."""

from enum import StrEnum


class ForecastState(StrEnum):
    """The reason why a check has no forecast, or that it has one."""

    DONE = "done"
    NOT_ASKED = "not_asked"
    ERRORS = "errors"
    OVER = "over"
    TOO_LARGE = "too_large"
    BUSY = "busy"
    TOO_SLOW = "too_slow"
