"""The agents of a campaign's queues, as its pacing strategy counts them."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Final, TypeAlias

import msgspec

from dialer.domain.queueing.agents import TAKES_CALLS, AgentState
from dialer.domain.queueing.queue_state import QueueState

CREWS_MAX: Final = 4_096
"""Number of sets of queues whose agents are counted by change. With more sets, all are counted anew."""
OUTDATED_MAX: Final = 64
"""Number of outdated times of agents, beside one for each agent, from which on they are sorted out."""


class Staff(msgspec.Struct, frozen=True):
    """Counts of agents on duty and of callers.

    The fields have the meaning of those in `dialer.domain.pacing.inputs`.
    """

    agents: int
    idle: int
    """Agents who are being asked for a call of these queues are included: the call itself counts as waiting.

    Agents who look at a person, or wait for the call that they have placed, are not.
    """
    waiting: int
    bridged_ms: tuple[int, ...]
    wrapping_ms: tuple[int, ...]
    """The end of the wrap-up time, or of a rest after an offer that was not taken."""


_OFF: Final = 0
_BUSY: Final = 1
_IDLE: Final = 2
_WRAPPING: Final = 3
_BRIDGED: Final = 4
_Post: TypeAlias = tuple[int, int]
"""The work of an agent, and the time that belongs to it."""
_ABSENT: Final[_Post] = (_OFF, 0)
_IS_BUSY: Final[_Post] = (_BUSY, 0)
_IS_IDLE: Final[_Post] = (_IDLE, 0)


class Crew:
    """The agents of a set of queues. Each is counted again when they change, or when their wrap-up time ends."""

    __slots__ = (
        "_agents",
        "_lines",
        "_posts",
        "agents",
        "bridged_ms",
        "changed",
        "due",
        "idle",
        "in_line",
        "talks",
        "waiting",
        "wrapping_ms",
    )

    def __init__(self, agents: Mapping[int, AgentState], lines: list[QueueState]) -> None:
        self._agents: Final = agents
        self._lines: Final = lines
        self._posts: Final[dict[int, _Post]] = {}
        self.due: Final[list[tuple[int, int]]] = []
        """A heap of times at which agents may become idle without an event, with their ids. Some are outdated."""
        self.changed: Final[set[int]] = set().union(*[line.places for line in lines])
        """Agents who have changed since they were counted."""
        self.in_line: Final = [line.callers.in_line for line in lines]
        """The calls of each queue, which change with it."""
        self.waiting = 0
        """The number of calls that wait in the queues."""
        self.agents = 0
        """Agents on duty."""
        self.idle = 0
        self.bridged_ms: Final[list[int]] = []
        """The start time of each talk, in order."""
        self.wrapping_ms: Final[list[int]] = []
        """The end of each wrap-up time or rest, in order."""
        self.talks = 0
        """Number of changes of `bridged_ms` so far."""

    def staff(self) -> Staff:
        """Return the counts as a value."""
        return Staff(self.agents, self.idle, self.waiting, tuple(self.bridged_ms), tuple(self.wrapping_ms))

    def look(self, now_ms: int) -> None:
        """Count those agents again who have changed, or whose time has come."""
        due, changed = self.due, self.changed
        while due and due[0][0] <= now_ms:
            changed.add(heappop(due)[1])
        for agent_id in changed:
            self._count(agent_id, now_ms)
        changed.clear()
        if len(due) > 2 * len(self._posts) + OUTDATED_MAX:
            due[:] = [(post[1], agent_id) for agent_id, post in self._posts.items() if _ends_by_itself(post)]
            heapify(due)

    def _count(self, agent_id: int, now_ms: int) -> None:
        agent = self._agents.get(agent_id)
        post = _ABSENT if agent is None else self._post_of(agent, now_ms)
        before = self._posts.get(agent_id, _ABSENT)
        if post == before:
            return
        self._posts[agent_id] = post
        kind, at_ms = before
        self.agents += (post[0] > _OFF) - (kind > _OFF)
        self.idle += (post[0] == _IDLE) - (kind == _IDLE)
        if kind >= _WRAPPING:
            moments = self.bridged_ms if kind == _BRIDGED else self.wrapping_ms
            del moments[bisect_left(moments, at_ms)]
            self.talks += kind == _BRIDGED
        kind, at_ms = post
        if kind >= _WRAPPING:
            insort(self.bridged_ms if kind == _BRIDGED else self.wrapping_ms, at_ms)
            self.talks += kind == _BRIDGED
        if _ends_by_itself(post):
            heappush(self.due, (at_ms, agent_id))

    def _post_of(self, agent: AgentState, now_ms: int) -> _Post:
        if agent.plan.status not in TAKES_CALLS:
            return _ABSENT
        if agent.talk is not None:
            return (_BRIDGED, agent.talk.since_ms)
        if (free_ms := agent.figures.free_at_ms) > now_ms:
            return (_WRAPPING, free_ms)
        if (free_ms := agent.reserved_until_ms) > now_ms:
            return (_BUSY, free_ms)  # A call for this agent alone is on its way.
        if agent.kept_for is not None or agent.figures.outcome_call_id:
            return _IS_BUSY
        asked = agent.asked_call_id
        is_theirs = asked is None or any(asked in line.callers.asked for line in self._lines)
        return _IS_IDLE if is_theirs else _IS_BUSY


def _ends_by_itself(post: _Post) -> bool:
    return post[0] != _BRIDGED and post[1] > 0


_NO_CREWS: Final[Mapping[frozenset[int], Crew]] = {}


class StaffCounts:
    """The crews of sets of queues, each made when it is asked for.

    Campaigns that dial for agents ask at every event, and every second.
    """

    def __init__(self, agents: Mapping[int, AgentState], lines: Mapping[int, QueueState]) -> None:
        self._agents: Final = agents
        self._lines: Final = lines
        self._crews: Final[dict[frozenset[int], Crew]] = {}
        self._by_queue: Final[defaultdict[int, dict[frozenset[int], Crew]]] = defaultdict(dict)

    def change(self, agent_id: int, queue_ids: Iterable[int]) -> None:
        """Note that an agent changes who has a place in these queues."""
        if self._crews:
            for queue_id in queue_ids:
                for crew in self._by_queue.get(queue_id, _NO_CREWS).values():
                    crew.changed.add(agent_id)

    def forget(self, queue_id: int) -> None:
        """Count the agents of a queue anew from now on, because its places change."""
        for queue_ids in list(self._by_queue.pop(queue_id, ())):
            del self._crews[queue_ids]
            for other in queue_ids - {queue_id}:
                del self._by_queue[other][queue_ids]

    def of(self, queue_ids: frozenset[int], now_ms: int) -> Crew:
        """Return the agents who serve these queues, as they are now."""
        crew = self._crews.get(queue_ids) or self._add(queue_ids)
        if crew.changed or (crew.due and crew.due[0][0] <= now_ms):
            crew.look(now_ms)
        crew.waiting = sum(map(len, crew.in_line))
        return crew

    def _add(self, queue_ids: frozenset[int]) -> Crew:
        if len(self._crews) >= CREWS_MAX:
            self._crews.clear()
            self._by_queue.clear()
        lines = [line for queue_id in queue_ids if (line := self._lines.get(queue_id))]
        crew = self._crews[queue_ids] = Crew(self._agents, lines)
        for queue_id in queue_ids:
            self._by_queue[queue_id][queue_ids] = crew
        return crew
