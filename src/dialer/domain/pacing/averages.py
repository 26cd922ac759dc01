"""Averages of the figures of a campaign."""

from typing import Protocol


class Measured(Protocol):
    """The measured figures of a campaign that averages are taken of, the newest last."""

    outcomes: list[int]
    ring_ms: list[int]
    greeting_ms: list[int]
    handling_ms: list[int]


class Averages:
    """Averages of pacing figures, as they are when it is made."""

    __slots__ = ("answers", "greeting_ms", "handling_ms", "ring_ms", "sorted_handling_ms")

    def __init__(self, figures: Measured) -> None:
        self.answers = sum(figures.outcomes)
        """The number of answers by persons among the last calls."""
        self.ring_ms = mean(figures.ring_ms)
        """The average time from the dial to the answer."""
        self.greeting_ms = mean(figures.greeting_ms)
        """The average time from the answer to the transfer."""
        self.handling_ms = mean(figures.handling_ms)
        """The average time from an agent's taking a call to the end of their wrap-up time."""
        self.sorted_handling_ms = sorted(figures.handling_ms)
        """The times from an agent's taking a call to the end of their wrap-up time, the shortest first."""


def mean(values: list[int]) -> float:
    """Return the mean of some values; 0 without any."""
    return sum(values) / len(values) if values else 0.0
