"""The last minute as an adaptive dial method has seen it, kept as plain numbers in its memory."""

from itertools import takewhile
from typing import Final, NamedTuple

from dialer.domain.pacing.inputs import PacingInputs

READING_EVERY_MS: Final = 15_000
READINGS_KEPT: Final = 5
"""The readings from a minute ago until now."""
MINUTE_READINGS: Final = 4
"""Number of readings in the last minute. Averages use these, and counts start from the reading before them."""


class Reading(NamedTuple):
    """The pacing figures of a campaign at one time."""

    idle: float
    waiting: float
    agents: float
    dialled: float
    """Calls of the campaign so far."""
    abandoned: float
    """Abandoned calls of the campaign so far."""


def take(readings: list[Reading], situation: PacingInputs) -> list[Reading]:
    """Return the readings with a new one added, and without those that are too old."""
    figures = situation.figures
    now = Reading(situation.idle, situation.waiting, situation.agents, figures.dialled, figures.abandoned)
    return [*readings, now][-READINGS_KEPT:]


def differential(readings: list[Reading]) -> float:
    """Return the average surplus of idle agents over waiting callers in the last minute."""
    minute = readings[-MINUTE_READINGS:]
    return sum(reading.idle - reading.waiting for reading in minute) / len(minute)


def agents_average(readings: list[Reading]) -> float:
    """Return the average number of agents in the last minute."""
    minute = readings[-MINUTE_READINGS:]
    return sum(reading.agents for reading in minute) / len(minute)


def remember(readings: list[Reading]) -> dict[str, float]:
    """Return the readings as named numbers, for the memory of a strategy."""
    return {
        f"{name}_{place}": value for place, reading in enumerate(readings) for name, value in reading._asdict().items()
    }


def recall(memory: dict[str, float]) -> list[Reading]:
    """Return the readings from the named numbers of `remember`."""
    places = takewhile(lambda place: f"idle_{place}" in memory, range(READINGS_KEPT))
    return [Reading(*(memory[f"{name}_{place}"] for name in Reading._fields)) for place in places]
