"""The call-centre floor: waiting callers, asked agents and talking agents. It receives events and returns decisions.

The floor is pure: the time is an argument, chance is a hash, and equal calls in equal order give equal decisions.
Values that it hands out (places, figures) are never changed afterwards: a change makes a new value.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.enums import QueueStrategy
from dialer.domain.plans import NEVER_MS
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX, AgentState, AgentTalk
from dialer.domain.queueing.changes import Changes, Notes
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan, Waiting
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.queueing.staff import Staff, staff_of
from dialer.domain.queueing.strategies import AgentTurn, Candidate, asks_again_at_ms, rank_candidates
from dialer.domain.reasons import TransferReason


class AgentOffer(msgspec.Struct, frozen=True):
    """A decision to ask an agent to take a call."""

    call_id: int
    agent_id: int


class Withdraw(msgspec.Struct, frozen=True):
    """A decision to stop asking an agent: another one took the call, time is up, or the caller left."""

    call_id: int
    agent_id: int


class Unserved(msgspec.Struct, frozen=True):
    """A decision of a queue to give up on a call, which leaves the queue."""

    call_id: int
    reason: TransferReason
    """`max_wait` or `no_agent`."""


Decision = AgentOffer | Withdraw | Unserved


class CallDistributor:
    """All queues and agents. Times are in milliseconds and must never decrease from call to call."""

    def __init__(self, *, seed: int) -> None:
        self._seed: Final = seed
        self._agents: Final[dict[int, AgentState]] = {}
        self._lines: Final[dict[int, QueueState]] = {}
        self._opened: Final[set[int]] = set()
        """Queues that were opened, in contrast to those that only a call has named."""
        self._waiting: Final[dict[int, Waiting]] = {}
        self._callers: Final[defaultdict[int, set[int]]] = defaultdict(set)
        """The calls that wait in each queue: campaigns that dial for agents ask for them at every event."""
        self._talks: Final[dict[int, int]] = {}
        """The agent of each call with a talk in progress."""
        self._notes = Notes()

    def open_queue(
        self,
        plan: QueuePlan,
        last_agent_id: int = 0,
        left_early: Sequence[LeftEarly] = (),
        no_agent_from_ms: int = 0,
    ) -> None:
        """Open a queue, or update its settings. An update keeps the waiting calls and ignores the other arguments.

        `left_early` are the callers who left this queue and have not joined it again.
        """
        line = self._line(plan.id)
        line.renew(plan)
        if plan.id in self._opened:
            return
        self._opened.add(plan.id)
        line.last_agent_id = last_agent_id
        line.no_agent_from_ms = no_agent_from_ms
        line.keep_places(left_early)

    def open_agent(self, plan: AgentPlan, figures: AgentFigures | None = None) -> None:
        """Add an agent, or update their settings. Given figures replace the known ones.

        The next `decide` acts on a change of status: an agent who logs out is not asked any more. An agent who talks
        keeps talking.
        """
        agent = self._agent(plan.id)
        agent.plan = plan
        if figures is not None:
            agent.figures = figures

    def join(self, now_ms: int, call_id: int, queue_id: int, number: str, answered_ms: int) -> Waiting:
        """Add a call to a queue and return its place: the one its number left early, if the queue still keeps it.

        A call that waits already keeps its place. An unknown queue counts as a queue without agents.
        """
        if call_id in self._waiting:
            return self._waiting[call_id]
        waiting = self._line(queue_id).enter(now_ms, call_id, number, answered_ms)
        self._keep(waiting)
        return waiting

    def restore_waiting(self, waiting: Waiting) -> None:
        """Restore a waiting call after a restart, and the agents who were being asked to take it."""
        self._waiting[waiting.call_id] = waiting
        self._callers[waiting.queue_id].add(waiting.call_id)
        for agent_id in waiting.offers:
            self._agent(agent_id).asked_call_id = waiting.call_id

    def restore_talk(self, call_id: int, agent_id: int, since_ms: int) -> None:
        """Restore a talk after a restart."""
        self._agent(agent_id).talk = AgentTalk(call_id, since_ms)
        self._talks[call_id] = agent_id

    def leave(self, now_ms: int, call_id: int) -> list[Decision]:
        """Remove a caller who gave up waiting, keep their place for a while, and return the offers to withdraw."""
        waiting = self._waiting.get(call_id)
        if waiting is None:
            return []
        self._keep_place(now_ms, waiting)
        return self._drop(waiting)

    def forget_call(self, call_id: int) -> list[Decision]:
        """Remove a call without its place, and return the offers to withdraw. A talk in progress is not counted."""
        agent_id = self._talks.pop(call_id, None)
        if agent_id is not None:
            self._agents[agent_id].talk = None
        waiting = self._waiting.get(call_id)
        return self._drop(waiting) if waiting else []

    def taken(self, now_ms: int, call_id: int, agent_id: int) -> list[Decision] | None:
        """Connect the call with an agent who answered, and return the offers to withdraw from other agents.

        Return None and change nothing if the agent is not being asked for this call, or is off duty.
        """
        waiting = self._waiting.get(call_id)
        if waiting is None or agent_id not in waiting.offers or not self._agents[agent_id].is_on_duty:
            return None
        others = self._drop(waiting)
        self._agents[agent_id].take(now_ms, call_id)
        self._talks[call_id] = agent_id
        return [other for other in others if other != Withdraw(call_id, agent_id)]

    def missed(self, now_ms: int, call_id: int, agent_id: int) -> None:
        """End the offer of a waiting call to an agent whose telephone does not take it. The agent rests."""
        waiting, agent = self._waiting[call_id], self._agents[agent_id]
        agent.let_ring(now_ms)
        self._notes.agents[agent_id] = agent.figures
        self._keep(replace(waiting, offers={other: at for other, at in waiting.offers.items() if other != agent_id}))

    def released(self, now_ms: int, call_id: int) -> int | None:
        """End the talk of a call: count it, begin the wrap-up time, and return the agent.

        Return None if there was no talk.
        """
        agent_id = self._talks.pop(call_id, None)
        if agent_id is None:
            return None
        agent = self._agents[agent_id]
        if agent.hang_up(now_ms):
            self._notes.statuses[agent_id] = agent.plan.status
        self._notes.agents[agent_id] = agent.figures
        return agent_id

    def decide(self, now_ms: int) -> list[Decision]:
        """Return all decisions that are due now; calling again at once returns none.

        Calls whose time is up leave first. Then offers end, and then idle agents are asked. Each step follows the order
        of the line, which is common to all queues, because an agent may serve several.
        """
        staffed = self._watch_staff(now_ms)
        if not self._waiting:
            return []
        decisions: list[Decision] = []
        for waiting in _in_line(self._waiting.values()):
            decisions += self._give_up(now_ms, waiting)
        for waiting in _in_line(waiting_call for waiting_call in self._waiting.values() if waiting_call.offers):
            decisions += self._end_offers(now_ms, waiting)
        idle = {agent_id: agent for agent_id, agent in self._agents.items() if agent.is_idle(now_ms)}
        for waiting in _in_line(self._waiting.values()) if idle else ():
            decisions += self._ask(now_ms, waiting, idle, staffed[waiting.queue_id])
            if not idle:
                break
        return decisions

    def wakes_at_ms(self, now_ms: int, *, is_dialled_for: bool = False) -> int:
        """Return the next time at which `decide` may return something without a new event; `NEVER_MS` if there is none.

        If a campaign dials for the agents, times at which an agent becomes free count too. Call `decide` for `now_ms`
        first.
        """
        moments = [moment for waiting in self._waiting.values() for moment in self._moments(now_ms, waiting)]
        if self._waiting or is_dialled_for:
            moments += (agent.figures.free_at_ms for agent in self._agents.values() if agent.is_on_duty)
        return min((moment for moment in moments if moment > now_ms), default=NEVER_MS)

    def staff(self, queue_ids: frozenset[int], now_ms: int) -> Staff:
        """Return the agents who serve these queues, and the number of calls that wait in them."""
        members = set().union(*[line.places for queue_id in queue_ids if (line := self._lines.get(queue_id))])
        agents = [agent for agent_id in members if (agent := self._agents.get(agent_id))]
        calls = set().union(*[self._callers.get(queue_id, ()) for queue_id in queue_ids])
        return staff_of(agents, calls, now_ms)

    def changed(self) -> Changes:
        """Return the changes that must be stored and were not returned before."""
        changes = self._notes.changes()
        self._notes = Notes()
        return changes

    def asked_for(self, agent_id: int) -> Waiting | None:
        """Return the call that an agent is being asked to take, if any."""
        call_id = self._agent(agent_id).asked_call_id
        return None if call_id is None else self._waiting.get(call_id)

    def serving(self, queue_id: int) -> list[AgentPlan]:
        """Return the agents who may take the calls of a queue, on duty or not."""
        return [self._agent(agent_id).plan for agent_id in self._line(queue_id).places]

    def waiting_of(self, call_id: int) -> Waiting | None:
        """Return the place of a waiting call; None if the call does not wait."""
        return self._waiting.get(call_id)

    def _agent(self, agent_id: int) -> AgentState:
        if agent_id not in self._agents:
            self._agents[agent_id] = AgentState(AgentPlan(agent_id, 0))
        return self._agents[agent_id]

    def _line(self, queue_id: int) -> QueueState:
        if queue_id not in self._lines:
            self._lines[queue_id] = QueueState(QueuePlan(queue_id))
        return self._lines[queue_id]

    def _keep(self, waiting: Waiting) -> None:
        self._waiting[waiting.call_id] = self._notes.waiting[waiting.call_id] = waiting
        self._callers[waiting.queue_id].add(waiting.call_id)

    def _keep_place(self, now_ms: int, waiting: Waiting) -> None:
        left = LeftEarly(waiting.queue_id, waiting.number, waiting.score_from_ms, now_ms)
        self._line(waiting.queue_id).keep_place(left)

    def _drop(self, waiting: Waiting) -> list[Decision]:
        """Remove a call from its queue, and return the offers to withdraw; the asked agents are idle again."""
        del self._waiting[waiting.call_id]
        self._callers[waiting.queue_id].discard(waiting.call_id)
        self._notes.waiting.pop(waiting.call_id, None)
        for agent_id in waiting.offers:
            self._agents[agent_id].asked_call_id = None
        return [Withdraw(waiting.call_id, agent_id) for agent_id in sorted(waiting.offers)]

    def _watch_staff(self, now_ms: int) -> dict[int, set[int]]:
        """Note since when callers have had no agent on duty.

        Return the levels with such an agent, for each queue concerned.
        """
        staffed: dict[int, set[int]] = {}
        waited_for = {waiting.queue_id for waiting in self._waiting.values()}
        missed = {queue_id for queue_id, line in self._lines.items() if line.no_agent_from_ms}
        for queue_id in waited_for | missed:
            line = self._line(queue_id)
            staffed[queue_id] = self._staffed_levels(line)
            is_staffed = bool(staffed[queue_id])
            if is_staffed == bool(line.no_agent_from_ms):
                line.no_agent_from_ms = 0 if is_staffed else now_ms
                self._notes.no_agent_from_ms[queue_id] = line.no_agent_from_ms
        return staffed

    def _staffed_levels(self, line: QueueState) -> set[int]:
        return {
            tier.level for tier in line.plan.tiers if (agent := self._agents.get(tier.agent_id)) and agent.is_on_duty
        }

    def _give_up(self, now_ms: int, waiting: Waiting) -> list[Decision]:
        until_ms, reason = self._line(waiting.queue_id).gives_up(waiting)
        if until_ms > now_ms:
            return []
        self._keep_place(now_ms, waiting)
        return [*self._drop(waiting), Unserved(waiting.call_id, reason)]

    def _end_offers(self, now_ms: int, waiting: Waiting) -> list[Decision]:
        """End the offers to agents who did not answer in time, or who no longer take calls of this queue."""
        places = self._line(waiting.queue_id).places
        ended: list[Decision] = []
        for agent_id, since_ms in sorted(waiting.offers.items()):
            agent = self._agents[agent_id]
            if since_ms + AGENT_RING_MS_MAX <= now_ms:
                agent.let_ring(now_ms)
                self._notes.agents[agent_id] = agent.figures
            elif agent_id not in places or not agent.is_on_duty:
                agent.asked_call_id = None
            else:
                continue
            ended.append(Withdraw(waiting.call_id, agent_id))
        if ended:
            gone = {decision.agent_id for decision in ended if isinstance(decision, Withdraw)}
            self._keep(
                replace(waiting, offers={other: at for other, at in waiting.offers.items() if other not in gone})
            )
        return ended

    def _ask(self, now_ms: int, waiting: Waiting, idle: dict[int, AgentState], staffed: set[int]) -> list[Decision]:
        """Ask the agents whose turn it is, and remove them from `idle`."""
        line = self._line(waiting.queue_id)
        if asks_again_at_ms(line.plan.strategy, waiting) > now_ms:
            return []
        top = line.levels.top(now_ms - waiting.joined_ms, staffed)
        agent_ids = self._next_agents(waiting, line, idle, top)
        for agent_id in agent_ids:
            agent = idle.pop(agent_id)
            agent.ask(now_ms, waiting.call_id)
            self._notes.agents[agent_id] = agent.figures
            self._notes.queues[line.plan.id] = line.last_agent_id = agent_id
        if agent_ids:
            self._keep(replace(waiting, offers=waiting.offers | dict.fromkeys(agent_ids, now_ms)))
        return [AgentOffer(waiting.call_id, agent_id) for agent_id in agent_ids]

    def _next_agents(self, waiting: Waiting, line: QueueState, idle: dict[int, AgentState], top: int) -> list[int]:
        places = ((line.places.get(agent_id), agent) for agent_id, agent in idle.items())
        candidates = [Candidate(tier, agent.figures) for tier, agent in places if tier and tier.level <= top]
        turn = AgentTurn(self._seed, waiting, line.places.get(line.last_agent_id))
        ranked = rank_candidates(line.plan.strategy, turn, candidates)
        if line.plan.strategy is not QueueStrategy.RING_ALL:
            del ranked[1:]
        return [candidate.tier.agent_id for candidate in ranked]

    def _moments(self, now_ms: int, waiting: Waiting) -> Iterator[int]:
        """Yield the times, some of them past, at which a decision about a waiting call may be due."""
        line = self._line(waiting.queue_id)
        yield line.gives_up(waiting)[0]
        yield line.levels.next_at_ms(waiting.joined_ms, now_ms)
        yield asks_again_at_ms(line.plan.strategy, waiting)
        for since_ms in waiting.offers.values():
            yield since_ms + AGENT_RING_MS_MAX


def _in_line(waiting: Iterable[Waiting]) -> list[Waiting]:
    """Return calls in the order of the line, which is common to all queues."""
    return sorted(waiting, key=lambda call: (call.score_from_ms, call.call_id))
