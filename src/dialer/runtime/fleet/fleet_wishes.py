"""Wishes not to be called that other workers hear: one that comes during a step of this worker discards the step.

Steps of several workers run at the same time, and a do-not-call list may hold for all accounts. So each worker counts
in its seat the wishes that concern the others, and each step compares their counts at its beginning and at its end.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, select

from dialer.runtime.steps.coordinator import Wishes
from dialer.store.fleet.worker_positions import PositionRow
from dialer.store.tables import DncList

_GLOBAL_LIST: Final = select(DncList.id).where(DncList.is_global).limit(1)


class FleetWishes:
    """The counts of other workers that the engine knows, and the wishes that it has heard itself."""

    def __init__(self) -> None:
        self._of_others: dict[int, int] = {}
        """The counts by the ids of the seats."""
        self._heard = Wishes()

    def begin_engine(self, seats: Iterable[PositionRow], own: int) -> None:
        """Take the counts of all seats but the `own` one for a new engine, which has heard no wishes yet."""
        self._of_others, self._heard = _of_others(seats, own), Wishes()

    def take_news(self, seats: Iterable[PositionRow], own: int) -> bool:
        """Take the counts for a step. Return whether other workers have heard wishes since the last step."""
        before, self._of_others = self._of_others, _of_others(seats, own)
        return self._of_others != before

    def discard_step(self, seats: Iterable[PositionRow], own: int) -> bool:
        """Return whether other workers have heard wishes during the step, so that nothing of it may be stored."""
        return _of_others(seats, own) != self._of_others

    def count(self, connection: Connection, seat: PositionRow, heard: Wishes) -> PositionRow:
        """Return the own seat after a step. It counts one more if the step has heard a wish that concerns others."""
        before, self._heard = self._heard, heard
        if heard.elsewhere != before.elsewhere or (heard != before and connection.scalar(_GLOBAL_LIST) is not None):
            return seat._replace(wishes=seat.wishes + 1)
        return seat


def _of_others(seats: Iterable[PositionRow], own: int) -> dict[int, int]:
    return {seat.id: seat.wishes for seat in seats if seat.id != own}
