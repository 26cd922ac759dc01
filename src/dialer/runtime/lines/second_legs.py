"""SecondLegs: the legs of transfers, to a number or to the telephones of agents."""

from typing import Final

from dialer.carriers.engine_port import Milestone
from dialer.domain.calls import agent_events, call_events, events
from dialer.domain.calls.circuit_breaker import CARRIER_FAILURES
from dialer.domain.calls.identity import leg_name
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.transfer_ends import open_transfer
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.queueing.plans import AgentPlan
from dialer.domain.sessions.b_leg_session import BLegReaction, BLegSession, BLegSessionState
from dialer.domain.sessions.leg_protocol import Dialling
from dialer.domain.words.enums import Cause
from dialer.runtime.lines.first_legs import FirstLegs
from dialer.runtime.lines.line_leg import LineLeg, b_leg_of, session_of
from dialer.runtime.lines.line_legs import LegNames, LineLegs


class SecondLegs:
    """The second legs among all legs of one live engine."""

    def __init__(self, legs: LineLegs, firsts: FirstLegs, names: LegNames) -> None:
        self._legs: Final = legs
        self._firsts: Final = firsts
        self._names: Final = names
        self._missed: list[agent_events.AgentMissed] = []
        """Offers to agents without a telephone."""

    # --- orders of the engine ---------------------------------------------------------------------------------------

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> int | None:
        """Let an agent's telephone ring. An agent without a telephone misses the call at the next step."""
        first = self._firsts.of(call.id)
        rings = any(b_leg_of(leg).state.agent_id == agent.id for leg in self._legs.seconds(call.id))
        if not dialled:
            self._missed.append(agent_events.AgentMissed(call.id, agent.id, offered_ms))
        elif not rings:
            transfer = call.transfers[-1]
            key = self._names.key(leg_name(transfer.callid, call.id, agent.id, offered_ms))
            order = Dialling(key, dialled, call.callerid, AGENT_RING_MS_MAX, transfer.talk_limit_ms)
            session = BLegSession(call, BLegSessionState(transfer.place, agent.id, offered_ms))
            self._legs.dial(self._legs.add_new(LineLeg(key, call.id, first.gateway_id, order, session, offered_ms)))
        return None

    def take_missed(self) -> list[agent_events.AgentMissed]:
        """Return the offers to agents without a telephone, once."""
        missed, self._missed = self._missed, []
        return missed

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop the ringing of an agent's telephone, unless the agent has taken the call."""
        for leg in self._legs.seconds(call_id):
            state = b_leg_of(leg).state
            if state.agent_id == agent_id and not state.is_taken:
                self._legs.leave(leg)

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:
        """Connect a call with the agent who took it, or return when the B-leg of its transfer is to be dialled."""
        if transfer.has_queued:
            for leg in self._legs.seconds(call_id):
                if b_leg_of(leg).state.agent_id == transfer.agent_id:
                    b_leg_of(leg).take()
                    self._join(leg)
            return None
        first = self._firsts.of(call_id)
        call, due_ms = session_of(first).call, transfer.started_ms or transfer.joined_ms
        key = self._names.key(leg_name(transfer.callid, call_id))
        order = Dialling(key, dialled, call.callerid, transfer.ring_limit_ms, transfer.talk_limit_ms)
        session = BLegSession(call, BLegSessionState(transfer.place, began_ms=due_ms, is_taken=True))
        self._legs.add_new(LineLeg(key, call_id, first.gateway_id, order, session, due_ms))
        return Milestone(due_ms, call_events.LegDue(call_id, transfer.place))

    def dial(self, call_id: int, place: int) -> None:
        """Dial the B-leg of a transfer, whose turn on the gateway has come."""
        for leg in self._legs.seconds(call_id):
            if leg.handed_ms is None and b_leg_of(leg).state.place == place:
                self._legs.dial(leg)

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Part a callee from their agent, so that the callee hears music, or connect them again."""
        first = self._legs.first(call_id)
        if first is None:
            return
        self._legs.give(first, session_of(first).hold(is_held=is_held).orders)
        for leg in self._legs.seconds(call_id):
            if not b_leg_of(leg).state.consulted_by:
                self._legs.give(leg, b_leg_of(leg).hold(is_held=is_held).orders)
                leg.is_changed = True

    def part(self, call_id: int, now_ms: int) -> LegOutcome:
        """End the leg of the agent who talks in a call, let the callee wait, and return the outcome of the leg."""
        first = self._firsts.of(call_id)
        session = session_of(first)
        self._legs.give(first, session.part().orders)
        first.is_changed = True
        talk = open_transfer(session.call)
        answered_ms = None if talk is None else talk.answered_ms
        outcome = LegOutcome(now_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True)
        for leg in self._legs.seconds(call_id):
            if b_leg_of(leg).state.is_taken and not b_leg_of(leg).state.consulted_by:
                outcome = b_leg_of(leg).cut(now_ms)
                self._legs.leave(leg)
        return outcome

    def hang_up(self, call_id: int) -> None:
        """End the second legs of a call that is to end. A leg in use is told to, so that its end is heard."""
        for leg in self._legs.seconds(call_id):
            if leg.handed_ms is not None and b_leg_of(leg).state.is_taken:
                self._clear(leg)
            else:
                self._legs.leave(leg)

    def clear_all(self, call_id: int) -> None:
        """Tell the second legs of a bridge that is over to end."""
        for leg in self._legs.seconds(call_id):
            self._clear(leg)

    def consulted_by(self, agent: LineLeg) -> list[LineLeg]:
        """Return the leg of the third person who talks with an agent, or waits for them."""
        return [leg for leg in self._legs.seconds(agent.call_id) if b_leg_of(leg).state.consulted_by == agent.key]

    def _clear(self, leg: LineLeg) -> None:
        self._legs.give(leg, (b_leg_of(leg).clear(),))

    # --- what is heard ----------------------------------------------------------------------------------------------

    def follow(self, leg: LineLeg, reaction: BLegReaction) -> list[events.Event]:
        """Return the events of a second leg."""
        self._legs.give(leg, reaction.orders)
        state = b_leg_of(leg).state
        if reaction.ended is not None:
            return self.over(leg, reaction.ended)
        if reaction.is_accepted and state.agent_id is not None:
            return [agent_events.AgentAnswered(leg.call_id, state.agent_id, state.began_ms)]
        if reaction.is_accepted and state.consulted_by:
            return [call_events.ThirdAnswered(leg.call_id, state.place, state.answered_ms or state.began_ms)]
        if reaction.is_accepted:
            self._join(leg)
        return []

    @staticmethod
    def found(leg: LineLeg) -> list[events.Event]:
        """Return the event of a third person who has answered and whom a line has found after a restart."""
        session = leg.session
        if not isinstance(session, BLegSession) or not (session.state.consulted_by and session.state.is_connected):
            return []
        state = session.state
        return [call_events.ThirdAnswered(leg.call_id, state.place, state.answered_ms or state.began_ms)]

    def over(self, leg: LineLeg, outcome: LegOutcome) -> list[events.Event]:
        """Return the events of a second leg that is over, and let its call go on."""
        self._legs.remove(leg)
        state, first = b_leg_of(leg).state, self._legs.first(leg.call_id)
        if state.agent_id is not None and not state.is_taken:
            is_carriers_fault = outcome.cause in CARRIER_FAILURES
            return [agent_events.AgentMissed(leg.call_id, state.agent_id, state.began_ms, is_carriers_fault)]
        place = state.place if state.consulted_by else None
        ended = call_events.LegEnded(leg.call_id, outcome, place=place)
        if first is None or place is not None:
            return [ended]
        reaction = session_of(first).transfer_over(outcome.ended_ms, is_connected=outcome.is_connected)
        return [ended, *self._firsts.follow(first, reaction)]

    def _join(self, leg: LineLeg) -> None:
        """Connect a call with its second leg."""
        first = self._legs.first(leg.call_id)
        leg.is_changed = True
        if first is not None:
            self._legs.give(first, session_of(first).bridge(leg.key).orders)
