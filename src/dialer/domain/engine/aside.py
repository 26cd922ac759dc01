"""The people of a campaign who wait for an agent with the skills that they need: a line for each set of these."""

from collections import Counter
from collections.abc import Callable, Collection
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from dialer.domain.calls.plans import Subscriber
from dialer.domain.queueing.skills import Needs

ASIDE_MAX: Final = 1_000
"""People of a campaign who wait in memory for one set of skills; twice as many whom agents have promised to call."""
SETS_MAX: Final = 32
"""Sets of skills for which people of a campaign wait in memory; half are for those that somebody on duty has."""

_Place = tuple[bool, int, int]


class SkillWish(NamedTuple):
    """The agent whom the call of a person needs."""

    needs: Needs
    """The skills that the call needs."""
    is_abandoned: bool = False
    """True for somebody who needs no skill, and for whom an agent is kept all the same."""


class _Waiting(NamedTuple):
    place: _Place
    subscriber: Subscriber
    wish: SkillWish


def turn_of(subscriber: Subscriber) -> _Place:
    """Return the place of a subscriber in the order of a hopper: retries first, and then those never called."""
    return not subscriber.due_ms, subscriber.due_ms, subscriber.id


class Aside:
    """The lines of people who wait for skills. Each is in the order of the hopper."""

    def __init__(self) -> None:
        self.people: Final[dict[int, _Waiting]] = {}
        """The people by id. It is looked at so often that a method would be felt."""
        self._lines: Final[dict[tuple[str, SkillWish], list[_Waiting]]] = {}
        """The people of each zone and wish, as heaps. No place is twice there."""
        self._numbers: Final[Counter[SkillWish]] = Counter()
        self.rule: object = None
        """The settings by which wishes were read. Wishes are read again when these change."""
        self.is_counted: bool = False
        """True if it was asked since the last change whether anybody of the campaign can be called."""

    def zones(self) -> set[str]:
        """Return the zones of the people."""
        return {zone for zone, _ in self._lines}

    def has_room(self, subscriber: Subscriber, wish: SkillWish, *, is_served: bool) -> bool:
        """Return whether one more person may wait. `is_served` says whether somebody on duty has the skills."""
        is_promised, number = subscriber.promised_agent_id is not None, self._numbers[wish]
        sets_max = SETS_MAX if is_served else SETS_MAX // 2
        has_line = number > 0 or is_promised or len(self._numbers) < sets_max
        return has_line and number < (2 * ASIDE_MAX if is_promised else ASIDE_MAX)

    def add(self, subscriber: Subscriber, wish: SkillWish) -> None:
        """Let a person wait."""
        self.discard(subscriber.id)
        waiting = self.people[subscriber.id] = _Waiting(turn_of(subscriber), subscriber, wish)
        heappush(self._lines.setdefault((subscriber.zone, wish), []), waiting)
        self._numbers[wish] += 1
        self.is_counted = False

    def discard(self, subscriber_id: int) -> None:
        """Remove a person, if they wait here."""
        waiting = self.people.pop(subscriber_id, None)
        if waiting is None:
            return
        key = waiting.subscriber.zone, waiting.wish
        line = self._lines[key]
        if line[0] is waiting:
            heappop(line)
        else:
            line.remove(waiting)
            heapify(line)
        if not line:
            del self._lines[key]
        self._numbers[waiting.wish] -= 1
        if not self._numbers[waiting.wish]:
            del self._numbers[waiting.wish]
        self.is_counted = False

    def discard_number(self, number: str) -> None:
        """Remove the people with a number."""
        for waiting in [one for one in self.people.values() if one.subscriber.number == number]:
            self.discard(waiting.subscriber.id)

    def first(self, zones: Collection[str], may_be_called: Callable[[SkillWish], bool]) -> Subscriber | None:
        """Return the first person of some zones whose wish is met; None if there is none."""
        best: _Waiting | None = None
        for (zone, wish), line in self._lines.items():
            is_next = zone in zones and (best is None or line[0].place < best.place)
            if is_next and may_be_called(wish):
                best = line[0]
        return None if best is None else best.subscriber

    def read_again(self, rule: object, wish_of: Callable[[Subscriber], SkillWish]) -> None:
        """Put people into the lines of what they need now, if the rule has changed by which that is read."""
        if rule == self.rule:
            return
        self.rule = rule
        for waiting in list(self.people.values()):
            self.add(waiting.subscriber, wish_of(waiting.subscriber))
