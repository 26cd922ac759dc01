"""Tests of the figures of agents in a forecast over random queues, against sums that know nothing of the code."""

from math import exp, factorial
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.agent_events import AgentOpened
from dialer.domain.calls.call_effects import FinishLeg
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Transfer
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, QueuePlan, TierPlan
from dialer.domain.words.enums import AgentStatus, Cause, TransferStatus
from dialer.forecast.queue_figures import QueueForecast, QueueTally, queue_forecast

ON_DUTY: Final = frozenset({AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND})
UNUSED: Final[Any] = None


class Talk(NamedTuple):
    """A call that an agent takes: its wait, the talk, and the wrap-up time of a simulated agent, if it has its own."""

    wait_ms: int
    talk_ms: int
    wrap_up_ms: int | None


class Floor(NamedTuple):
    """A queue of the campaign, and agents: their state, whether they serve it, and their calls of one run."""

    agents: list[tuple[AgentStatus, bool, int, list[Talk]]]
    lost: int
    dialled_ms: int


talks = st.lists(
    st.builds(Talk, st.integers(0, 60_000), st.integers(1_000, 600_000), st.none() | st.integers(0, 60_000)), max_size=5
)
floors = st.builds(
    Floor,
    agents=st.lists(
        st.tuples(st.sampled_from(AgentStatus), st.booleans(), st.integers(0, 30_000), talks), min_size=1, max_size=8
    ),
    lost=st.integers(0, 5),
    dialled_ms=st.integers(600_000, 86_400_000),
)


def forecast_of(floor: Floor) -> QueueForecast | None:
    """Return the figures of one run, in which agents who are on duty and serve the queue take calls."""
    opened = [
        AgentOpened(AgentPlan(number, 1, status, wrap_up_ms), AgentFigures())
        for number, (status, _, wrap_up_ms, _) in enumerate(floor.agents, 1)
    ]
    tiers = tuple(TierPlan(number) for number, (_, serves, _, _) in enumerate(floor.agents, 1) if serves)
    tally = QueueTally(opened, [QueuePlan(1, tiers=tiers)])
    for number, (status, serves, _, calls) in enumerate(floor.agents, 1):
        for talk in calls if serves and status in ON_DUTY else ():
            tally.transfer_kept(transfer(number, talk.wait_ms))
            outcome = LegOutcome(
                talk.wait_ms + talk.talk_ms, Cause.NORMAL_CLEARING, talk.wait_ms, wrap_up_ms=talk.wrap_up_ms
            )
            tally.leg_finished(FinishLeg(UNUSED, transfer(number, talk.wait_ms), outcome, UNUSED))
    for _ in range(floor.lost):
        tally.transfer_kept(transfer(None, None))
    return queue_forecast([tally.counters(floor.dialled_ms)])


def transfer(agent_id: int | None, answered_ms: int | None) -> Transfer:
    return Transfer(
        1,
        1,
        "leg",
        joined_ms=0,
        rate=Rate(0),
        queue_id=1,
        status=TransferStatus.OVER,
        agent_id=agent_id,
        score_from_ms=1,
        answered_ms=answered_ms,
    )


def within_20_s(agents: int, erlangs: float, handling_ms: float) -> float:
    """Return the percentage of callers who wait up to 20 s, by the sums of Erlang's formula of 1917."""
    if erlangs >= agents:
        return 0.0
    last = erlangs**agents / factorial(agents) * agents / (agents - erlangs)
    waiting = last / (sum(erlangs**count / factorial(count) for count in range(agents)) + last)
    return 100 * (1 - waiting * exp(-(agents - erlangs) * 20_000 / handling_ms))


@given(floors)
def test_busy_and_erlang_c_count_the_agents_of_the_queue_alone(floor: Floor) -> None:
    serving = [(wrap_up, calls) for status, serves, wrap_up, calls in floor.agents if serves and status in ON_DUTY]
    taken = [(talk, wrap_up) for wrap_up, calls in serving for talk in calls]
    busy_ms = sum(talk.talk_ms + (wrap_up if talk.wrap_up_ms is None else talk.wrap_up_ms) for talk, wrap_up in taken)
    found = forecast_of(floor)
    if not serving and not floor.lost:
        assert found is None
        return
    assert found is not None
    whole_ms = len(serving) * floor.dialled_ms
    assert (found.agents, found.queued.p50) == (len(serving), len(taken) + floor.lost)
    busy = 100 * min(busy_ms, whole_ms) / whole_ms if whole_ms else 0
    assert found.busy_percent.p50 == pytest.approx(busy, abs=0.006)
    if not taken:
        assert found.erlang_c is None
        return
    handling_ms = busy_ms / len(taken)
    erlangs = (len(taken) + floor.lost) * handling_ms / floor.dialled_ms
    assert found.erlang_c is not None
    assert found.erlang_c.erlangs == pytest.approx(erlangs, abs=0.006)
    in_time = within_20_s(len(serving), erlangs, handling_ms)
    assert found.erlang_c.taken_in_time_percent == pytest.approx(in_time, abs=0.006)


@given(floors, st.lists(st.tuples(st.sampled_from(AgentStatus), st.integers(0, 30_000)), max_size=5))
def test_agents_of_other_queues_change_nothing(floor: Floor, others: list[tuple[AgentStatus, int]]) -> None:
    strangers = [(status, False, wrap_up_ms, list[Talk]()) for status, wrap_up_ms in others]
    assert forecast_of(floor._replace(agents=[*floor.agents, *strangers])) == forecast_of(floor)
