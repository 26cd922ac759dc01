"""The groupings of statistics, and the thresholds of waits."""

from enum import IntEnum
from typing import Final

HOUR_MS: Final = 3_600_000
WAITS_S: Final = (2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600)
"""Waits in a queue, in seconds, for which the calls that waited no longer are counted."""
LONGER: Final = 0
"""The counter of the calls that waited longer than all of `WAITS_S`."""


class Grouping(IntEnum):
    """The ways in which the calls of a campaign are counted."""

    TOTAL = 0
    OUTCOME = 1
    """By Q.850 cause; messages by their status."""
    AGENT = 2
    PHONEBOOK = 3
    GATEWAY = 4
    """By the engine's id: those of SMS gateways start at `SMS_LINES_FROM`."""
    ZONE = 5
    ATTEMPT = 6


def wait_class(wait_ms: int) -> int:
    """Return the lowest of `WAITS_S` that a wait does not exceed; `LONGER` if it exceeds them all."""
    return next((seconds for seconds in WAITS_S if wait_ms <= seconds * 1_000), LONGER)
