"""ConsultLegs: the legs of third persons whom agents consult during calls over lines, one a call at most."""

from typing import Final

from dialer.carriers.engine_port import Milestone, NoHandOver
from dialer.domain.calls import call_events
from dialer.domain.calls.identity import leg_name
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState
from dialer.domain.sessions.leg_protocol import Dialling
from dialer.domain.words.enums import ConsultationMode
from dialer.runtime.lines.first_legs import FirstLegs
from dialer.runtime.lines.line_leg import LineLeg, b_leg_of, session_of
from dialer.runtime.lines.line_legs import LegNames, LineLegs
from dialer.runtime.lines.second_legs import SecondLegs


class ConsultLegs:
    """The legs of third persons among all legs of one live engine.

    Such a leg is a second leg that talks with the leg of the agent. The callee's leg waits meanwhile.
    """

    def __init__(self, legs: LineLegs, firsts: FirstLegs, seconds: SecondLegs, names: LegNames) -> None:
        self._legs: Final = legs
        self._firsts: Final = firsts
        self._seconds: Final = seconds
        self._names: Final = names

    def consult(self, call: Call, transfer: Transfer, dialled: str) -> list[Milestone] | None:
        """Add the leg of a third person, unless it is there, and return when it is to be dialled.

        Return None if there is no leg, and the agent is gone for whom it would be.
        """
        if self._third(call.id, transfer.place) is not None:
            return []
        agent = self._agent(call.id)
        if agent is None:
            return None
        first, due_ms = self._firsts.of(call.id), transfer.started_ms or transfer.joined_ms
        key = self._names.key(leg_name(transfer.callid, call.id))
        order = Dialling(key, dialled, call.callerid, transfer.ring_limit_ms, transfer.talk_limit_ms)
        state = BLegSessionState(transfer.place, began_ms=due_ms, is_taken=True, consulted_by=agent.key)
        self._legs.add_new(LineLeg(key, call.id, first.gateway_id, order, BLegSession(call, state), due_ms))
        return [Milestone(due_ms, call_events.LegDue(call.id, transfer.place))]

    def talk_with(self, call_id: int, place: int, mode: ConsultationMode) -> None:
        """Connect the agent with the third person, the callee, or both. The one left out hears music."""
        first, agent, third = self._legs.first(call_id), self._agent(call_id), self._third(call_id, place)
        if first is None or agent is None:
            return
        if mode is ConsultationMode.ALL and third is not None:
            self._legs.give(first, session_of(first).join().orders)
            for leg in (agent, third):
                self._legs.give(leg, b_leg_of(leg).join().orders)
        elif mode is ConsultationMode.CALLEE or third is None:
            if third is not None:
                self._legs.give(third, b_leg_of(third).consult(is_held=True).orders)
            self._legs.give(agent, b_leg_of(agent).hold(is_held=False).orders)
            self._legs.give(first, session_of(first).hold(is_held=False).orders)
        else:
            self._legs.give(first, session_of(first).hold(is_held=True).orders)
            self._legs.give(agent, b_leg_of(agent).hold(is_held=True).orders)
            self._legs.give(third, b_leg_of(third).consult(is_held=False).orders)
        for changed in (first, agent, third):
            if changed is not None:
                changed.is_changed = True

    def end_consultation(self, call_id: int, place: int, now_ms: int) -> LegOutcome | None:
        """End the leg of a third person, and return its outcome; None if its end is told, or was."""
        third = self._third(call_id, place)
        if third is None:
            return None
        outcome = b_leg_of(third).cut(now_ms)
        self._legs.leave(third)
        return outcome

    def hand_over(self, call_id: int, place: int, now_ms: int) -> tuple[LegOutcome, None] | NoHandOver:
        """End the leg of the agent, and connect the callee with the third person.

        A third person who may have hung up while there was no process gets no callee before their line has found them.
        """
        third, first = self._third(call_id, place), self._legs.first(call_id)
        if third is None or first is None or not b_leg_of(third).state.is_connected:
            return NoHandOver.REFUSED
        if third.is_in_doubt:
            return NoHandOver.LATER
        outcome = self._seconds.part(call_id, now_ms)
        self._legs.give(third, b_leg_of(third).receive(now_ms).orders)
        third.is_changed = True
        self._legs.give(first, session_of(first).bridge(third.key).orders)
        return outcome, None

    def _agent(self, call_id: int) -> LineLeg | None:
        """Return the leg of the agent who talks in a call."""
        seconds = self._legs.seconds(call_id)
        return next((leg for leg in seconds if b_leg_of(leg).state.is_taken and not _is_third(leg)), None)

    def _third(self, call_id: int, place: int) -> LineLeg | None:
        """Return the leg of the third person of a call."""
        seconds = self._legs.seconds(call_id)
        return next((leg for leg in seconds if _is_third(leg) and b_leg_of(leg).state.place == place), None)


def _is_third(leg: LineLeg) -> bool:
    return bool(b_leg_of(leg).state.consulted_by)
