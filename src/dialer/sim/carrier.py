"""Simulated carrier: places calls to simulated callees and offers them to simulated agents."""

from collections import deque
from typing import Final

import msgspec

from dialer.carriers.engine_port import Decision, Milestone, NoHandOver, Taken
from dialer.domain.calls import call_events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey, Transfer
from dialer.domain.queueing.plans import AgentPlan, Preview, Supervision
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.words.enums import Cause, ConsultationMode, Consulted, TransferStatus
from dialer.sim.agent_profile import read_agent
from dialer.sim.callee import Callee, callee_behind
from dialer.sim.callee_line import CalleeLine, HandedOver, Parted, QueueWait, Reply, Resume, unanswered
from dialer.sim.callee_profile import Behaviour, parse_behaviour
from dialer.sim.callee_text_line import CalleeTextLine
from dialer.sim.chance import Chance
from dialer.sim.third_person import cut_at

_TEXT_OF_CALL: Final = "text"
"""Chance detail of a message sent during a call, so that it does not draw from the chance of the call."""


class SimulatedCarrier:
    """Carrier of every simulated gateway. Equal seeds give equal callees.

    `past_seed` is the seed under which the calls that are taken up were placed; None: `seed`. In a rehearsal, such as a
    forecast, no person plays an agent.
    """

    def __init__(self, seed: int, past_seed: int | None = None, *, is_rehearsal: bool = False) -> None:
        self._seed: Final = seed
        self._is_rehearsal: Final = is_rehearsal
        self._past_seed: Final = seed if past_seed is None else past_seed
        self._past_seeds: Final[dict[int, int]] = {}
        """The seed of each call that was taken up, by its id, if it is not that of all others."""
        self._behaviours: dict[GatewayKey, Behaviour] = {}
        self._lines: dict[int, CalleeLine | CalleeTextLine] = {}
        """Lines of the calls and messages in progress, but for those of `_walked`."""
        self._consulted: Final[dict[int, LegOutcome]] = {}
        """The outcome of the leg of the third person whom an agent consults, by call."""
        self._walked: dict[int, tuple[Call, Behaviour]] = {}
        """Calls whose first milestone is their end, with the behaviour of their callees.

        Most calls are. Their lines are walked again in the rare case that they are hung up, and need not be kept.
        """

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Set the behaviour of the callees behind a gateway from JSON text of an object.

        Calls in progress keep their behaviour.

        Raises:
            BehaviourError: a key or value is not one that `parse_behaviour` knows.
        """
        self._behaviours[gateway_id] = _decode(parameters)

    def dial(self, call: Call) -> Milestone | None:
        """Place a call, send a message or answer an inbound call, and return the first milestone."""
        behaviour = self._behaviours[call.plan.gateway_id] if call.parameters is None else _decode(call.parameters)
        if call.parts:
            text = _TEXT_OF_CALL if call.parent_id is not None else ""
            text_line = self._lines[call.id] = CalleeTextLine(call, behaviour, self._chance(call, text))
            return text_line.dial()
        callee = self._callee(call, behaviour)
        ended = unanswered(call, callee)
        if ended is not None:
            self._walked[call.id] = (call, behaviour)
            return Milestone(ended.outcome.ended_ms, ended)
        line = CalleeLine(call, callee, IvrSession(call), is_rehearsal=self._is_rehearsal)
        milestone = line.answer()
        if milestone is not None and type(milestone.event) is call_events.CallEnded:
            self._walked[call.id] = (call, behaviour)
        else:
            self._lines[call.id] = line
        return milestone

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call that waits for no reply, or None after it was hung up."""
        return self._next(call_id)

    def wait(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call in a queue if no agent takes it."""
        return self._next(call_id, QueueWait())

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int, dialled: str) -> int:  # noqa: ARG002 - no telephone
        """Return the time at which an agent takes a call that is offered at `offered_ms`."""
        chance = self._chance(call, f"agent:{agent.id}:{offered_ms}")
        behaviour = read_agent(agent.parameters)
        is_played = behaviour.is_person and not self._is_rehearsal
        return offered_ms + behaviour.answers_after_ms(chance, is_played=is_played)

    def preview(self, gateway_id: GatewayKey, agent: AgentPlan, preview: Preview) -> Decision | None:  # noqa: ARG002 - for all
        """Return an agent's decision about the person shown to them, within the preview time."""
        detail = f"preview:{agent.id}:{preview.from_ms}"
        chance = Chance(self._seed, preview.campaign_id, preview.subscriber_id, 0, detail)
        return read_agent(agent.parameters).decides(preview, chance, is_rehearsal=self._is_rehearsal)

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Do nothing: the engine ignores the answer to an offer that was withdrawn."""

    def dial_leg(self, call_id: int, place: int) -> None:
        """Do nothing: the course of a simulated B-leg is known from the start."""

    def connect(self, call_id: int, transfer: Transfer, dialled: str = "") -> Milestone | None:  # noqa: ARG002 - as above
        """Return the next milestone of a call whose B-leg is dialled or whose agent has taken the call."""
        return self._next(call_id, transfer)

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Return the next milestone of a call whose transfer ended without a connection."""
        return self._next(call_id, Resume(now_ms))

    def tape(self, call_id: int) -> None:
        """Do nothing: a simulated callee says nothing."""

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Do nothing: a simulated callee waits, and the talk lasts as long as without the hold."""

    def supervise(self, call_id: int, agent_id: int, wanted: Supervision | None, dialled: str, now_ms: int) -> bool:  # noqa: ARG002 - the same for all
        """Return False: a simulated call has no sound."""
        return False

    def consult(self, call: Call, transfer: Transfer, dialled: str) -> list[Milestone]:  # noqa: ARG002 - no line
        """Return the answer of a simulated third person, unless it is on record, and the end of their leg."""
        leg = self._consulted[call.id] = self._third(call.id, transfer)
        ended = Milestone(leg.ended_ms, call_events.LegEnded(call.id, leg, place=transfer.place))
        if leg.answered_ms is None or transfer.answered_ms is not None:
            return [ended]
        answered = call_events.ThirdAnswered(call.id, transfer.place, leg.answered_ms)
        return [Milestone(leg.answered_ms, answered), ended]

    def talk_with(self, call_id: int, place: int, mode: ConsultationMode) -> None:
        """Do nothing: simulated persons wait, and talk as long as without the wait."""

    def end_consultation(self, call_id: int, place: int, now_ms: int) -> LegOutcome | None:  # noqa: ARG002 - one a call
        """End the leg of a simulated third person, and return its outcome; None if the call is over."""
        leg = self._consulted.pop(call_id, None)
        return None if leg is None else cut_at(leg, now_ms)

    def hand_over(self, call_id: int, place: int, now_ms: int) -> tuple[LegOutcome, Milestone | None] | NoHandOver:  # noqa: ARG002 - as above
        """End the leg of an agent, and let the callee talk with the third person, until either hangs up."""
        third = self._consulted.pop(call_id, None)
        if third is None:
            return NoHandOver.REFUSED
        leg = self.part(call_id, now_ms)
        return leg, self._next(call_id, HandedOver(third))

    def _third(self, call_id: int, transfer: Transfer) -> LegOutcome:
        line = self._lines[call_id]
        if isinstance(line, CalleeTextLine):
            raise TypeError("a text message has no agent")
        return line.third(transfer)

    def part(self, call_id: int, now_ms: int) -> LegOutcome:
        """End the leg of the agent who talks in a call, let the callee wait, and return the outcome of the leg."""
        line = self._lines[call_id]
        if isinstance(line, CalleeTextLine):
            raise TypeError("a text message has no agent")
        leg, self._lines[call_id] = line.part(now_ms)
        return leg

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """End a call in progress, and its B-leg if there is one, and return their outcomes."""
        walked = self._walked.pop(call_id, None)
        line = self._lines.pop(call_id) if walked is None else self._line(*walked)
        return line.hang_up(now_ms)

    def turn_away(self, gateway_id: GatewayKey, key: str, cause: Cause) -> None:
        """Do nothing: simulated callers are not told why nobody answers."""

    def forget(self, call_id: int) -> None:
        """Discard a call that is over and was reported."""
        if self._walked.pop(call_id, None) is None:
            self._lines.pop(call_id, None)
            self._consulted.pop(call_id, None)

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Walk a call again from its beginning, and return its first milestone that is not on record."""
        if self._past_seed != self._seed:
            self._past_seeds[call.id] = self._past_seed
        transfers = deque(transfer for transfer in call.transfers if transfer.consulted is not Consulted.ASKED)
        restored = call_events.CallRestored(call)
        milestone: Milestone | None = self.dial(call)
        while milestone is not None and milestone.at_ms <= done_until_ms:
            event = milestone.event
            if isinstance(event, call_events.CallEnded):
                break
            if isinstance(event, call_events.CallAnswered):
                restored = call_events.CallRestored(call, event.answered_ms, event.is_live)
            if not isinstance(event, call_events.TransferReached):
                call.last_seq = event.seq
                milestone = self.proceed(call.id)
                continue
            if not transfers:
                break  # The transfer is not on record, so the call reaches it now.
            call.last_seq = event.seq
            transfer = transfers.popleft()
            milestone = self._after_transfer(call.id, milestone, transfer)
            while transfers and transfers[0].comes_back:  # The agent transferred the call at the desk.
                before, transfer = transfer, transfers.popleft()
                if transfer.consulted is Consulted.HANDED_OVER:
                    self._next(call.id, Parted(before.ended_ms or transfer.joined_ms))
                    milestone = self._next(call.id, HandedOver(self._third(call.id, transfer)))
                    continue
                self._next(call.id, Parted(transfer.joined_ms))
                milestone = self._after_transfer(call.id, Milestone(transfer.joined_ms, event), transfer)
            if transfer.status is not TransferStatus.OVER:
                break  # Nothing after the open transfer is on record.
        return Taken(restored, milestone)

    def _after_transfer(self, call_id: int, reached: Milestone, transfer: Transfer) -> Milestone | None:
        """Return the next milestone of a call that has reached a transfer, given the state of the transfer."""
        milestone: Milestone | None = reached
        if transfer.has_queued:
            milestone = self.wait(call_id)
        if transfer.status is TransferStatus.WAITING and transfer.has_queued:
            return milestone
        if transfer.started_ms is not None:
            return self.connect(call_id, transfer)
        return self.resume(call_id, reached.at_ms if transfer.ended_ms is None else transfer.ended_ms)

    def _line(self, call: Call, behaviour: Behaviour) -> CalleeLine:
        callee = self._callee(call, behaviour)
        return CalleeLine(call, callee, IvrSession(call), is_rehearsal=self._is_rehearsal)

    def _callee(self, call: Call, behaviour: Behaviour) -> Callee:
        attempt, subscriber = call.attempt, call.subscriber
        seed = self._past_seeds.get(call.id, self._seed) if self._past_seeds else self._seed
        chance = Chance(seed, call.plan.id, subscriber.id, attempt)
        return callee_behind(behaviour, subscriber.number, attempt if attempt > 0 else -attempt, chance)

    def _next(self, call_id: int, reply: Reply = None) -> Milestone | None:
        line = self._lines.get(call_id)
        return None if line is None else line.next(reply)

    def _chance(self, call: Call, detail: str = "") -> Chance:
        seed = self._past_seeds.get(call.id, self._seed)
        return Chance(seed, call.plan.id, call.subscriber.id, call.attempt, detail)


def _decode(parameters: str) -> Behaviour:
    return parse_behaviour(msgspec.json.decode(parameters, type=dict[str, object]))
