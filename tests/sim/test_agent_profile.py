"""Tests of the behaviour of simulated agents: what their parameters mean, and that equal seeds give equal rests."""

import itertools
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.sim.agent_profile import AgentBehaviour, Rest, parse_agent
from dialer.sim.chance import CERTAIN, Chance, threshold
from dialer.sim.simulation import Simulation
from dialer.sim.spans import BehaviourError, Span, draw, read_span
from tests.sim.scenes import scenario_of

DECILES: Final = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60]


def test_no_parameters_are_the_documented_defaults() -> None:
    assert parse_agent({}) == AgentBehaviour(
        *(None, Span(1_000, 1_000), 0, None, 0, Span(300_000, 300_000), Span(5_000, 15_000), 0),
        at_desk=False,
        is_person=False,
    )


def test_every_parameter_has_its_place() -> None:
    given = {"answer": 2, "missed": 0.1, "talk": {"mean": 90}, "wrap_up": [5, 9], "breaks": 1, "break_length": 600}
    given |= {"preview": [3, 20], "skipped": 0.2, "at_desk": True, "person": True}
    assert parse_agent(given) == AgentBehaviour(
        talk=Span(0, 0, mean_ms=90_000),
        answer=Span(2_000, 2_000),
        missed=threshold(0.1),
        wrap_up=Span(5_000, 9_000),
        breaks=CERTAIN,
        break_length=Span(600_000, 600_000),
        preview=Span(3_000, 20_000),
        skipped=threshold(0.2),
        at_desk=True,
        is_person=True,
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mood": 1}, "mood: Unknown key."),
        ({"at_desk": 1}, "at_desk: Must be true or false."),
        ({"person": 1}, "person: Must be true or false."),
        ({"missed": 2}, "missed: Must be a number from 0 to 1."),
        ({"wrap_up": "long"}, "wrap_up: Must be a number of seconds from 0 to 86400."),
        ({"talk": {"median": 3}}, "talk.median: Unknown key."),
        ({"talk": {"deciles": [1, 2]}}, "talk: Must be a mean, or a list of 11 deciles from the least to the most."),
        ({"talk": {"deciles": [2, *DECILES[:10]]}}, "talk.deciles: Must not decrease."),
        ({"talk": {"deciles": DECILES, "mean": 3}}, "talk: Must be a mean, or a list"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BehaviourError) as error:
        parse_agent(parameters)
    assert str(error.value).startswith(message)


@given(deciles=st.lists(st.integers(0, 5_000), min_size=11, max_size=11).map(sorted), seed=st.integers(0, 99))
def test_a_measured_length_is_never_outside_what_was_measured(deciles: list[int], seed: int) -> None:
    span = read_span("talk", {"deciles": deciles})
    chance = Chance(seed, 1, 1, 1)
    drawn = [draw(span, chance) for _ in range(50)]
    assert min(drawn) >= deciles[0] * 1_000
    assert max(drawn) <= deciles[-1] * 1_000


def test_a_tenth_of_the_lengths_lies_between_two_deciles() -> None:
    span, chance = read_span("talk", {"deciles": DECILES}), Chance(5, 1, 1, 1)
    drawn = [draw(span, chance) for _ in range(10_000)]
    for low, high in itertools.pairwise(DECILES):
        assert sum(low * 1_000 <= one < high * 1_000 for one in drawn) == pytest.approx(1_000, rel=0.15)


def test_a_rest_is_a_wrap_up_and_sometimes_a_break() -> None:
    chance = Chance(1, 1, 1, 1)
    assert parse_agent({}).rest(chance) == Rest(None, 0)
    assert parse_agent({"wrap_up": 7, "breaks": 1, "break_length": 60}).rest(chance) == Rest(7_000, 60_000)


def centre(**parameters: object) -> Simulation:
    """Run a campaign of ten people who wait for one agent with these parameters."""
    simulation = Simulation(
        scenario_of(
            account={},
            gateway={
                "parameters": {
                    "answer": 1,
                    **dict.fromkeys(("busy", "rejected", "invalid", "machine", "post_dial_delay", "ring"), 0),
                    "patience": 86_400,
                    "talk": 10,
                }
            },
            campaign={"frequency": 600, "callmaxduration": 86_400},
            survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]},
            queues=[{"id": 1, "max_wait_time": 0}],
            agents=[{"id": 1, "count": 1, "parameters": {"answer": 0, **parameters}}],
            population={"size": 10, "patterns": ["+331990xxxxx"]},
        )
    )
    simulation.run()
    return simulation


def between_talks_s(simulation: Simulation) -> list[int]:
    """Return the seconds from each talk to the next one."""
    talks = sorted((one.answered_ms or 0, one.ended_ms or 0) for _, one in simulation.store.transfers.values())
    return [(later[0] - earlier[1]) // 1_000 for earlier, later in itertools.pairwise(talks)]


def test_an_agent_rests_between_talks_as_the_profile_says() -> None:
    assert between_talks_s(centre()) == [0] * 9
    assert between_talks_s(centre(wrap_up=7)) == [7] * 9
    assert between_talks_s(centre(wrap_up=7, breaks=1, break_length=60)) == [67] * 9
    found = between_talks_s(centre(wrap_up=[5, 9], breaks=0.5, break_length=100))
    assert found == between_talks_s(centre(wrap_up=[5, 9], breaks=0.5, break_length=100))
    assert {5 <= one % 100 <= 9 for one in found} == {True}
    assert {one // 100 for one in found} == {0, 1}


def test_an_agent_who_lets_calls_ring_takes_none() -> None:
    simulation = centre(missed=1)
    assert [one.agent_id for _, one in simulation.store.transfers.values()] == [None] * 10


def test_nobody_plays_an_agent_of_a_simulation() -> None:
    assert between_talks_s(centre(person=True, wrap_up=7)) == [7] * 9
    assert centre(person=True, missed=1).store.transfers.keys() == centre(missed=1).store.transfers.keys()
