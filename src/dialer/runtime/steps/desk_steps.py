"""DeskSteps: the kernel's part in the orders of desks about calls: holds, supervisions, transfers and consultations."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from dialer.carriers.engine_port import CallPlacer, Milestone, NoHandOver
from dialer.domain.calls import agent_effects, agent_events, call_effects, call_events, events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Transfer
from dialer.domain.words.enums import Cause

_FollowUp = tuple[events.Event, ...]


class Schedule(Protocol):
    """The kernel, as far as these orders need it."""

    now_ms: int

    def expect(self, call_id: int, milestone: Milestone | None) -> None:
        """Schedule the next milestone of a call, in place of the one that was expected; None for none."""

    def expect_third(self, call_id: int, milestone: Milestone) -> None:
        """Schedule a milestone of a third person, beside that of the call."""


class DeskSteps:
    """The orders of desks that a carrier performs."""

    def __init__(self, kernel: Schedule, carrier: CallPlacer) -> None:
        self._kernel: Final = kernel
        self._carrier: Final = carrier
        self._thirds: Final[dict[int, int]] = {}
        """The place of the third person whom an agent consults, by call. Milestones of others are outdated."""
        self.performers: Final[Mapping[type, Callable[[Any], _FollowUp]]] = {
            agent_effects.HoldCall: self._hold,
            agent_effects.SuperviseCall: self._supervise,
            call_effects.TapeCall: self._tape,
            call_effects.MoveCall: self._move,
            agent_effects.ConsultThird: self._consult,
            agent_effects.TalkWith: self._talk_with,
            agent_effects.EndConsultation: self._end_consultation,
            agent_effects.HandOverCallee: self._hand_over,
        }
        """Functions that perform an effect and return the events that follow."""

    def is_due(self, event: call_events.ThirdAnswered | call_events.LegEnded) -> bool:
        """Return whether a milestone of a third person is not outdated."""
        return self._thirds.get(event.call_id) == event.place

    def _hold(self, effect: agent_effects.HoldCall) -> _FollowUp:
        self._carrier.hold(effect.call_id, is_held=effect.is_held)
        return ()

    def _tape(self, effect: call_effects.TapeCall) -> _FollowUp:
        self._carrier.tape(effect.call_id)
        return ()

    def _supervise(self, effect: agent_effects.SuperviseCall) -> _FollowUp:
        call_id, agent_id, wanted = effect.call_id, effect.agent_id, effect.wanted
        is_possible = self._carrier.supervise(call_id, agent_id, wanted, effect.dialled, self._kernel.now_ms)
        if is_possible or wanted is None:
            return ()
        return (agent_events.SupervisionEnded(call_id, agent_id, wanted.turn),)

    def _move(self, effect: call_effects.MoveCall) -> _FollowUp:
        self._kernel.expect(effect.call_id, None)
        leg = self._carrier.part(effect.call_id, self._kernel.now_ms)
        return (call_events.CallMoved(effect.call_id, leg, effect.reached),)

    def _consult(self, effect: agent_effects.ConsultThird) -> _FollowUp:
        call, transfer = effect.call, effect.transfer
        milestones = self._carrier.consult(call, transfer, effect.dialled)
        if milestones is None:
            return (call_events.LegEnded(call.id, _lost(transfer, self._kernel.now_ms), place=transfer.place),)
        for milestone in milestones:
            self._kernel.expect_third(call.id, milestone)
        self._thirds[call.id] = transfer.place
        return ()

    def _talk_with(self, effect: agent_effects.TalkWith) -> _FollowUp:
        self._carrier.talk_with(effect.call_id, effect.place, effect.mode)
        return ()

    def _end_consultation(self, effect: agent_effects.EndConsultation) -> _FollowUp:
        self._thirds.pop(effect.call_id, None)
        leg = self._carrier.end_consultation(effect.call_id, effect.place, self._kernel.now_ms)
        return () if leg is None else (call_events.LegEnded(effect.call_id, leg, place=effect.place),)

    def _hand_over(self, effect: agent_effects.HandOverCallee) -> _FollowUp:
        handed = self._carrier.hand_over(effect.call_id, effect.place, self._kernel.now_ms)
        if handed is NoHandOver.LATER:
            return ()
        if isinstance(handed, NoHandOver):
            return (call_events.HandOverRefused(effect.call_id, effect.place),)
        self._thirds.pop(effect.call_id, None)
        leg, milestone = handed
        self._kernel.expect(effect.call_id, milestone)
        return (call_events.CalleeHandedOver(effect.call_id, leg, effect.place),)


def _lost(transfer: Transfer, now_ms: int) -> LegOutcome:
    """Return the outcome of a third person without a leg: never called, or lost in a restart after the answer."""
    if transfer.answered_ms is None:
        return LegOutcome(transfer.started_ms or transfer.joined_ms, Cause.NORMAL_CLEARING)
    ended_ms = min(now_ms, transfer.answered_ms + transfer.talk_limit_ms)
    return LegOutcome(ended_ms, Cause.NORMAL_CLEARING, transfer.answered_ms, is_connected=True)
