"""The event kernel: one heap of what is to come, one engine that decides, one carrier, one store that records.

What happens at the same millisecond happens in an order that depends on nothing but what it is: first what happens
within calls, then their ends (both by call), then agents who take calls, then queues, calls that come in, gateways,
campaigns, and the watchdog. So a run that was stopped after any millisecond and rebuilt from its records goes on
exactly as it would have.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final, Protocol

from dialer.carriers.port import Line, Milestone
from dialer.domain import effects, events
from dialer.domain.engine import Engine
from dialer.domain.enums import TransferStatus
from dialer.domain.plans import Call, Transfer

_FollowUp = tuple[events.Event, ...]


class CampaignStore(Protocol):
    """The records of an engine: they keep its effects, and find the subscribers that it claims.

    A claim or a count sees every effect that was recorded before it; a store that gathers effects writes them first.
    """

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Subscribers never called."""

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Subscribers who wait for a retry."""

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """A subscriber who waits for a retry, as they stand now."""

    def count_subscribers(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Whether a campaign has subscribers, and open ones."""

    def check_number(self, check: effects.CheckNumber) -> events.NumberChecked:
        """Whether a number stands on a do-not-call list."""

    def take_call_back(self, arrived: events.CallArrived) -> events.CallArrived | None:
        """Stop expecting a call back, and return it as its caller stands now; None if they or their call have gone."""

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says."""


# Ranks: the order of what happens at the same millisecond.
_IN_CALL: Final = 0
_CALL_ENDED: Final = 1
_AGENT: Final = 2
_FLOOR: Final = 3
_INBOUND: Final = 4
_GATEWAY: Final = 5
_CAMPAIGN: Final = 6
_WATCHDOG: Final = 7
_WAKE_UPS: Final = frozenset({_FLOOR, _GATEWAY, _CAMPAIGN, _WATCHDOG})
_DECIDED_BY_THE_ENGINE: Final = frozenset({events.TransferReached, events.CallerLeft})
"""What a call stops at until it is told how it goes on; after everything else it goes on by itself."""


class Kernel:
    """Drives an engine through time, as far as it is told to and no further."""

    def __init__(self, engine: Engine, carrier: Line, store: CampaignStore, *, now_ms: int) -> None:
        self._engine: Final = engine
        self._carrier: Final = carrier
        self._store: Final = store
        self._heap: list[tuple[int, int, int, int, events.Event]] = []
        self._sequence = count()
        self._expected: Final[dict[int, int]] = {}
        """By call: the one entry on the heap that is true. Those before it were overtaken by what others did."""
        self._answers: Final[dict[int, int]] = {}
        """The same by agent: when they take the call that they were asked to take last."""
        self._wakes: Final[set[tuple[int, int, int]]] = set()
        """Wake-ups on the heap: one that is asked for again is there already, and takes no more room."""
        self._performers: Final[dict[type, Callable[[Any], _FollowUp]]] = {
            effects.Dial: self._dial,
            effects.SendText: self._send_text,
            effects.AnswerCall: self._dial,
            effects.WaitForAgent: self._wait,
            effects.OfferCall: self._offer,
            effects.DialLeg: self._connect,
            effects.BridgeCall: self._connect,
            effects.ResumeCall: self._resume,
            effects.HangUp: self._hang_up,
            effects.GiveUpCall: self._give_up,
            effects.ExpectCallBack: self._expect_call_back,
            effects.WakeFloor: self._wake_floor,
            effects.WakeWatchdog: self._wake_watchdog,
            effects.WakeCampaign: self._wake_campaign,
            effects.WakeGateway: self._wake_gateway,
            effects.ClaimFresh: self._claim,
            effects.ClaimRetries: self._claim,
            effects.ClaimAgain: self._claim,
            effects.CountSubscribers: self._claim,
            effects.CheckNumber: self._claim,
        }
        """What performs an effect, and says what that brought to light. Every other effect is something to record."""
        self._claims: Final[dict[type, Callable[[Any], events.Event]]] = {
            effects.ClaimFresh: store.claim_fresh,
            effects.ClaimRetries: store.claim_retries,
            effects.ClaimAgain: store.claim_again,
            effects.CountSubscribers: store.count_subscribers,
            effects.CheckNumber: store.check_number,
        }
        self.now_ms = now_ms
        """Everything due until this moment has happened."""

    @property
    def next_due_ms(self) -> int | None:
        """When something is due next; None if nothing is."""
        return self._heap[0][0] if self._heap else None

    def apply(self, event: events.Event) -> None:
        """Something happened now."""
        self._perform(self._engine.handle(self.now_ms, event))

    def restore(self, call: Call, done_until_ms: int) -> None:
        """Take up a call in progress that was placed before this kernel was made.

        What happened in it up to `done_until_ms` is on record already; how its transfers went is known from the call.
        """
        transfers = iter(call.transfers)
        restored = events.CallRestored(call)
        milestone: Milestone | None = self._carrier.dial(call)
        while milestone is not None and milestone.at_ms <= done_until_ms:
            event = milestone.event
            if isinstance(event, events.CallEnded):
                break
            if isinstance(event, events.CallAnswered):
                restored = events.CallRestored(call, event.answered_ms, event.is_live)
            if not isinstance(event, events.TransferReached):
                call.last_seq = event.seq
                milestone = self._carrier.proceed(call.id)
                continue
            transfer = next(transfers, None)
            if transfer is None:
                break  # Nothing is known of it: the call comes to it now.
            call.last_seq = event.seq
            milestone = self._restore_transfer(call.id, milestone, transfer)
            if transfer.status is not TransferStatus.OVER:
                break  # Whatever came after it, its end included, nobody has heard of.
        self._expect_if(call.id, milestone)
        self.apply(restored)

    def expect_call_back(self, at_ms: int, event: events.CallArrived) -> None:
        """Somebody is going to call back: an expectation of before this kernel was made."""
        self._push(at_ms, _INBOUND, event.missed_call_id, event)

    def _restore_transfer(self, call_id: int, reached: Milestone, transfer: Transfer) -> Milestone | None:
        """What happens next in a call that has come to a transfer, as far as that went."""
        carrier, ended_ms = self._carrier, transfer.ended_ms
        milestone: Milestone | None = reached
        if transfer.has_queued:
            milestone = carrier.wait(call_id)
        if transfer.status is TransferStatus.WAITING and transfer.has_queued:
            return milestone
        if transfer.started_ms is not None:
            return carrier.connect(call_id, transfer)
        return carrier.resume(call_id, reached.at_ms if ended_ms is None else ended_ms)

    def run(self, until_ms: int, events_max: int | None = None) -> bool:
        """Let everything happen that is due until `until_ms`, then stand there; whether it got so far.

        With `events_max` it stops after about so many events, at the end of a millisecond, so that what happened can be
        committed before it goes on.
        """
        heap = self._heap
        handled = 0
        while heap and heap[0][0] <= until_ms:
            if events_max is not None and handled >= events_max and heap[0][0] > self.now_ms:
                return False
            handled += 1
            self._happen(*heappop(heap))
        self.now_ms = max(self.now_ms, until_ms)
        return True

    def _happen(self, at_ms: int, rank: int, key: int, sequence: int, event: events.Event) -> None:
        """Let the engine hear of what was next on the heap, unless that is not true any more."""
        if at_ms > self.now_ms:  # noqa: PLR1730 - three times as fast as max()
            self.now_ms = at_ms
        if rank <= _CALL_ENDED:
            if self._expected.get(key) != sequence:
                return
            self._go_on(key, event)
        elif rank in _WAKE_UPS:
            self._wakes.discard((at_ms, rank, key))
        elif rank == _AGENT:
            if self._answers.get(key) != sequence:
                return
            del self._answers[key]
        elif isinstance(event, events.CallArrived):
            arrived = self._store.take_call_back(event)
            if arrived is None:
                return
            event = arrived
        self._perform(self._engine.handle(self.now_ms, event))

    def _go_on(self, call_id: int, event: events.Event) -> None:
        """What happens next in a call is known before the engine hears of what happens now, wherever it can be."""
        if isinstance(event, events.CallEnded):
            del self._expected[call_id]
            self._carrier.forget(call_id)
        elif type(event) not in _DECIDED_BY_THE_ENGINE:
            self._expect_if(call_id, self._carrier.proceed(call_id))

    def _perform(self, to_do: list[effects.Effect]) -> None:
        """Perform effects in order; what follows from one of them comes after all of them."""
        for effect in to_do:
            perform = self._performers.get(type(effect))
            if perform is None:
                self._store.record(effect, self.now_ms)
                continue
            for follow_up in perform(effect):
                to_do.extend(self._engine.handle(self.now_ms, follow_up))

    def _claim(self, effect: effects.Effect) -> _FollowUp:
        return (self._claims[type(effect)](effect),)

    def _dial(self, effect: effects.Dial | effects.AnswerCall) -> _FollowUp:
        """Intent first: the call is on record before the carrier hears of it."""
        self._store.record(effect, self.now_ms)
        self._expect(effect.call.id, self._carrier.dial(effect.call))
        return ()

    def _send_text(self, effect: effects.SendText) -> _FollowUp:
        self._store.record(effect, self.now_ms)
        self._expect(effect.message.id, self._carrier.dial(effect.message))
        return ()

    def _wait(self, effect: effects.WaitForAgent) -> _FollowUp:
        self._expect_if(effect.call_id, self._carrier.wait(effect.call_id))
        return ()

    def _offer(self, effect: effects.OfferCall) -> _FollowUp:
        call, agent = effect.call, effect.agent
        at_ms = self._carrier.offer(call, agent, effect.offered_ms)
        answered = events.AgentAnswered(call.id, agent.id, effect.offered_ms)
        self._answers[agent.id] = self._push(at_ms, _AGENT, agent.id, answered)
        return ()

    def _connect(self, effect: effects.DialLeg | effects.BridgeCall) -> _FollowUp:
        self._expect_if(effect.call.id, self._carrier.connect(effect.call.id, effect.transfer))
        return ()

    def _resume(self, effect: effects.ResumeCall) -> _FollowUp:
        self._expect_if(effect.call_id, self._carrier.resume(effect.call_id, self.now_ms))
        return ()

    def _hang_up(self, effect: effects.HangUp) -> _FollowUp:
        self._expected.pop(effect.call_id, None)
        leg, outcome = self._carrier.hang_up(effect.call_id, self.now_ms)
        ended = events.CallEnded(effect.call_id, outcome)
        return (ended,) if leg is None else (events.LegEnded(effect.call_id, leg), ended)

    def _give_up(self, effect: effects.GiveUpCall) -> _FollowUp:
        """What the carrier may still say of the call comes too late."""
        self._expected.pop(effect.call_id, None)
        self._carrier.forget(effect.call_id)
        ended = events.CallEnded(effect.call_id, effect.outcome)
        return (ended,) if effect.leg is None else (events.LegEnded(effect.call_id, effect.leg), ended)

    def _expect_call_back(self, effect: effects.ExpectCallBack) -> _FollowUp:
        self._store.record(effect, self.now_ms)
        call = effect.call
        arrived = events.CallArrived(call.id, call.plan.user_id, call.attempt, call.callerid, call.subscriber)
        self.expect_call_back(effect.at_ms, arrived)
        return ()

    def _wake_floor(self, effect: effects.WakeFloor) -> _FollowUp:
        return self._wake(effect.at_ms, _FLOOR, 0, events.FloorWoken())

    def _wake_watchdog(self, effect: effects.WakeWatchdog) -> _FollowUp:
        return self._wake(effect.at_ms, _WATCHDOG, 0, events.WatchdogWoken())

    def _wake_campaign(self, effect: effects.WakeCampaign) -> _FollowUp:
        return self._wake(effect.at_ms, _CAMPAIGN, effect.campaign_id, events.CampaignWoken(effect.campaign_id))

    def _wake_gateway(self, effect: effects.WakeGateway) -> _FollowUp:
        return self._wake(effect.at_ms, _GATEWAY, effect.gateway_id, events.GatewayWoken(effect.gateway_id))

    def _wake(self, at_ms: int, rank: int, key: int, event: events.Event) -> _FollowUp:
        wake = (at_ms, rank, key)
        if wake not in self._wakes:
            self._wakes.add(wake)
            heappush(self._heap, (at_ms, rank, key, next(self._sequence), event))
        return ()

    def _expect_if(self, call_id: int, milestone: Milestone | None) -> None:
        """Nothing more happens in a call that was hung up meanwhile."""
        if milestone is not None:
            self._expect(call_id, milestone)

    def _expect(self, call_id: int, milestone: Milestone) -> None:
        event, sequence = milestone.event, next(self._sequence)
        rank = _CALL_ENDED if type(event) is events.CallEnded else _IN_CALL
        self._expected[call_id] = sequence
        heappush(self._heap, (milestone.at_ms, rank, call_id, sequence, event))

    def _push(self, at_ms: int, rank: int, key: int, event: events.Event) -> int:
        sequence = next(self._sequence)
        heappush(self._heap, (at_ms, rank, key, sequence, event))
        return sequence
