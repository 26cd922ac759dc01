"""The measurements of a campaign's calls: its figures, and their averages, which each new value brings up to date."""

from bisect import bisect_left, insort
from typing import Final

from dialer.domain.pacing.averages import Averages, mean
from dialer.domain.pacing.inputs import PacingFigures, PeriodFigures

OUTCOMES_KEPT: Final = 200
TIMES_KEPT: Final = 200


class Measurements(Averages):
    """The figures of a campaign and their averages. Times are in milliseconds."""

    __slots__ = ("figures", "handled_count")

    def __init__(self, figures: PacingFigures) -> None:
        super().__init__(figures)
        self.figures: Final = figures
        self.handled_count = 0
        """Number of handling times that were added so far: the sorted ones change with it."""

    def dialled(self, now_ms: int, period_ms: int) -> None:
        """Count a dialled call. The first one begins the first period."""
        self.figures.dialled += 1
        if not self.figures.periods:
            self.figures.periods.append(PeriodFigures(now_ms, until_ms=now_ms + period_ms))

    def go_on(self, now_ms: int, period_ms: int, lasting_ms: int) -> None:
        """Begin the period of this moment, and forget those whose calls are over, which last for `lasting_ms` at most.

        Periods follow each other without a gap, whether anybody is called in them or not. The running one ends when it
        was to end: `period_ms` is the length of those after it. If it has not begun by a clock that was set back, one
        begins now, beside it.
        """
        periods = self.figures.periods
        last = periods[-1]
        if not last.until_ms:
            last.until_ms = last.from_ms + period_ms
        if now_ms >= last.until_ms:
            from_ms = now_ms - (now_ms - last.until_ms) % period_ms
            periods.append(PeriodFigures(from_ms, until_ms=from_ms + period_ms))
        elif now_ms < last.from_ms:
            periods.append(PeriodFigures(now_ms, until_ms=now_ms + period_ms))
        while len(periods) > 1 and now_ms >= periods[1].from_ms + lasting_ms:
            del periods[0]

    def taken_back(self) -> None:
        """Subtract a call that was never made from the dialled calls."""
        self.figures.dialled = max(0, self.figures.dialled - 1)

    def answered(self, dialled_ms: int, now_ms: int, *, is_live: bool) -> None:
        """Count an answered call, if `is_live`: answered by a person, as far as detection can tell.

        A call answered by a machine counts as failed, and `failed` reports it when the call ends.
        """
        if is_live:
            figures = self.figures
            figures.answered += 1
            if figures.periods:
                self._period_of(dialled_ms).answered += 1
            self._ended(1)
            _keep(figures.ring_ms, now_ms - dialled_ms, TIMES_KEPT)
            self.ring_ms = mean(figures.ring_ms)

    def failed(self) -> None:
        """Count a call that ended without an answer by a person."""
        self._ended(0)

    def transferred(self, answered_ms: int, now_ms: int) -> None:
        """Record the time from the answer of a call to its transfer."""
        _keep(self.figures.greeting_ms, now_ms - answered_ms, TIMES_KEPT)
        self.greeting_ms = mean(self.figures.greeting_ms)

    def abandoned(self, dialled_ms: int) -> None:
        """Count a call that no agent took within `ABANDONED_AFTER_MS` of its transfer. Use it once for each call."""
        self.figures.abandoned += 1
        if self.figures.periods:
            self._period_of(dialled_ms).abandoned += 1

    def handled(self, taken_ms: int, free_ms: int) -> None:
        """Record the time from an agent's taking a call to the end of their wrap-up time."""
        values, in_order = self.figures.handling_ms, self.sorted_handling_ms
        for oldest_ms in _keep(values, free_ms - taken_ms, TIMES_KEPT):
            del in_order[bisect_left(in_order, oldest_ms)]
        insort(in_order, free_ms - taken_ms)
        self.handling_ms = mean(values)
        self.handled_count += 1

    def _period_of(self, dialled_ms: int) -> PeriodFigures:
        """Return the period in which a call was dialled; the oldest one for an earlier call."""
        periods = self.figures.periods
        return next((one for one in reversed(periods) if one.from_ms <= dialled_ms), periods[0])

    def _ended(self, outcome: int) -> None:
        dropped = _keep(self.figures.outcomes, outcome, OUTCOMES_KEPT)
        self.answers += outcome - sum(dropped)


def _keep(values: list[int], value: int, count: int) -> list[int]:
    """Append a value, and return the oldest values beyond `count`, which are dropped."""
    values.append(value)
    dropped = values[:-count]
    del values[:-count]
    return dropped
