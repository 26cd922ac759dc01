"""Tests of campaigns whose calls need skills, on the whole engine: who is called, how soon, and at which cost."""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.counted_functions import counted_functions
from dialer.domain.calls.campaign_effects import CountSubscribers
from dialer.domain.calls.campaign_events import SubscribersCounted
from dialer.domain.engine import aside as aside_module
from dialer.domain.words.enums import LegType
from dialer.sim.memory_store import MemoryStore
from dialer.sim.simulation import Simulation
from tests.sim.scenes import run

COST_MAX: Final = 1.5
"""The largest ratio of the cost of a campaign whose calls need skills to that of one whose calls need none."""
OWN_SKILLS: Final = (("spanish", "loans"), ("cards", "french"), ("basque",))
"""Skills that go together. No agent has two of these."""


def simulate(
    languages: Sequence[str],
    agents: Sequence[Mapping[str, object]],
    *,
    field: str = "language",
    method: int = 2,
    **answers: object,
) -> Simulation:
    """Simulate a campaign that calls one person for each language, who answers at once unless `answers` says else."""
    return run(
        account={},
        gateway={
            "parameters": {
                "answer": 1,
                "busy": 0,
                "machine": 0,
                "ring": [5, 25],
                "rejected": 0,
                "invalid": 0,
                "congestion": 0,
                **answers,
            }
        },
        campaign={"callerid": "+33199000000", "dial_method": method, "maxretry": 0},
        survey={"sections": [{"id": 1, "type": 6, "question": "An agent", "audio_seconds": 2, "queue": 1}]},
        queues=[{"id": 1, "strategy": 2, "skill_field": field}],
        agents=agents,
        contacts=[
            {"contact": f"+33199{place:06}", "additional_vars": {"language": language}}
            for place, language in enumerate(languages)
        ],
    )


def abandoned(simulation: Simulation) -> int:
    """Return the number of callees whom no agent took in time."""
    return sum(one.is_abandoned for _, one in simulation.store.transfers.values())


@pytest.mark.parametrize("languages", [["Spanish", "Spanish, Loans"], ["Spanish", "Loans", "Cards", "Spanish, Cards"]])
def test_an_agent_gets_one_call_though_the_needs_of_two_differ(languages: list[str]) -> None:
    simulation = simulate(languages * 10, [{"id": 1, "count": 9}, {"id": 90, "skills": "spanish, loans, cards"}])
    assert len(simulation.store.transfers) == 10 * len(languages)
    assert abandoned(simulation) == 0


@settings(max_examples=25)
@given(st.data())
def test_nobody_is_abandoned_by_the_progressive_method_for_want_of_an_agent_with_the_skills(
    data: st.DataObject,
) -> None:
    """Each agent has all skills of one kind, and each person needs some of one kind, so no agent is taken away."""
    kinds = data.draw(st.lists(st.sampled_from(OWN_SKILLS), min_size=1, max_size=6), "agents")
    needs = st.sampled_from(OWN_SKILLS).flatmap(lambda kind: st.sets(st.sampled_from(kind), min_size=1).map(sorted))
    people = data.draw(st.lists(needs.map(", ".join), min_size=1, max_size=30), "people")
    agents = [{"id": 100 + place, "skills": ", ".join(kind)} for place, kind in enumerate(kinds)]
    assert abandoned(simulate(people, agents)) == 0


@pytest.mark.parametrize("method", [2, 3, 4])
def test_people_whose_skill_nobody_has_keep_nobody_from_being_called(
    method: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aside_module, "ASIDE_MAX", 20)
    people = ["Basque"] * 40 + ["Galician"] * 40 + ["Spanish"] * 30
    simulation = simulate(people, [{"id": 1, "count": 4}, {"id": 9, "skills": "spanish"}], method=method)
    called = {cdr.phone_number for cdr in simulation.store.cdrs if cdr.leg_type == LegType.A_LEG}
    assert called == {f"+33199{place:06}" for place in range(80, 110)}


def test_skills_hardly_cost_anything() -> None:
    """One of three people needs Spanish, which two of many agents speak, so most wait beside the hopper."""
    people = ["Spanish"] * 150 + [""] * 300
    agents: list[Mapping[str, object]] = [{"id": 1, "count": 30}, {"id": 90, "count": 2, "skills": "spanish"}]
    costs = []
    for field in ("", "language"):
        with counted_functions() as counts:
            simulate(people, agents, field=field, method=3, answer=0.3)
        costs.append(counts["call"])
    assert costs[1] <= COST_MAX * costs[0]


def test_agents_who_become_free_do_not_have_a_campaign_counted_all_of_whose_people_wait_for_skills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is counted at the end of the last call, and when it finds nobody to call. Ten wrap-up times end later."""
    asked, count = [], MemoryStore.count_subscribers

    def counted(store: MemoryStore, effect: CountSubscribers) -> SubscribersCounted:
        asked.append(effect)
        return count(store, effect)

    monkeypatch.setattr(MemoryStore, "count_subscribers", counted)
    simulate(["Basque"] * 10 + [""] * 20, [{"id": 1, "count": 10, "wrap_up_time": 60}])
    assert len(asked) == 2
