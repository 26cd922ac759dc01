"""Tests of a simulated week at a queue: its waits are those of the call distributor under the same calls."""

from array import array
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
from dialer.sim.staffed_week import HalfHourCalls, OfferedHalfHour, arrivals_of, calls_of_shift, waits_of_shift

START_MS = 10**12
COMES, TAKEN, OVER, WAKES = range(4)
offers = st.builds(
    OfferedHalfHour,
    calls=st.integers(1, 60).map(float),
    ring_ms=st.integers(0, 3_000),
    talk_ms=st.integers(1_000, 200_000),
    wrap_up_ms=st.integers(0, 30_000),
)


def distributed(half_hour: OfferedHalfHour, count: int, seed: int) -> list[int]:
    """Return the waits of the callers of one half hour at a call distributor, in the order in which they came."""
    agents = range(1, count + 1)
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


@given(half_hour=offers, agents=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_callers_wait_as_long_as_at_the_call_distributor(half_hour: OfferedHalfHour, agents: int, seed: int) -> None:
    (waits,) = waits_of_shift(calls_of_shift([half_hour], 0, seed), [agents])
    assert [wait_ms + half_hour.ring_ms for wait_ms in waits] == distributed(half_hour, agents, seed)


@given(shift=st.lists(st.tuples(offers, st.integers(1, 5)), min_size=1, max_size=6), seed=st.integers(0, 2**32))
def test_everybody_is_served_and_no_agent_has_two_calls(shift: list[tuple[OfferedHalfHour, int]], seed: int) -> None:
    """At each moment at most as many calls last as agents were at work so far; who is left without time ends a call."""
    calls = calls_of_shift([one for one, _ in shift], 7, seed)
    agents = [count for _, count in shift]
    waits = waits_of_shift(calls, agents)
    came = [len(list(arrivals_of(seed, place, one.calls))) for place, (one, _) in enumerate(shift, 7)]
    assert [len(one) for one in waits] == came
    changes = [
        change
        for of_half_hour, waited in zip(calls, waits, strict=True)
        for came_ms, busy_ms, wait_ms in zip(of_half_hour.came_ms, of_half_hour.busy_ms, waited, strict=True)
        for change in ((came_ms + wait_ms, 1), (came_ms + wait_ms + busy_ms, -1))
    ]
    at_once, begun = 0, [at_ms for at_ms, more in changes if more > 0]
    assert begun == sorted(begun)
    for at_ms, more in sorted(changes):
        at_once += more
        assert at_once <= max(agents[: at_ms // HALF_HOUR_MS + 1])


def test_agents_who_leave_end_their_call_and_take_no_other() -> None:
    """Two agents have a call each; one stays, and is free first or last. The third caller waits for that one."""
    for busy_ms, taken_ms in (([3_000_000, 2_000_000], 3_000_000), ([2_000_000, 3_000_000], 2_000_000)):
        calls = [
            HalfHourCalls(array("q", [0, 1]), array("q", busy_ms)),
            HalfHourCalls(array("q", [1_900_000]), array("q", [1])),
        ]
        assert waits_of_shift(calls, [2, 1]) == [[0, 0], [taken_ms - 1_900_000]]


def test_waits_of_steady_half_hours_are_those_of_erlang_c() -> None:
    """Ten erlangs, 14 agents: 88.8 % are served within 20 seconds, and 88.6 % if telephones ring for a second first."""
    for ring_ms, expected in ((0, 88.8), (1_000, 88.6)):
        load = CallLoad(100, 180_000, ring_ms)
        shift = [OfferedHalfHour(100, ring_ms, 180_000 - ring_ms, 0)] * 48
        weeks = [waits_of_shift(calls_of_shift(shift, 0, seed), [14] * 48)[1:] for seed in range(20)]
        waits = [wait_ms for week in weeks for half_hour in week for wait_ms in half_hour]
        in_time = 100 * sum(wait_ms + ring_ms <= 20_000 for wait_ms in waits) / len(waits)
        assert load.served_within(14, 20_000) == pytest.approx(expected, abs=0.1)
        assert in_time == pytest.approx(expected, abs=1.5)
