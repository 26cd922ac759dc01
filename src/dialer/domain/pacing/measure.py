"""The figures that a campaign measures. Each function updates them in place. Times are in milliseconds."""

from typing import Final

from dialer.domain.pacing.inputs import PacingFigures

OUTCOMES_KEPT: Final = 200
TIMES_KEPT: Final = 200


def dialled(figures: PacingFigures) -> None:
    """Count a dialled call in the pacing figures."""
    figures.dialled += 1


def taken_back(figures: PacingFigures) -> None:
    """Subtract a call that was never made from the dialled calls."""
    figures.dialled = max(0, figures.dialled - 1)


def answered(figures: PacingFigures, dialled_ms: int, now_ms: int, *, is_live: bool) -> None:
    """Count an answered call, if `is_live`: answered by a person, as far as detection can tell.

    A call answered by a machine counts as failed, and `failed` reports it when the call ends.
    """
    if is_live:
        figures.answered += 1
        _keep(figures.outcomes, 1, OUTCOMES_KEPT)
        _keep(figures.ring_ms, now_ms - dialled_ms, TIMES_KEPT)


def failed(figures: PacingFigures) -> None:
    """Count a call that ended without an answer by a person."""
    _keep(figures.outcomes, 0, OUTCOMES_KEPT)


def transferred(figures: PacingFigures, answered_ms: int, now_ms: int) -> None:
    """Record the time from the answer of a call to its transfer."""
    _keep(figures.greeting_ms, now_ms - answered_ms, TIMES_KEPT)


def abandoned(figures: PacingFigures) -> None:
    """Count a call that no agent took within `ABANDONED_AFTER_MS` of its transfer. Use it once for each call."""
    figures.abandoned += 1


def handled(figures: PacingFigures, taken_ms: int, free_ms: int) -> None:
    """Record the time from an agent's taking a call to the end of their wrap-up time."""
    _keep(figures.handling_ms, free_ms - taken_ms, TIMES_KEPT)


def _keep(values: list[int], value: int, count: int) -> None:
    """Append a value, and drop the oldest values beyond `count`."""
    values.append(value)
    del values[:-count]
