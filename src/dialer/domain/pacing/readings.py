"""What an adaptive dial method has seen in the last minute, kept as plain numbers in its memory."""

from itertools import takewhile
from typing import Final, NamedTuple

from dialer.domain.pacing.situation import Situation

READING_EVERY_MS: Final = 15_000
READINGS_KEPT: Final = 5
"""From a minute ago until now."""
MINUTE_READINGS: Final = 4
"""Those of the last minute: averages are taken over them, and counts from the reading before them."""


class Reading(NamedTuple):
    """What was seen at one moment."""

    idle: float
    waiting: float
    agents: float
    dialled: float
    """Calls of the campaign so far."""
    abandoned: float
    """Of these, so many were abandoned."""


def take(readings: list[Reading], situation: Situation) -> list[Reading]:
    """The readings with one more, of this moment, and without those that are too old."""
    figures = situation.figures
    now = Reading(situation.idle, situation.waiting, situation.agents, figures.dialled, figures.abandoned)
    return [*readings, now][-READINGS_KEPT:]


def differential(readings: list[Reading]) -> float:
    """How many more agents were idle than callers waited, on average over the last minute."""
    minute = readings[-MINUTE_READINGS:]
    return sum(reading.idle - reading.waiting for reading in minute) / len(minute)


def agents_average(readings: list[Reading]) -> float:
    """How many agents there were, on average over the last minute."""
    minute = readings[-MINUTE_READINGS:]
    return sum(reading.agents for reading in minute) / len(minute)


def remember(readings: list[Reading]) -> dict[str, float]:
    """The readings as numbers with names."""
    return {
        f"{name}_{place}": value for place, reading in enumerate(readings) for name, value in reading._asdict().items()
    }


def recall(memory: dict[str, float]) -> list[Reading]:
    """The readings from numbers with names."""
    places = takewhile(lambda place: f"idle_{place}" in memory, range(READINGS_KEPT))
    return [Reading(*(memory[f"{name}_{place}"] for name in Reading._fields)) for place in places]
