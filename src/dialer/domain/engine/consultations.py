"""Consultations: an agent talks with a third person while the callee waits, and may hand the callee over."""

from typing import Final

from msgspec.structs import replace

from dialer.domain.calls import call_events
from dialer.domain.calls.agent_effects import ConsultThird, EndConsultation, HandOverCallee, KeepAgent, TalkWith
from dialer.domain.calls.call_effects import KeepTransfer, TapeCall
from dialer.domain.calls.plans import Call, CallOutcome, Transfer
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.calls_on_hold import mark_hold, until_ms
from dialer.domain.engine.desk_transfers import AGENT
from dialer.domain.engine.recorded_talks import records_from
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import open_transfer, outcome_at_call_end, reason_of
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan, Consultation, Promise
from dialer.domain.words.enums import ConsultationMode, Consulted, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import NoReason, TransferReason


class Consultations:
    """The consultations that the rows of agents name, and the legs of their third persons.

    Such a leg is a transfer of the call with a place of its own. It ends with the leg of its agent, so that the callee
    never waits for nobody, unless the agent hands the callee over: then it is the leg that has the callee.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor, legs: BLegs) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._legs: Final = legs
        self._agents: Final[dict[int, AgentPlan]] = {}
        self._wanted: Final[dict[int, Consultation]] = {}
        """The consultations that are wanted, by agent."""
        self.new: Final[set[int]] = set()
        """Agents whose wish is to be followed."""
        self.open: Final[dict[int, tuple[Call, Transfer]]] = {}
        """The legs of third persons that are not over, by call."""

    def read(self, agent: AgentPlan) -> None:
        """Note a new wish of an agent."""
        before = self._agents.get(agent.id)
        self._agents[agent.id] = agent
        wanted = agent.consultation
        if before is None or before.consultation != wanted:
            self.new.add(agent.id)
            self._wanted.pop(agent.id, None)
            if wanted is not None:
                self._wanted[agent.id] = wanted

    def restore(self, call: Call) -> None:
        """Look after the third person of a call again, after a restart."""
        third = next(
            (
                one
                for one in call.transfers
                if one.consulted is Consulted.ASKED and one.status is not TransferStatus.OVER
            ),
            None,
        )
        if third is None:
            return
        self._legs.restore(call, third)
        self.open[call.id] = call, third
        self.new.add(third.from_agent_id or 0)
        self._reserve(call, third)
        self._state.emit(ConsultThird(call, third, self._dialled(call, third)))

    def follow(self, now_ms: int) -> None:
        """Begin, change and end consultations as their agents want it, and end those that last too long."""
        new = sorted(self.new)
        self.new.clear()
        for agent_id in new:
            self._follow(now_ms, agent_id, self._wanted.get(agent_id))
        for call, third in self.open.values():
            if now_ms >= _until_ms(call):
                self._state.emit(EndConsultation(call.id, third.place))

    def about_to_be_asked(self) -> list[int]:
        """Return the agents whom others wish to consult, and who are not called yet."""
        asking = {third.from_agent_id for _, third in self.open.values()}
        wishes = [self._wanted[agent_id] for agent_id in sorted(self.new - asking) if agent_id in self._wanted]
        return [int(one.to.removeprefix(AGENT)) for one in wishes if one.to.startswith(AGENT)]

    @property
    def next_ms(self) -> int:
        """The time at which the next consultation ends by itself; `NEVER_MS` if there is none."""
        return min((_until_ms(call) for call, _ in self.open.values()), default=NEVER_MS)

    def close(self, agent_id: int) -> None:
        """End the consultation of a deleted agent."""
        self._agents.pop(agent_id, None)
        if self._wanted.pop(agent_id, None) is not None:
            self.new.add(agent_id)

    def third_answered(self, event: call_events.ThirdAnswered) -> None:
        """Connect an agent with the third person who has answered.

        If a restart has made their line look for them, an order to hand the callee over has waited for that.
        """
        found = self.open.get(event.call_id)
        if found is None or found[1].place != event.place:
            return
        call, third = found
        wanted = self._wanted.get(third.from_agent_id or 0)
        mode = ConsultationMode.THIRD if wanted is None else wanted.mode
        if third.answered_ms is None:
            third.answered_ms = event.answered_ms
            self._state.emit(KeepTransfer(call, third))
            self._state.emit(TalkWith(call.id, third.place, mode))
        elif mode is ConsultationMode.HAND_OVER:
            self._state.emit(HandOverCallee(call.id, third.place))

    def leg_ended(self, now_ms: int, event: call_events.LegEnded) -> None:
        """Record and charge the leg of a third person, and let the agent talk with the callee again."""
        found = self.open.get(event.call_id)
        if found is None or found[1].place != event.place:
            return
        (call, third), outcome = found, event.outcome
        third.answered_ms = outcome.answered_ms
        if not outcome.is_connected:
            third.reason = reason_of(third, outcome)
        mark_hold(third, now_ms, is_held=False)
        self._legs.finish(call, third, outcome)
        self._legs.learn(third, outcome, now_ms)
        self._legs.release(call, third)
        self._close(call, third, max(third.started_ms or 0, outcome.ended_ms))
        talk = open_transfer(call)
        if talk is not None and talk.is_talk:
            if mark_hold(talk, now_ms, is_held=False):
                self._state.emit(KeepTransfer(call, talk))
            self._state.emit(TalkWith(call.id, third.place, ConsultationMode.CALLEE))

    def talk_ended(self, call: Call) -> None:
        """End the leg of the third person of a call whose agent is gone."""
        found = self.open.get(call.id)
        if found is not None:
            self._state.emit(EndConsultation(call.id, found[1].place))

    def call_over(self, now_ms: int, call: Call, outcome: CallOutcome) -> None:
        """End the leg of a third person whose end was not reported before that of the call."""
        found = self.open.get(call.id)
        if found is not None:
            ended = outcome_at_call_end(found[1], outcome)
            self.leg_ended(now_ms, call_events.LegEnded(call.id, ended, place=found[1].place))

    def take_over(self, call_id: int, place: int) -> Transfer | None:
        """Return the leg that takes over the callee from an agent. It is no consultation any more."""
        found = self.open.get(call_id)
        if found is None or found[1].place != place:
            return None
        return self.open.pop(call_id)[1]

    def hand_over(self, now_ms: int, call: Call, talk: Transfer, third: Transfer) -> None:
        """Let a third person have the callee. An agent who is the third person has taken the call."""
        third.consulted, third.status, third.reason = Consulted.HANDED_OVER, TransferStatus.CONNECTED, ""
        mark_hold(third, now_ms, is_held=False)
        self._unreserve(call, third)
        agent = self.agent_who_takes(third)
        if agent is not None:
            third.agent_id, third.parameters = agent.id, third.parameters or agent.parameters
            third.queue_id = self._distributor.queue_of(agent.id, talk.queue_id)
            third.score_from_ms = talk.score_from_ms
            self._distributor.restore_talk(call.id, agent.id, now_ms)
        is_news = records_from(call, third, now_ms)
        self._state.emit(KeepTransfer(call, third))
        if is_news:
            self._state.emit(TapeCall(call.id))
        self._forget(third.from_agent_id or 0)

    def agent_who_takes(self, third: Transfer) -> AgentPlan | None:
        """Return the agent who gets the callee with the leg of a third person; None if that is no agent's call."""
        agent = self._agents.get(third.for_agent_id or 0)
        return agent if agent is not None and self._distributor.has_no_call(agent.id) else None

    def hand_over_refused(self, event: call_events.HandOverRefused) -> None:
        """Let the people talk on who talked before an agent wanted to hand the callee over, and note the reason."""
        call, third = self.open.get(event.call_id, (None, None))
        agent_id = 0 if third is None else third.from_agent_id or 0
        wanted, agent = self._wanted.get(agent_id), self._agents.get(agent_id)
        if call is None or third is None or wanted is None or agent is None:
            return
        kept = replace(wanted, mode=_mode_of(call, third))
        self._wanted[agent_id] = kept
        self._agents[agent_id] = replace(agent, consultation_mode=kept.mode)
        third.reason = TransferReason.NOT_HANDED_OVER
        self._state.emit(KeepTransfer(call, third))
        self._state.emit(KeepAgent(agent_id, None, kept_consultation=kept))

    # --- steps -----------------------------------------------------------------------------------------------------

    def _follow(self, now_ms: int, agent_id: int, wanted: Consultation | None) -> None:
        found = next((one for one in self.open.values() if one[1].from_agent_id == agent_id), None)
        is_talking = wanted is not None and self._distributor.agent_of(wanted.call_id) == agent_id
        if found is not None and (wanted is None or wanted.call_id != found[0].id or not is_talking):
            self._state.emit(EndConsultation(found[0].id, found[1].place))
            found = None
        if wanted is None:
            return
        if not is_talking:
            self._forget(agent_id)
        elif found is None:
            self._begin(now_ms, agent_id, wanted)
        elif wanted.mode is not ConsultationMode.HAND_OVER:
            self._talk(now_ms, *found, wanted.mode)
        elif found[1].answered_ms is not None:
            self._state.emit(HandOverCallee(found[0].id, found[1].place))

    def _begin(self, now_ms: int, agent_id: int, wanted: Consultation) -> None:
        call = self._state.calls[wanted.call_id]
        talk, to, for_agent_id = open_transfer(call), wanted.to, None
        if talk is None or call.id in self.open:
            return
        if to.startswith(AGENT):
            for_agent_id = int(to.removeprefix(AGENT))
            agent = self._agents.get(for_agent_id)
            to = "" if agent is None else agent.called
        event = call_events.TransferReached(call.id, talk.section_id, None, to, 0, 0, agent_id, for_agent_id)
        third = self._legs.new(call, event, now_ms)
        third.consulted = Consulted.ASKED
        self._simulate(call, third)
        third.reason = self._busy(now_ms, for_agent_id) or self._legs.take(call, event, third, now_ms)
        if third.reason:
            self._close(call, third, now_ms)
            return
        self.open[call.id] = call, third
        self._reserve(call, third)
        self._state.emit(KeepTransfer(call, third))
        self._state.emit(ConsultThird(call, third, self._dialled(call, third)))
        self._talk(now_ms, call, third, ConsultationMode.THIRD)

    def _simulate(self, call: Call, third: Transfer) -> None:
        """Let an agent who is consulted over a simulated gateway answer as they take calls: no telephone rings."""
        agent = self._agents.get(third.for_agent_id or 0)
        if agent is not None and self._state.gateways[call.plan.gateway_id].plan.is_simulated:
            third.number, third.parameters = agent.number or f"agent {agent.id}", agent.parameters

    def _busy(self, now_ms: int, agent_id: int | None) -> TransferReason | NoReason:
        """Return the reason why an agent is not called: they are not free. Empty for anybody else."""
        return "" if agent_id is None or self._distributor.is_idle(now_ms, agent_id) else TransferReason.BUSY

    def _talk(self, now_ms: int, call: Call, third: Transfer, mode: ConsultationMode) -> None:
        talk = open_transfer(call)
        on_hold = {ConsultationMode.THIRD: talk, ConsultationMode.CALLEE: third}.get(mode)
        was_refused, third.reason = bool(third.reason), ""
        for one in (talk, third):
            if one is None:
                continue
            if mark_hold(one, now_ms, is_held=one is on_hold) or (was_refused and one is third):
                self._state.emit(KeepTransfer(call, one))
        self._state.emit(TalkWith(call.id, third.place, mode))

    def _close(self, call: Call, third: Transfer, ended_ms: int) -> None:
        third.status, third.ended_ms = TransferStatus.OVER, ended_ms
        self.open.pop(call.id, None)
        self._unreserve(call, third)
        self._state.emit(KeepTransfer(call, third))
        wanted = self._wanted.get(third.from_agent_id or 0)
        if wanted is not None and wanted.call_id == call.id:
            self._forget(third.from_agent_id or 0)

    def _forget(self, agent_id: int) -> None:
        wanted = self._wanted.pop(agent_id, None)
        if wanted is not None:
            self._state.emit(KeepAgent(agent_id, None, ended_consultation=wanted.turn))

    def _dialled(self, call: Call, third: Transfer) -> str:
        gateway = self._state.gateways[call.plan.gateway_id]
        if third.for_agent_id is None or gateway.plan.is_simulated:
            return gateway.number_for_carrier(third.number)
        return gateway.number_of_agent(third.number)

    def _reserve(self, call: Call, third: Transfer) -> None:
        """Keep a third person who is an agent from other calls."""
        if third.for_agent_id is not None:
            until = (third.started_ms or third.joined_ms) + third.ring_limit_ms + third.talk_limit_ms
            self._distributor.reserve(call.id, Promise(third.for_agent_id, until), is_consulted=True)

    def _unreserve(self, call: Call, third: Transfer) -> None:
        if third.for_agent_id is not None:
            self._distributor.unreserve(call.id)


def _mode_of(call: Call, third: Transfer) -> ConsultationMode:
    """Return who talks with the agent, by who is on hold."""
    talk = open_transfer(call)
    if talk is not None and talk.on_hold_from_ms is not None:
        return ConsultationMode.THIRD
    return ConsultationMode.ALL if third.on_hold_from_ms is None else ConsultationMode.CALLEE


def _until_ms(call: Call) -> int:
    """Return the time until which the callee of a call may wait for an agent who consults somebody."""
    talk = open_transfer(call)
    return NEVER_MS if talk is None else until_ms(talk)
