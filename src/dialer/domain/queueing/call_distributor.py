"""The call-centre floor: waiting callers, asked agents and talking agents. It receives events and returns decisions.

The floor is pure: the time is an argument, chance is a hash, and equal calls in equal order give equal decisions.
Values that it hands out (places, figures) are never changed afterwards: a change makes a new value.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heapreplace

from msgspec.structs import replace

from dialer.domain.queueing.agents import AGENT_RING_MS_MAX, AgentTalk
from dialer.domain.queueing.callers import in_order
from dialer.domain.queueing.changes import Changes, Notes
from dialer.domain.queueing.decisions import AgentOffer, Decision, Unserved, Withdraw
from dialer.domain.queueing.free_agents import FreeAgents
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, Promise, QueuePlan, Waiting
from dialer.domain.queueing.promises import is_kept
from dialer.domain.queueing.queue_state import QueueState
from dialer.domain.queueing.skills import NO_SKILLS, SkillSet
from dialer.domain.queueing.strategies import AgentTurn, asks_again_at_ms, next_agents
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import BreakCause, TransferReason


class CallDistributor(FreeAgents):
    """All queues and agents. Times are in milliseconds and must never decrease from call to call."""

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
        line = self._seat(plan)
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
        agent = self._changing(plan.id)
        agent.plan = plan
        if self.skills.learn(plan.id, plan.skills):
            self._seat_again(plan.id)
        if figures is not None:
            agent.figures = figures

    def requires_outcome(self, queue_id: int | None) -> bool:
        """Return whether the agents of a queue say the outcome of each call before the next one."""
        return queue_id in self._lines and self._lines[queue_id].plan.outcome_required

    def reserve(self, call_id: int, promise: Promise, *, is_consulted: bool = False) -> None:
        """Keep an agent for a call that was placed for them alone, until it joins a queue or is over.

        With `is_consulted`, another agent consults them in the call, until the end of the reservation.
        """
        self._promises.reserve(call_id, promise)
        agent = self._changing(promise.agent_id)
        agent.reserved_until_ms = promise.until_ms
        if is_consulted:
            agent.consulted_in = call_id

    def unreserve(self, call_id: int) -> bool:
        """End the reservation of an agent for a call. Return whether there was one."""
        if (agent_id := self._promises.unreserve(call_id)) is not None:
            agent = self._changing(agent_id)
            agent.reserved_until_ms = 0
            if agent.consulted_in == call_id:
                agent.consulted_in = None
        return agent_id is not None

    def join(
        self,
        now_ms: int,
        call_id: int,
        queue_id: int,
        number: str,
        answered_ms: int,
        promise: Promise | None = None,
        *,
        skills: SkillSet = NO_SKILLS,
        is_over_line: bool = False,
    ) -> Waiting:
        """Add a call to a queue and return its place: the one its number left early, if the queue still keeps it.

        A call that waits already keeps its place. An unknown queue counts as a queue without agents. Agents who lack
        one of the skills are not asked, unless they have promised to take the call.
        """
        if call_id in self._waiting:
            return self._waiting[call_id]
        place = self._line(queue_id).enter(now_ms, call_id, number, answered_ms)
        waiting = replace(place, promise=promise, is_over_line=is_over_line, skills=skills)
        self._add(waiting)
        self._notes.waiting[call_id] = waiting
        return waiting

    def restore_waiting(self, waiting: Waiting) -> None:
        """Restore a waiting call after a restart, and the agents who were being asked to take it."""
        self._add(waiting)
        for agent_id in waiting.offers:
            self._changing(agent_id).asked_call_id = waiting.call_id

    def restore_talk(self, call_id: int, agent_id: int, since_ms: int) -> None:
        """Restore a talk after a restart."""
        self._changing(agent_id).talk = AgentTalk(call_id, since_ms)
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
            self._changing(agent_id).talk = None
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
        self._changing(agent_id).take(now_ms, call_id)
        self._talks[call_id] = agent_id
        return [other for other in others if other != Withdraw(call_id, agent_id)]

    def missed(self, now_ms: int, call_id: int, agent_id: int, *, has_rung: bool = True) -> None:
        """End the offer of a waiting call to an agent whose telephone does not take it. The agent rests."""
        waiting = self._waiting[call_id]
        self._let_ring(now_ms, agent_id, waiting, has_rung=has_rung)
        self._keep(replace(waiting, offers={other: at for other, at in waiting.offers.items() if other != agent_id}))

    def released(
        self, now_ms: int, call_id: int, rest_ms: int | None = None, *, owes_outcome: bool = False
    ) -> int | None:
        """End the talk of a call: count it, begin the wrap-up time (or a rest of another length), and return the agent.

        With `owes_outcome`, the agent gets no call before the outcome of this one is said. Return None if there was no
        talk.
        """
        agent_id = self._talks.pop(call_id, None)
        if agent_id is None:
            return None
        agent = self._changing(agent_id)
        if agent.hang_up(now_ms, rest_ms, owes_outcome=owes_outcome):
            self._notes.statuses[agent_id] = agent.plan.status
        self._notes.agents[agent_id] = agent.figures
        return agent_id

    def forgive(self, agent_id: int, call_id: int) -> None:
        """Let an agent owe no outcome of a call that others talk in, or they themselves again."""
        known = self._agents.get(agent_id)
        if known is not None and known.figures.outcome_call_id == call_id:
            self._owe(agent_id, 0)

    def charge(self, agent_id: int, call_id: int) -> None:
        """Let an agent owe the outcome of a call that they have given on, and that nobody took.

        An agent who has another call by then, is asked for one or owes another outcome does not.
        """
        agent = self._agents.get(agent_id)
        if agent is None or agent.figures.outcome_call_id:
            return
        if agent.talk is None and agent.asked_call_id is None and agent.kept_for is None and agent.consulted_in is None:
            self._owe(agent_id, call_id)

    def _owe(self, agent_id: int, call_id: int) -> None:
        agent = self._changing(agent_id)
        agent.figures = replace(agent.figures, outcome_call_id=call_id)
        self._notes.agents[agent_id] = agent.figures
        self._notes.owing.add(agent_id)

    def send_on_break(self, agent_id: int, cause: BreakCause) -> None:
        """Give an agent no calls until they come back to work."""
        agent = self._changing(agent_id)
        agent.plan = replace(agent.plan, status=AgentStatus.ON_BREAK)
        self._notes.statuses[agent_id] = agent.plan.status
        self._notes.break_causes[agent_id] = cause

    def _let_ring(self, now_ms: int, agent_id: int, waiting: Waiting, *, has_rung: bool) -> None:
        """Note that an agent has not answered. One whose telephone rings in vain again and again takes a break."""
        agent, most = self._changing(agent_id), self._lines[waiting.queue_id].plan.missed_calls_max
        agent.let_ring(now_ms, is_over_line=waiting.is_over_line, has_rung=has_rung)
        is_missed = has_rung and waiting.is_over_line and agent.is_on_duty
        if most and is_missed and agent.figures.missed_calls % most == 0:
            self.send_on_break(agent_id, BreakCause.MISSED_CALLS)
        self._notes.agents[agent_id] = agent.figures

    def decide(self, now_ms: int, unheard: AbstractSet[int] = frozenset()) -> list[Decision]:
        """Return all decisions that are due now; calling again at once returns none.

        `unheard` are the calls over lines that do not work, whose telephones may not ring.

        Calls whose time is up leave first. Then offers end, and then idle agents are asked. Each step follows the order
        of the line, which is common to all queues, because an agent may serve several.
        """
        self._look_at_agents(now_ms)
        self._concerned.update(self._moments.pop_due(now_ms))
        decisions: list[Decision] = []
        if lines := self._watched(now_ms):
            for waiting in in_order(waiting for line in lines for waiting in line.overdue(now_ms, self._waiting)):
                decisions += self._give_up(now_ms, waiting)
            for line in lines:
                if line.callers.picky:
                    decisions += self._give_up_unskilled(now_ms, line)
            for waiting in in_order(self._waiting[call_id] for line in lines for call_id in line.callers.asked):
                decisions += self._end_offers(now_ms, waiting, has_rung=waiting.call_id not in unheard)
            if self._changed_agents:
                self._look_at_agents(now_ms)  # Those who are not asked any more are idle, for all their queues.
            decisions += self._ask_kept(now_ms)
            decisions += self._ask_in_line(now_ms)
            if self._changed_agents:
                self._look_at_agents(now_ms)
        self._look_ahead(now_ms)
        self._concerned.clear()
        return decisions

    def _watched(self, now_ms: int) -> list[QueueState]:
        """Note which queues have lost their last agent or have one again, and return those with callers."""
        lines = [self._lines[queue_id] for queue_id in sorted(self._concerned)]
        for line in lines:
            if line.watch_staff(now_ms, self._on_duty):
                self._notes.no_agent_from_ms[line.plan.id] = line.no_agent_from_ms
        return [line for line in lines if line.callers.in_line]

    def wakes_at_ms(self, now_ms: int, *, is_dialled_for: bool = False) -> int:
        """Return the next time at which `decide` may return something without a new event; `NEVER_MS` if there is none.

        If a campaign dials for the agents, times at which an agent becomes free count too. Call `decide` for `now_ms`
        first.
        """
        self._look_at_agents(now_ms)
        self._look_ahead(now_ms)
        rests_end_ms = self._rests.next_ms if self._waiting or is_dialled_for else NEVER_MS
        return min(self._moments.next_ms, rests_end_ms)

    def changed(self) -> Changes:
        """Return the changes that must be stored and were not returned before."""
        changes = self._notes.changes()
        self._notes = Notes()
        return changes

    def _give_up(self, now_ms: int, waiting: Waiting) -> list[Decision]:
        line = self._lines[waiting.queue_id]
        until_ms, reason = line.gives_up(waiting)
        if until_ms > now_ms:
            return []
        if reason is TransferReason.NO_AGENT and not self._on_duty.isdisjoint(
            tier.agent_id for tier in line.plan.tiers
        ):
            reason = TransferReason.NO_SKILL  # Those on duty lack the skills of the queue.
        self._keep_place(now_ms, waiting)
        return [*self._drop(waiting), Unserved(waiting.call_id, reason)]

    def _give_up_unskilled(self, now_ms: int, line: QueueState) -> list[Decision]:
        """Give up on the calls of a queue that have waited for an agent with their skills, if none is on duty."""
        decisions: list[Decision] = []
        for waiting in in_order(self._waiting[call_id] for call_id in line.callers.picky):
            is_late = not waiting.offers and line.gives_up_unskilled(waiting) <= now_ms
            is_served = self._able(waiting, self._on_duty) or is_kept(now_ms, waiting, self._agents, line.places)
            if is_late and not is_served:
                self._keep_place(now_ms, waiting)
                decisions += [*self._drop(waiting), Unserved(waiting.call_id, TransferReason.NO_SKILL)]
        return decisions

    def _end_offers(self, now_ms: int, waiting: Waiting, *, has_rung: bool) -> list[Decision]:
        """End the offers to agents who did not answer in time, or who no longer take calls of this queue."""
        places = self._lines[waiting.queue_id].places
        ended: list[Decision] = []
        for agent_id, since_ms in sorted(waiting.offers.items()):
            agent = self._agents[agent_id]
            if since_ms + AGENT_RING_MS_MAX <= now_ms:
                self._let_ring(now_ms, agent_id, waiting, has_rung=has_rung)
            elif (
                agent_id not in places
                or not agent.is_on_duty
                or (waiting.skills and not self._may_take(waiting, agent_id))
            ):
                self._changing(agent_id).asked_call_id = None
            else:
                continue
            ended.append(Withdraw(waiting.call_id, agent_id))
        if ended:
            gone = {decision.agent_id for decision in ended if isinstance(decision, Withdraw)}
            self._keep(
                replace(waiting, offers={other: at for other, at in waiting.offers.items() if other not in gone})
            )
        return ended

    def _ask_kept(self, now_ms: int) -> list[Decision]:
        """Ask the agents who have placed the calls that have come to a queue. Others take those whose agent cannot."""
        decisions: list[Decision] = []
        for call_id, agent_id in self.kept.come_for(self._waiting.keys()):
            waiting = self._waiting[call_id]
            serves = agent_id in self._lines[waiting.queue_id].places and self._may_take(waiting, agent_id)
            if serves and self._agents[agent_id].may_dial:
                decisions += self._ask_these([agent_id], now_ms, waiting)
        if self._changed_agents:
            self._look_at_agents(now_ms)
        return decisions

    def _ask_in_line(self, now_ms: int) -> list[Decision]:
        """Ask idle agents for the calls of the queues that are concerned, in the order of the line."""
        decisions = self._ask_promised(now_ms)
        turns = [
            (*line.callers.in_line[0], 0, queue_id)
            for queue_id in self._concerned
            if (line := self._lines[queue_id]).callers.in_line
            and line.may_ask(now_ms, self._waiting, self._idle, self._on_duty)
        ]
        heapify(turns)
        while turns:
            _, call_id, place, queue_id = turns[0]
            line, waiting = self._lines[queue_id], self._waiting[call_id]
            may_ask = True
            if asks_again_at_ms(line.plan.strategy, waiting) <= now_ms:
                decisions += self._ask(now_ms, waiting, line)
                may_ask = self._may_ask(now_ms, line)
            if may_ask and place + 1 < len(line.callers.in_line):
                heapreplace(turns, (*line.callers.in_line[place + 1], place + 1, queue_id))
            else:
                heappop(turns)
        return decisions

    def _may_ask(self, now_ms: int, line: QueueState) -> bool:
        return line.may_ask(now_ms, self._waiting, self._idle, self._on_duty)

    def _ask_promised(self, now_ms: int) -> list[Decision]:
        """Ask idle agents for the calls that they have promised to take, before any other."""
        decisions: list[Decision] = []
        for waiting in self._promises.in_line():
            agent_id = 0 if waiting.promise is None else waiting.promise.agent_id
            is_next = agent_id in self._idle and not waiting.offers
            if is_next and is_kept(now_ms, waiting, self._agents, self._lines[waiting.queue_id].places):
                decisions += self._ask_these([agent_id], now_ms, waiting)
        return decisions

    def _ask(self, now_ms: int, waiting: Waiting, line: QueueState) -> list[Decision]:
        """Ask the agents whose turn it is. They are not idle any more."""
        if is_kept(now_ms, waiting, self._agents, line.places):
            return []
        return self._ask_these(self._next_agents(now_ms, waiting, line), now_ms, waiting)

    def _ask_these(self, agent_ids: list[int], now_ms: int, waiting: Waiting) -> list[Decision]:
        line = self._lines[waiting.queue_id]
        for agent_id in agent_ids:
            agent = self._changing(agent_id)
            agent.ask(now_ms, waiting.call_id)
            self._idle.discard(agent_id)
            self._notes.agents[agent_id] = agent.figures
            self._notes.queues[line.plan.id] = line.last_agent_id = agent_id
        if agent_ids:
            self._keep(replace(waiting, offers=waiting.offers | dict.fromkeys(agent_ids, now_ms)))
        return [AgentOffer(waiting.call_id, agent_id) for agent_id in agent_ids]

    def _next_agents(self, now_ms: int, waiting: Waiting, line: QueueState) -> list[int]:
        top = line.top(now_ms, waiting, self._able(waiting, self._on_duty) if waiting.skills else self._on_duty)
        candidates = [
            (tier, self._agents[agent_id].figures)
            for agent_id in (self._able(waiting, self._idle) if waiting.skills else self._idle & line.places.keys())
            if (tier := line.places[agent_id]).level <= top
        ]
        turn = AgentTurn(self._seed, waiting, line.places.get(line.last_agent_id))
        return next_agents(line.plan.strategy, turn, candidates)

    def _look_ahead(self, now_ms: int) -> None:
        for queue_id in self._concerned:
            line = self._lines[queue_id]
            self._moments.expect(queue_id, line.next_ms(now_ms, self._waiting, self._promises.ends_ms(queue_id)))
