"""A kernel whose carrier doubles, delays, swaps, makes up and loses its reports."""

import heapq
from collections.abc import Callable
from typing import Final, get_args

import msgspec

from dialer.carriers.engine_port import CallPlacer
from dialer.domain.calls import agent_events, call_events, effects, events
from dialer.domain.engine.engine import Engine
from dialer.runtime.steps.kernel import CampaignStore, Kernel
from dialer.sim.chance import Chance
from tests.vopr.faults import Mischief

REPORTS: Final = (*get_args(events.Report), agent_events.AgentAnswered)
"""Events that a carrier or an agent's telephone reports."""
HARMLESS: Final = (
    effects.WakeCampaign,
    effects.WakeGateway,
    effects.WakeDistributor,
    effects.WakeWatchdog,
    effects.KeepWish,
)
"""Effects that a repeated report may have: waking something, and adding a number to a list that already has it."""
_THOUSAND: Final = 1_000
_DAY_MS: Final = 86_400_000
_UNKNOWN_CALL: Final = 1 << 50
"""Added to the id of a call to get the id of a call that was never placed."""
_RANK: Final = 9
"""The rank of late reports: they come after all other events of their millisecond."""


class FaultyKernel(Kernel):
    """A kernel that tampers with reports. Each decision depends on the report alone, so a restart changes none."""

    def __init__(
        self,
        engine: Engine,
        carrier: CallPlacer,
        store: CampaignStore,
        *,
        now_ms: int,
        seed: int,
        mischief: Mischief,
        complain: Callable[[str], None],
    ) -> None:
        super().__init__(engine, carrier, store, now_ms=now_ms)
        self._seed: Final = seed
        self._mischief: Final = mischief
        self._complain: Final = complain
        self.faults = 0
        """The number of reports that were tampered with."""

    def channels(self) -> dict[str, int]:
        """Return the number of calls that its engine counts on each gateway."""
        return {str(gateway_id): load.in_progress for gateway_id, load in self._engine.engine_state.gateways.items()}

    def _happen(self, at_ms: int, rank: int, key: int, sequence: int, event: events.Event) -> None:
        if rank == _RANK:
            self.now_ms = max(self.now_ms, at_ms)
            self._perform(self._engine.handle(self.now_ms, event))
            return
        is_true = self._expected.get(key) == sequence or self._answers.get(key) == sequence
        if not isinstance(event, REPORTS) or not is_true:
            super()._happen(at_ms, rank, key, sequence, event)
            return
        chance = Chance(self._seed, key, rank, at_ms, type(event).__name__)
        if self._is(chance, self._mischief.lost):
            self._lose(at_ms, rank, key)
            return
        if isinstance(event, call_events.LegEnded) and self._is(chance, self._mischief.swapped):
            self._swap(at_ms, event)
            return
        super()._happen(at_ms, rank, key, sequence, event)
        self._repeat(chance, at_ms, event)

    def _is(self, chance: Chance, per_thousand: int) -> bool:
        happens = chance.between(0, _THOUSAND - 1) < per_thousand
        self.faults += happens
        return happens

    def _lose(self, at_ms: int, rank: int, key: int) -> None:
        """Drop a report, and with it all later reports of its call."""
        self.now_ms = max(self.now_ms, at_ms)
        (self._expected if rank <= 1 else self._answers).pop(key, None)

    def _swap(self, at_ms: int, event: call_events.LegEnded) -> None:
        """Hang up a call during its B-leg, and report the end of the leg after the end of the call."""
        self.now_ms = max(self.now_ms, at_ms)
        self._expected.pop(event.call_id, None)
        hung_up = self._carrier.hang_up(event.call_id, self.now_ms)
        if hung_up is None:
            return
        _, outcome = hung_up
        for one in (call_events.CallEnded(event.call_id, outcome), event):
            self._perform(self._engine.handle(self.now_ms, one))

    def _repeat(self, chance: Chance, at_ms: int, event: events.Report | agent_events.AgentAnswered) -> None:
        """Deliver a report again, now or later, or as the report of another call."""
        if self._is(chance, self._mischief.doubled):
            self._again(event)
        if self._is(chance, self._mischief.unknown):
            self._again(msgspec.structs.replace(event, call_id=event.call_id + _UNKNOWN_CALL))
        if self._is(chance, self._mischief.late):
            late_ms = at_ms + chance.between(1, chance.between(1, _DAY_MS))
            heapq.heappush(self._heap, (late_ms, _RANK, event.call_id, next(self._sequence), event))

    def _again(self, event: events.Report | agent_events.AgentAnswered) -> None:
        to_do = self._engine.handle(self.now_ms, event)
        wrong = [type(effect).__name__ for effect in to_do if not isinstance(effect, HARMLESS)]
        if wrong:
            self._complain(f"a second {type(event).__name__} of call {event.call_id} led to {', '.join(wrong)}")
        self._perform(to_do)
