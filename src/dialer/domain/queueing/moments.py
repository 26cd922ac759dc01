"""The next moment of each of many things, found without a look at all of them."""

from heapq import heapify, heappop, heappush
from typing import Final

from dialer.domain.words.moments import NEVER_MS

OUTDATED_MAX: Final = 64
"""Number of outdated entries of the heap, beside one for each thing, from which on it is made anew."""


class Moments:
    """The next moment of each queue, or of each agent, by its id."""

    __slots__ = ("_at_ms", "heap")

    def __init__(self) -> None:
        self._at_ms: Final[dict[int, int]] = {}
        self.heap: list[tuple[int, int]] = []
        """Moments with their ids, the earliest first. An entry that is not in `_at_ms` is outdated."""

    @property
    def next_ms(self) -> int:
        """The earliest moment; `NEVER_MS` if there is none."""
        heap = self.heap
        while heap and self._at_ms.get(heap[0][1]) != heap[0][0]:
            heappop(heap)
        return heap[0][0] if heap else NEVER_MS

    def expect(self, key: int, at_ms: int) -> None:
        """Replace the moment of one thing; `NEVER_MS` removes it."""
        if at_ms >= NEVER_MS:
            self._at_ms.pop(key, None)
        elif self._at_ms.get(key) != at_ms:
            self._at_ms[key] = at_ms
            heappush(self.heap, (at_ms, key))
            if len(self.heap) > 2 * len(self._at_ms) + OUTDATED_MAX:
                self.heap = [(moment, known) for known, moment in self._at_ms.items()]
                heapify(self.heap)

    def pop_due(self, now_ms: int) -> list[int]:
        """Remove the scheduled times until `now_ms`, and return their agents or calls."""
        due: list[int] = []
        heap, at_ms = self.heap, self._at_ms
        while heap and heap[0][0] <= now_ms:
            moment, key = heappop(heap)
            if at_ms.get(key) == moment:
                del at_ms[key]
                due.append(key)
        return due
