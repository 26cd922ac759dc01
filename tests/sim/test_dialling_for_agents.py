"""Tests of campaigns that dial for agents, on the whole engine: abandoned shares and utilisation."""

import sys
from typing import Any, Final

import pytest

from dialer.domain.pacing.inputs import ABANDONED_AFTER_MS
from dialer.domain.words.enums import AmdStatus, Cause, DialMethod, LegType
from dialer.sim.call_centre import call_centre_of
from dialer.sim.simulation import CAMPAIGN_ID, Simulation
from tests.sim.scenes import run
from tests.sizes import ABANDON_SEEDS, AGENT_SEEDS

FIRST_ANSWERS: Final = 100
HOUR_MS: Final = 3_600_000
POPULATIONS: Final[dict[str, dict[str, Any]]] = {
    "small and eager": {"agents": 5, "answer": 0.8, "size": 500},
    "middling": {"agents": 20, "answer": 0.45, "size": 1_000},
    "large and shy": {"agents": 60, "answer": 0.2, "size": 2_500},
}


def day(population: str, seed: int, **campaign: Any) -> Simulation:  # noqa: ANN401 - any field of a campaign
    """Simulate a day of dialling for agents who answer in time."""
    people = POPULATIONS[population]
    return run(
        seed=seed,
        account={},
        gateway={"parameters": {"answer": people["answer"], "busy": 0, "machine": 0, "ring": [5, 25]}},
        campaign={"callerid": "+33199000000", **campaign},
        survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "audio_seconds": 2, "queue": 1}]},
        queues=[{"id": 1, "strategy": 2}],
        agents=[{"id": 1, "count": people["agents"], "wrap_up_time": 5}],
        population={"size": people["size"], "patterns": ["+331990xxxxx"]},
    )


def shares(simulation: Simulation) -> list[float]:
    """Return the abandoned share at each abandoned call, from the hundredth answer on."""
    store = simulation.store
    answered = sorted(
        cdr.starting_ms + (cdr.duration - cdr.billsec) * 1_000
        for cdr in store.cdrs
        if cdr.leg_type == LegType.A_LEG
        and cdr.hangup_cause_q850 == Cause.NORMAL_CLEARING
        and cdr.amd_status is AmdStatus.PERSON
    )
    abandoned = sorted(one.joined_ms + ABANDONED_AFTER_MS for _, one in store.transfers.values() if one.is_abandoned)
    found = []
    for count, at_ms in enumerate(abandoned, 1):
        answers = sum(one <= at_ms for one in answered)
        if answers >= FIRST_ANSWERS:
            found.append(count / answers)
    return found


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("seed", range(1, 1 + AGENT_SEEDS))
def test_predictive_keeps_its_target_all_day_and_agents_busier_than_progressive(population: str, seed: int) -> None:
    predictive = day(population, seed, dial_method=3)
    progressive = day(population, seed, dial_method=2)
    busy, slow = call_centre_of(predictive), call_centre_of(progressive)
    assert busy is not None
    assert slow is not None
    assert max(shares(predictive), default=0.0) <= 0.03
    assert busy.abandon_rate <= 0.03
    assert slow.abandoned == 0
    assert busy.utilisation > slow.utilisation


def test_another_target_is_kept_as_well() -> None:
    strict = day("middling", 1, dial_method=3, abandon_rate_max=0)
    assert shares(strict) == []
    loose = day("middling", 1, dial_method=3, abandon_rate_max=6)
    assert 0.03 < max(shares(loose)) <= 0.06


