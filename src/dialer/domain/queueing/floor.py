"""The state of the call-centre floor: agents, queues, waiting calls and talks, and what has changed of them."""

from collections import defaultdict
from typing import Final

from dialer.domain.queueing.agents import AgentState
from dialer.domain.queueing.changes import Notes
from dialer.domain.queueing.decisions import Decision, Withdraw
from dialer.domain.queueing.kept_agents import KeptAgents
from dialer.domain.queueing.moments import Moments
from dialer.domain.queueing.plans import AgentPlan, LeftEarly, QueuePlan, Waiting
from dialer.domain.queueing.promises import Promises
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.queueing.skills import CrewKey, Needs, Skills
from dialer.domain.queueing.staff import StaffCounts


class Floor:
    """All queues and agents, with the indexes that spare a look at all of them at every event."""

    def __init__(self, *, seed: int) -> None:
        self._seed: Final = seed
        self._agents: Final[dict[int, AgentState]] = {}
        self._lines: Final[dict[int, QueueState]] = {}
        self._opened: Final[set[int]] = set()
        """Queues that were opened, in contrast to those that only a call has named."""
        self._waiting: Final[dict[int, Waiting]] = {}
        self._talks: Final[dict[int, int]] = {}
        """The agent of each call with a talk in progress."""
        self.kept: Final = KeptAgents(self._changing)
        self._promises: Final = Promises()
        self._notes = Notes()
        # Nothing below says more than the above. It spares a look at all queues, agents and calls at every event.
        self._served_by: Final[defaultdict[int, set[int]]] = defaultdict(set)
        """The queues in which each agent has a place."""
        self._changed_agents: Final[set[int]] = set()
        """Agents who have changed since they were last looked at. The next three are of that look."""
        self._on_duty: Final[set[int]] = set()
        self._idle: Final[set[int]] = set()
        self._rests: Final = Moments()
        """The time at which each agent's wrap-up time or rest ends."""
        self._concerned: Final[set[int]] = set()
        """Queues for which something may have to be decided: they or their agents have changed, or their time came."""
        self._moments: Final = Moments()
        """The next time at which each queue with callers may have to decide something without an event."""
        self._staffed_anew: Final[set[int]] = set()
        """Queues whose agents or callers have changed since `restaffed` was asked last."""
        self.skills: Final = Skills(self._lines)
        self._crews: Final[dict[int, CrewKey]] = {}
        """The queues and skills of each agent; empty after a change of any."""
        self._able_agents: Final[dict[Needs, frozenset[int]]] = {}
        """The agents with the skills that some calls need; empty after such a change, too."""
        self._staff: Final = StaffCounts(self._agents, self._lines)
        self.crew: Final = self._staff.of
        """Return the agents who serve some queues, as `staff` does, as counts that go on changing with the floor."""

    def asked_for(self, agent_id: int) -> Waiting | None:
        """Return the call that an agent is being asked to take, if any."""
        call_id = self._agent(agent_id).asked_call_id
        return None if call_id is None else self._waiting.get(call_id)

    def serving(self, queue_id: int) -> list[AgentPlan]:
        """Return the agents who may take the calls of a queue, on duty or not."""
        return [self._agent(agent_id).plan for agent_id in self._line(queue_id).places]

    def agent_of(self, call_id: int) -> int | None:
        """Return the agent who talks in a call; None if no agent does."""
        return self._talks.get(call_id)

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
            self._staff.forget(queue_id)
        return self._lines[queue_id]

    def _seat(self, plan: QueuePlan) -> QueueState:
        """Give the places of a queue to those of its agents who have its skills, and return the queue."""
        line = self._line(plan.id)
        for agent_id in line.places:
            self._served_by[agent_id].discard(plan.id)
        line.renew(plan, self.skills.read(plan))
        for agent_id in line.places:
            self._served_by[agent_id].add(plan.id)
        self._forget_skills()
        self._staff.forget(plan.id)
        self._concern(plan.id)
        return line

    def _seat_again(self, agent_id: int) -> None:
        """Give an agent whose skills have changed the places in queues that the skills allow."""
        self._forget_skills()
        for queue_id, line in self._lines.items():
            if line.plan.skills and line.seat(agent_id):
                (self._served_by[agent_id].add if agent_id in line.places else self._served_by[agent_id].discard)(
                    queue_id
                )
                self._staff.forget(queue_id)
                self._concern(queue_id)

    def _forget_skills(self) -> None:
        self._crews.clear()
        self._able_agents.clear()

    def _changing(self, agent_id: int) -> AgentState:
        """Return an agent who is about to change."""
        self._changed_agents.add(agent_id)
        self._staff.change(agent_id, self._served_by[agent_id])
        return self._agent(agent_id)

    def _concern(self, queue_id: int) -> None:
        self._concerned.add(queue_id)
        self._staffed_anew.add(queue_id)

    def _look_at_agents(self, now_ms: int) -> None:
        """Find out which agents are idle now, and which queues this concerns."""
        changed, rests = self._changed_agents, self._rests
        if rests.heap and rests.heap[0][0] <= now_ms:
            changed.update(rests.pop_due(now_ms))
        while changed:
            agent_id = changed.pop()
            agent = self._agents[agent_id]
            (self._on_duty.add if agent.is_on_duty else self._on_duty.discard)(agent_id)
            (self._idle.add if agent.is_idle(now_ms) else self._idle.discard)(agent_id)
            rests.expect(agent_id, agent.next_ms(now_ms))
            self._concerned.update(self._served_by[agent_id])
            self._staffed_anew.update(self._served_by[agent_id])

    def _add(self, waiting: Waiting) -> None:
        self._waiting[waiting.call_id] = waiting
        self._promises.keep(waiting)
        self._line(waiting.queue_id).callers.add(waiting)
        self._concern(waiting.queue_id)

    def _keep(self, waiting: Waiting) -> None:
        self._waiting[waiting.call_id] = self._notes.waiting[waiting.call_id] = waiting
        self._promises.keep(waiting)
        self._lines[waiting.queue_id].callers.keep(waiting)
        self._concern(waiting.queue_id)

    def _keep_place(self, now_ms: int, waiting: Waiting) -> None:
        left = LeftEarly(waiting.queue_id, waiting.number, waiting.score_from_ms, now_ms)
        self._line(waiting.queue_id).keep_place(left)

    def _drop(self, waiting: Waiting) -> list[Decision]:
        """Remove a call from its queue, and return the offers to withdraw; the asked agents are idle again."""
        del self._waiting[waiting.call_id]
        self._promises.remove(waiting.call_id)
        self._lines[waiting.queue_id].callers.remove(waiting)
        self._concern(waiting.queue_id)
        self._notes.waiting.pop(waiting.call_id, None)
        for agent_id in waiting.offers:
            self._changing(agent_id).asked_call_id = None
        return [Withdraw(waiting.call_id, agent_id) for agent_id in sorted(waiting.offers)]
