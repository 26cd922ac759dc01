"""What a campaign learns from its calls: each function updates its figures in place. Moments in milliseconds."""

from typing import Final

from dialer.domain.pacing.situation import PacingFigures

OUTCOMES_KEPT: Final = 200
TIMES_KEPT: Final = 200


def dialled(figures: PacingFigures) -> None:
    """A call was dialled."""
    figures.dialled += 1


def answered(figures: PacingFigures, dialled_ms: int, now_ms: int, *, is_live: bool) -> None:
    """A call was answered: by a person, as far as anybody can tell, if it `is_live`.

    A machine's answer counts among the calls that failed, and is told by `failed` when its call ends.
    """
    if is_live:
        figures.answered += 1
        _keep(figures.outcomes, 1, OUTCOMES_KEPT)
        _keep(figures.ring_ms, now_ms - dialled_ms, TIMES_KEPT)


def failed(figures: PacingFigures) -> None:
    """A call ended that no person has answered."""
    _keep(figures.outcomes, 0, OUTCOMES_KEPT)


def transferred(figures: PacingFigures, answered_ms: int, now_ms: int) -> None:
    """A call that was answered has come to its transfer."""
    _keep(figures.greeting_ms, now_ms - answered_ms, TIMES_KEPT)


def abandoned(figures: PacingFigures) -> None:
    """No agent took an answered call within `ABANDONED_AFTER_MS` of its transfer. Told once for a call."""
    figures.abandoned += 1


def handled(figures: PacingFigures, taken_ms: int, free_ms: int) -> None:
    """An agent who took a call is idle again."""
    _keep(figures.handling_ms, free_ms - taken_ms, TIMES_KEPT)


def _keep(values: list[int], value: int, count: int) -> None:
    """Append a value, and forget the oldest beyond the count."""
    values.append(value)
    del values[:-count]
