"""The agents of the floor who are free: for which queues, with which skills, and for whom among the callers."""

from collections import Counter
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from dialer.domain.queueing.callers import in_order
from dialer.domain.queueing.floor import Floor
from dialer.domain.queueing.plans import Waiting
from dialer.domain.queueing.promises import is_kept
from dialer.domain.queueing.skills import CrewKey, Needs
from dialer.domain.queueing.staff import Staff

NEEDS_MAX: Final = 256
"""Sets of skills whose agents are kept in memory."""


class FreeAgents(Floor):
    """A floor that tells who is free. It changes nothing but its own indexes."""

    def is_available(self, now_ms: int, agent_id: int, queue_ids: AbstractSet[int]) -> bool:
        """Return whether an agent is idle who serves one of these queues."""
        self._look_at_agents(now_ms)
        return agent_id in self._idle and not self._served_by[agent_id].isdisjoint(queue_ids)

    def is_idle(self, now_ms: int, agent_id: int) -> bool:
        """Return whether an agent could be asked for a call now."""
        return self._agent(agent_id).is_idle(now_ms)

    def has_no_call(self, agent_id: int) -> bool:
        """Return whether an agent talks in no call, is asked for none, and has placed none."""
        agent = self._agent(agent_id)
        return agent.talk is None and agent.asked_call_id is None and not agent.kept_for

    def queue_of(self, agent_id: int, first: int | None) -> int | None:
        """Return a queue that an agent serves, `first` if they do; None if they serve none."""
        return first if first in self._served_by[agent_id] else min(self._served_by[agent_id], default=None)

    def may_dial(self, agent_id: int, queue_ids: AbstractSet[int]) -> bool:
        """Return whether an agent is on duty in one of these queues, and has no call."""
        return self._agent(agent_id).may_dial and not queue_ids.isdisjoint(self._served_by[agent_id])

    def next_idle(self, queue_ids: frozenset[int], now_ms: int, additional_vars: str = "") -> int | None:
        """Return the longest idle agent of these queues; None if no agent is idle.

        With the `additional_vars` of a contact, the agent has the skills that a call of the contact needs.
        """
        self._look_at_agents(now_ms)
        idle = [agent_id for agent_id in self._idle if not queue_ids.isdisjoint(self._served_by[agent_id])]
        if self.skills.fields and (needs := self.skills.needs_in(queue_ids, additional_vars)):
            idle = self.skills.able(needs, idle)
        return min(idle, key=lambda one: (self._agents[one].figures.last_bridge_end_ms, one), default=None)

    def idle_crews(self, now_ms: int) -> Counter[CrewKey]:
        """Return the number of idle agents, by the queues that they serve and the skills that they have."""
        self._look_at_agents(now_ms)
        if len(self._crews) < len(self._agents):
            self._crews.update((one, (frozenset(self._served_by[one]), self.skills.of(one))) for one in self._agents)
        return Counter(map(self._crews.__getitem__, self._idle))

    def on_duty_with(self, needs: Needs, now_ms: int) -> int:
        """Return the number of agents on duty who have the skills that a call needs in one of its queues."""
        self._look_at_agents(now_ms)
        return len(self._able_for(needs) & self._on_duty)

    def idle_with(self, needs: Needs, now_ms: int) -> int:
        """Return the number of idle agents who have the skills that a call needs in one of its queues."""
        self._look_at_agents(now_ms)
        return len(self._able_for(needs) & self._idle)

    def wanted_of(self, looking: AbstractSet[int], now_ms: int) -> list[int]:
        """Return those of some agents for whom a caller waits whom no agent is asked to take: one for each caller.

        `looking` are agents who look at a person. They would be asked if they were idle.
        """
        found: list[int] = []
        for waiting in in_order(one for one in self._waiting.values() if not one.offers):
            line = self._line(waiting.queue_id)
            top = line.top(now_ms, waiting, self._able(waiting, self._on_duty))
            able = self._able(waiting, looking - set(found))
            if waiting.promise is not None and is_kept(now_ms, waiting, self._agents, line.places):
                able = {waiting.promise.agent_id} & looking - set(found)  # The call may need anything.
            serving = (
                agent_id
                for agent_id in sorted(able)
                if line.places[agent_id].level <= top and self._agents[agent_id].is_free(now_ms)
            )
            found += islice(serving, 1)
        return found

    def restaffed(self, now_ms: int) -> set[int]:
        """Return the queues whose `staff` may have changed since the last request."""
        self._look_at_agents(now_ms)
        queue_ids = set(self._staffed_anew)
        self._staffed_anew.clear()
        return queue_ids

    def staff(self, queue_ids: frozenset[int], now_ms: int) -> Staff:
        """Return the agents who serve these queues, and the number of calls that wait in them."""
        return self.crew(queue_ids, now_ms).staff()

    def _able_for(self, needs: Needs) -> frozenset[int]:
        if len(self._able_agents) >= NEEDS_MAX:
            self._able_agents.clear()
        if needs not in self._able_agents:
            self._able_agents[needs] = frozenset(self.skills.able(needs, list(self._served_by)))
        return self._able_agents[needs]

    def _able(self, waiting: Waiting, agent_ids: AbstractSet[int]) -> AbstractSet[int]:
        """Return those agents of a call's queue who have the skills that it needs."""
        serving = agent_ids & self._lines[waiting.queue_id].places.keys()
        return {one for one in serving if self.skills.has(one, waiting.skills)} if waiting.skills else serving

    def _may_take(self, waiting: Waiting, agent_id: int) -> bool:
        """Return whether an agent has the skills that a call needs, or has promised to take it."""
        if not waiting.skills or self.skills.has(agent_id, waiting.skills):
            return True
        return waiting.promise is not None and waiting.promise.agent_id == agent_id
