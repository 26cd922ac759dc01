"""Tests of a simulated week at a queue: its waits are those of the call distributor under the same calls."""

from heapq import heappop, heappush
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.queueing.staffing import HALF_HOUR_MS, CallLoad
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.sim.chance import Chance
from dialer.sim.staffed_week import Served, StaffedHalfHour, arrivals_of, serve_week

START_MS = 10**12
COMES, TAKEN, OVER, WAKES = range(4)
half_hours = st.builds(
    StaffedHalfHour,
    agents=st.integers(1, 5),
    calls=st.integers(1, 60).map(float),
    ring_ms=st.integers(0, 3_000),
    talk_ms=st.integers(1_000, 200_000),
    wrap_up_ms=st.integers(0, 30_000),
)


def distributed(half_hour: StaffedHalfHour, seed: int) -> list[int]:
    """Return the waits of the callers of one half hour at a call distributor, in the order in which they came."""
    agents = range(1, half_hour.agents + 1)
    floor = CallDistributor(seed=0)
    for agent in agents:
        floor.open_agent(AgentPlan(agent, 1, AgentStatus.AVAILABLE, half_hour.wrap_up_ms))
    tiers = tuple(TierPlan(agent) for agent in agents)
    floor.open_queue(QueuePlan(1, QueueStrategy.LONGEST_IDLE_AGENT, tiers, max_wait_with_no_agent_ms=0))
    chance, waits, woken = Chance(seed, 0, 0, 0, "talks"), dict[int, int](), set[int]()
    events: list[tuple[int, int, int, Any]] = []
    for call_id, after_ms in enumerate(arrivals_of(seed, 0, half_hour.calls), 1):
        heappush(events, (START_MS + after_ms, call_id, COMES, None))
    came = {call_id: at_ms for at_ms, call_id, _, _ in events}
    while events:
        now_ms, call_id, kind, agent = heappop(events)
        if kind == COMES:
            floor.join(now_ms, call_id, 1, f"+1202555{call_id:04}", now_ms)
        elif kind == TAKEN:
            floor.taken(now_ms, call_id, agent)
            waits[call_id] = now_ms - came[call_id]
        elif kind == OVER:
            floor.released(now_ms, call_id)
        for decision in floor.decide(now_ms):
            assert isinstance(decision, AgentOffer)
            taken_ms = now_ms + half_hour.ring_ms
            heappush(events, (taken_ms, decision.call_id, TAKEN, decision.agent_id))
            heappush(events, (taken_ms + chance.exponential(half_hour.talk_ms), decision.call_id, OVER, None))
        wakes_ms = floor.wakes_at_ms(now_ms)
        if wakes_ms not in woken and wakes_ms < 2 * START_MS:
            woken.add(wakes_ms)
            heappush(events, (wakes_ms, 0, WAKES, None))
    return [waits[call_id] for call_id in sorted(waits)]


@given(half_hour=half_hours, seed=st.integers(0, 2**32))
def test_callers_wait_as_long_as_at_the_call_distributor(half_hour: StaffedHalfHour, seed: int) -> None:
    simulated = [call.waited_ms for call in serve_week([half_hour], seed)]
    assert simulated == distributed(half_hour, seed)


@given(week=st.lists(half_hours, min_size=1, max_size=6), seed=st.integers(0, 2**32))
def test_everybody_is_served_and_no_agent_has_two_calls(week: list[StaffedHalfHour], seed: int) -> None:
    served = serve_week(week, seed)
    assert len(served) == sum(len(list(arrivals_of(seed, place, one.calls))) for place, one in enumerate(week))
    whole_ms = sum(call.busy_ms for call in served)
    most = max(one.agents for one in week)
    last_ms = max((call.half_hour + 1) * HALF_HOUR_MS + call.waited_ms + call.busy_ms for call in served or [NOBODY])
    assert whole_ms <= most * last_ms


NOBODY = Served(0, 0, 0)


def test_waits_of_steady_half_hours_are_those_of_erlang_c() -> None:
    """Ten erlangs, 14 agents: 88.8 % are served within 20 seconds, and 88.6 % if telephones ring for a second first."""
    for ring_ms, expected in ((0, 88.8), (1_000, 88.6)):
        load = CallLoad(100, 180_000, ring_ms)
        week = [StaffedHalfHour(14, 100, ring_ms, 180_000 - ring_ms, 0)] * 48
        waits = [call.waited_ms for seed in range(20) for call in serve_week(week, seed) if call.half_hour]
        in_time = 100 * sum(wait <= 20_000 for wait in waits) / len(waits)
        assert load.served_within(14, 20_000) == pytest.approx(expected, abs=0.1)
        assert in_time == pytest.approx(expected, abs=1.5)
