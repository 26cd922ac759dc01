"""The calls that wait in one queue, in the two orders in which they are looked for."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator

from dialer.domain.queueing.plans import Waiting


class Callers:
    """The calls that wait in one queue, by id, and those of them that are offered to agents."""

    __slots__ = ("_by_joining", "asked", "in_line", "picky")

    def __init__(self) -> None:
        self.in_line: list[tuple[int, int]] = []
        """The calls in the order of the line, each behind the start of the wait that counts."""
        self._by_joining: list[tuple[int, int]] = []
        """The calls in the order in which they joined, each behind that time."""
        self.asked: set[int] = set()
        """The calls that are offered to agents."""
        self.picky: set[int] = set()
        """The calls that need skills which not all agents of the queue may have."""

    def __len__(self) -> int:
        """Return the number of calls."""
        return len(self.in_line)

    def add(self, waiting: Waiting) -> None:
        """Add a call to the waiting calls of a queue."""
        insort(self.in_line, (waiting.score_from_ms, waiting.call_id))
        insort(self._by_joining, (waiting.joined_ms, waiting.call_id))
        if waiting.skills:
            self.picky.add(waiting.call_id)
        self.keep(waiting)

    def keep(self, waiting: Waiting) -> None:
        """Note whether a call is offered to agents."""
        if waiting.offers:
            self.asked.add(waiting.call_id)
        else:
            self.asked.discard(waiting.call_id)

    def remove(self, waiting: Waiting) -> None:
        """Remove a call from the waiting calls of a queue."""
        del self.in_line[bisect_left(self.in_line, (waiting.score_from_ms, waiting.call_id))]
        del self._by_joining[bisect_left(self._by_joining, (waiting.joined_ms, waiting.call_id))]
        self.asked.discard(waiting.call_id)
        self.picky.discard(waiting.call_id)

    def by_joining(self) -> Iterator[int]:
        """Yield the ids of the calls, the longest wait first."""
        return (call_id for _, call_id in self._by_joining)

    def next_joined_ms(self, after_ms: int) -> int | None:
        """Return the time at which the first call after `after_ms` joined the queue; None without one."""
        place = bisect_right(self._by_joining, after_ms, key=_moment)
        return self._by_joining[place][0] if place < len(self._by_joining) else None


def in_order(waiting: Iterable[Waiting]) -> list[Waiting]:
    """Return calls in the order of the line, which is common to all queues."""
    return sorted(waiting, key=lambda call: (call.score_from_ms, call.call_id))


def _moment(place: tuple[int, int]) -> int:
    return place[0]