def counts_by_hour(simulation: Simulation) -> list[tuple[int, int]]:
    """Return the abandoned and the answered calls that were dialled in an hour since the first dial, as they grow.

    There is an entry for each abandoned call, with the answers until then, and one for the end of each hour.
    """
    first_ms = min(cdr.starting_ms for cdr in simulation.store.cdrs if cdr.leg_type == LegType.A_LEG)
    answered = [
        ((cdr.starting_ms - first_ms) // HOUR_MS, cdr.starting_ms + (cdr.duration - cdr.billsec) * 1_000)
        for cdr in simulation.store.cdrs
        if cdr.leg_type == LegType.A_LEG
        and cdr.hangup_cause_q850 == Cause.NORMAL_CLEARING
        and cdr.amd_status is AmdStatus.PERSON
    ]
    abandoned = [
        ((call.started_ms - first_ms) // HOUR_MS, one.joined_ms + ABANDONED_AFTER_MS)
        for call, one in simulation.store.transfers.values()
        if one.is_abandoned
    ]
    ends = [(hour, sys.maxsize) for hour in range(1 + max(hour for hour, _ in answered))]
    return [
        (sum(one[0] == hour and one[1] <= at_ms for one in abandoned),
         sum(one[0] == hour and one[1] <= at_ms for one in answered))
        for hour, at_ms in (*abandoned, *ends)
    ]  # fmt: skip


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("way", [{"dial_method": 3}, {"dial_method": 2, "agent_dial_rate": 3}])
def test_without_the_allowance_each_period_keeps_the_limit_from_its_first_answer(
    population: str, way: dict[str, Any]
) -> None:
    """`ABANDON_SEEDS=200` in front of pytest tries 200 days of each."""
    for seed in range(1, 1 + ABANDON_SEEDS):
        counts = counts_by_hour(day(population, seed, abandon_from_first=True, abandon_hours=1, **way))
        assert sum(answered for _, answered in counts) > 0
        above = [(abandoned, answered) for abandoned, answered in counts if 100 * abandoned > 3 * answered]
        assert (seed, above) == (seed, [])


def test_progressive_places_so_many_calls_for_each_idle_agent() -> None:
    """At the start all twenty agents are idle. At 2.5 it would be 50 calls, of which the budget allows 23.

    It is that of the first hundred answers: 3 more calls than there are agents.
    """
    for rate, calls in ((1, 20), (2.5, 23), (0.5, 10)):
        simulation = day("middling", 1, dial_method=2, agent_dial_rate=rate)
        assert sum(cdr.starting_ms == simulation.start_ms for cdr in simulation.store.cdrs) == calls


@pytest.mark.parametrize(("outcome", "abandoned"), [("answer", 1), ("machine", 0)])
def test_only_a_person_who_waits_too_long_spends_the_budget(outcome: str, abandoned: int) -> None:
    """Two calls at once for one agent, who talks for a minute, so one callee waits."""
    numbers = ("+33199000001", "+33199000002")
    scripts = {number: {"outcome": outcome, "ring": 4, "keys": []} for number in numbers}
    simulation = run(
        *numbers,
        account={},
        gateway={"parameters": {"numbers": scripts, "talk": 60}},
        campaign={"dial_method": 2, "agent_dial_rate": 2, "voicemail": True},
        survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]},
        queues=[{"id": 1}],
        agents=[{"id": 1}],
    )
    assert sorted(one.is_abandoned for _, one in simulation.store.transfers.values()) == [False, True]
    assert simulation.store.figures[CAMPAIGN_ID].abandoned == abandoned


@pytest.mark.parametrize("dial_method", [2, 3, 4])
def test_people_who_need_a_skill_are_called_one_for_each_free_agent_who_has_it(dial_method: int) -> None:
    """One of five agents speaks Spanish, and every fourth person needs it; nobody speaks Basque."""
    languages = {0: "Spanish", 1: "Basque"}
    people = [{"contact": f"+33199{one:06}", "additional_vars": {"language": languages.get(one % 4, "")}}
              for one in range(200)]  # fmt: skip
    simulation = run(
        account={},
        gateway={"parameters": {"answer": 0.6, "busy": 0, "machine": 0, "ring": [5, 25]}},
        campaign={"callerid": "+33199000000", "dial_method": dial_method, "maxretry": 0},
        survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "audio_seconds": 2, "queue": 1}]},
        queues=[{"id": 1, "strategy": 2, "skill_field": "language"}],
        agents=[{"id": 1, "count": 4}, {"id": 9, "skills": "spanish"}],
        contacts=people,
    )
    called = {cdr.phone_number for cdr in simulation.store.cdrs if cdr.leg_type == LegType.A_LEG}
    assert called == {one["contact"] for place, one in enumerate(people) if place % 4 != 1}
    spoken = [one for call, one in simulation.store.transfers.values() if int(call.subscriber.number[-3:]) % 4 == 0]
    assert {one.agent_id for one in spoken} - {None} == {9}
    assert dial_method != DialMethod.PREVIEW or not any(one.is_abandoned for one in spoken)
