"""Averages of the figures of a campaign, each worked out once until the figures change."""

from functools import cached_property
from typing import Final, Protocol


class Measured(Protocol):
    """The measured figures of a campaign that averages are taken of, the newest last."""

    outcomes: list[int]
    ring_ms: list[int]
    greeting_ms: list[int]
    handling_ms: list[int]


class Averages:
    """Averages of pacing figures, valid until the figures change."""

    def __init__(self, figures: Measured) -> None:
        self._figures: Final = figures

    @cached_property
    def answers(self) -> int:
        """The number of answers by persons among the last calls."""
        return sum(self._figures.outcomes)

    @cached_property
    def ring_ms(self) -> float:
        """The average time from the dial to the answer."""
        return _mean(self._figures.ring_ms)

    @cached_property
    def greeting_ms(self) -> float:
        """The average time from the answer to the transfer."""
        return _mean(self._figures.greeting_ms)

    @cached_property
    def handling_ms(self) -> float:
        """The average time from an agent's taking a call to the end of their wrap-up time."""
        return _mean(self._figures.handling_ms)

    @cached_property
    def sorted_handling_ms(self) -> list[int]:
        """The times from an agent's taking a call to the end of their wrap-up time, the shortest first."""
        return sorted(self._figures.handling_ms)


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0
