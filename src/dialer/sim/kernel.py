"""The event kernel: one heap of what is to come, one engine that decides, one carrier, one book that records.

What happens at the same millisecond happens in an order that depends on nothing but what it is: first wishes not to be
called again, then ends of calls (both by call), then gateways, then campaigns. So a run that was stopped after any
millisecond and rebuilt from its records goes on exactly as it would have.
"""

import heapq
from collections.abc import Callable
from enum import IntEnum
from itertools import count
from typing import Any, Final, Protocol

from dialer.domain import effects, events
from dialer.domain.engine import Engine
from dialer.domain.plans import Call, CallOutcome
from dialer.sim.conversation import Milestone


class Carrier(Protocol):
    """Who places the calls."""

    def dial(self, call: Call) -> Milestone:
        """Place a call, and say what happens first."""

    def proceed(self, call_id: int) -> Milestone | None:
        """What happens next in a call; None if it is over."""

    def hang_up(self, call_id: int, now_ms: int) -> CallOutcome:
        """End a call."""

    def forget(self, call_id: int) -> None:
        """A call is over and was reported."""


class Book(Protocol):
    """Who records what happened, and finds the subscribers that the engine asks for."""

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Subscribers never called."""

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Subscribers who wait for a retry."""

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """A subscriber who waits for a retry, as they stand now."""

    def count(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Whether a campaign has subscribers, and open ones."""

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says."""


class _Rank(IntEnum):
    """The order of what happens at the same millisecond."""

    DNC = 0
    CALL_ENDED = 1
    GATEWAY = 2
    CAMPAIGN = 3


class Kernel:
    """Drives an engine through time, as far as it is told to and no further."""

    def __init__(self, engine: Engine, carrier: Carrier, book: Book, *, now_ms: int) -> None:
        self._engine: Final = engine
        self._carrier: Final = carrier
        self._book: Final = book
        self._heap: list[tuple[int, int, int, int, events.Event]] = []
        self._sequence = count()
        self._wakes: Final[set[tuple[int, int, int]]] = set()
        """Wake-ups on the heap: one that is asked for again is there already, and takes no more room."""
        self._performers: Final[dict[type, Callable[[Any], events.Event | None]]] = {
            effects.Dial: self._dial,
            effects.HangUp: self._hang_up,
            effects.WakeCampaign: self._wake_campaign,
            effects.WakeGateway: self._wake_gateway,
            effects.ClaimFresh: book.claim_fresh,
            effects.ClaimRetries: book.claim_retries,
            effects.ClaimAgain: book.claim_again,
            effects.CountSubscribers: book.count,
        }
        """Every other effect is something to record."""
        self.now_ms = now_ms
        """Everything due until this moment has happened."""

    @property
    def next_due_ms(self) -> int | None:
        """When something is due next; None if nothing is."""
        return self._heap[0][0] if self._heap else None

    def tell(self, event: events.Event) -> None:
        """Something happened now."""
        self._perform(self._engine.handle(self.now_ms, event))

    def restore(self, call: Call, done_until_ms: int) -> None:
        """Take up a call in progress that was placed before this kernel was made.

        What happened in it up to `done_until_ms` is on record already.
        """
        self._engine.handle(self.now_ms, events.CallRestored(call))
        milestone: Milestone | None = self._carrier.dial(call)
        while milestone is not None and milestone.outcome is None and milestone.at_ms <= done_until_ms:
            milestone = self._carrier.proceed(call.id)
        if milestone is not None:
            self._expect(call.id, milestone)

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
            at_ms, rank, key, _, event = heapq.heappop(heap)
            self.now_ms = max(self.now_ms, at_ms)
            if rank == _Rank.DNC:
                self._expect_next(key)
            elif rank == _Rank.CALL_ENDED:
                self._carrier.forget(key)
            else:
                self._wakes.discard((at_ms, rank, key))
            self._perform(self._engine.handle(self.now_ms, event))
        self.now_ms = max(self.now_ms, until_ms)
        return True

    def _perform(self, to_do: list[effects.Effect]) -> None:
        """Perform effects in order; what follows from one of them comes after all of them."""
        for effect in to_do:
            follow_up = self._do(effect)
            if follow_up is not None:
                to_do.extend(self._engine.handle(self.now_ms, follow_up))

    def _do(self, effect: effects.Effect) -> events.Event | None:
        """Perform one effect; what it brought to light, if anything."""
        perform = self._performers.get(type(effect))
        if perform is None:
            self._book.record(effect, self.now_ms)
            return None
        return perform(effect)

    def _dial(self, effect: effects.Dial) -> None:
        """Intent first: the call is on record before the carrier hears of it."""
        self._book.record(effect, self.now_ms)
        self._expect(effect.call.id, self._carrier.dial(effect.call))

    def _hang_up(self, effect: effects.HangUp) -> events.Event:
        return events.CallEnded(effect.call_id, self._carrier.hang_up(effect.call_id, self.now_ms))

    def _wake_campaign(self, effect: effects.WakeCampaign) -> None:
        self._wake(effect.at_ms, _Rank.CAMPAIGN, effect.campaign_id, events.CampaignWoken(effect.campaign_id))

    def _wake_gateway(self, effect: effects.WakeGateway) -> None:
        self._wake(effect.at_ms, _Rank.GATEWAY, effect.gateway_id, events.GatewayWoken(effect.gateway_id))

    def _wake(self, at_ms: int, rank: _Rank, key: int, event: events.Event) -> None:
        if (at_ms, rank, key) not in self._wakes:
            self._wakes.add((at_ms, rank, key))
            self._push(at_ms, rank, key, event)

    def _expect(self, call_id: int, milestone: Milestone) -> None:
        if milestone.outcome is None:
            self._push(milestone.at_ms, _Rank.DNC, call_id, events.DncReached(call_id))
        else:
            self._push(milestone.at_ms, _Rank.CALL_ENDED, call_id, events.CallEnded(call_id, milestone.outcome))

    def _expect_next(self, call_id: int) -> None:
        milestone = self._carrier.proceed(call_id)
        if milestone is not None:
            self._expect(call_id, milestone)

    def _push(self, at_ms: int, rank: _Rank, key: int, event: events.Event) -> None:
        heapq.heappush(self._heap, (at_ms, rank, key, next(self._sequence), event))
