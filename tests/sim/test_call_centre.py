"""Tests of the figures of agents and queues, with scripted callees and agents."""

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.sim.call_centre import CallCentre, call_centre_of, render_call_centre
from dialer.sim.simulation import CAMPAIGN_ID, Simulation
from tests.sim.scenes import run

SURVEY: Final = {"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]}
PEOPLE: Final = ("+33199000001", "+33199000002", "+33199000003", "+33199000004")


def centre(*people: str, numbers: dict[str, Any] | None = None, **parts: Any) -> Simulation:  # noqa: ANN401
    """Simulate one call a second to callees who answer after 4 s and talk to an agent for 30 s."""
    everybody = {number: {"outcome": "answer", "ring": 4, **(numbers or {}).get(number, {})} for number in people}
    parameters = {"post_dial_delay": 0, "talk": 30, "patience": 300, "numbers": everybody}
    given: dict[str, Any] = {"survey": SURVEY, "queues": [{"id": 1}], "gateway": {"parameters": parameters}}
    return run(*people, **(given | parts))


def agents(count: int = 1, **fields: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any field of an agent
    """Return agents who take a call at once."""
    return [{"id": 1, "count": count, "parameters": {"answer": 0}, **fields}]


def figures_of(simulation: Simulation) -> CallCentre:
    figures = call_centre_of(simulation)
    assert figures is not None
    return figures


def test_two_agents_and_four_callers_by_hand() -> None:
    """Answers come 4, 5, 6 and 7 s after the first dial. Agents take 1 s to answer, and 10 s to wrap up.

    The first two are with their agents from 5 to 35 and from 6 to 36 s. The third waits until 45, is taken at 46, and
    talks until 76. The fourth gives up after 20 s. Of twice 76 s, one agent was busy for 40 and 30 s
    (the wrap-up after the last talk is not counted), and the other for 40 s.
    """
    figures = figures_of(
        centre(
            *PEOPLE,
            numbers={PEOPLE[3]: {"patience": 20}},
            agents=agents(2, wrap_up_time=10, parameters={"answer": 1}),
        )
    )
    assert figures == CallCentre(
        agents=2,
        live_answered=4,
        queued=4,
        served=3,
        abandoned=2,
        abandon_rate=0.5,
        mean_wait=14.0,
        utilisation=110 / 152,
    )
    assert render_call_centre(figures) == [
        "",
        "Agents and queues",
        "  2 agents, busy 72.4% of the time",
        "  4 calls entered a queue; 3 were served, on average after 14.0 s",
        "  2 of 4 calls that persons answered were abandoned: 50.00%",
    ]


def test_an_idle_agent_who_answers_at_once_lets_nobody_wait() -> None:
    """Exact to the millisecond: the transfer itself takes no time."""
    simulation = centre(*PEOPLE, agents=agents(4))
    assert [one.answered_ms for _, one in simulation.store.transfers.values()] == [
        simulation.start_ms + 4_000 + 1_000 * place for place in range(4)
    ]
    assert figures_of(simulation).mean_wait == 0.0


@pytest.mark.parametrize(("answer", "abandoned"), [(2, 0), (2.001, 1)])
def test_two_seconds_are_not_too_long_and_a_little_more_is(answer: float, abandoned: int) -> None:
    figures = figures_of(centre(PEOPLE[0], agents=agents(parameters={"answer": answer})))
    assert (figures.served, figures.abandoned, figures.mean_wait) == (1, abandoned, answer)


def test_a_callee_who_hangs_up_while_waiting_is_abandoned_after_two_seconds_and_not_before() -> None:
    """No agent takes the calls. The callee who hangs up after a second was not abandoned."""
    numbers = {PEOPLE[0]: {"hang_up_after": 1}, PEOPLE[1]: {"hang_up_after": 3}}
    figures = figures_of(centre(*PEOPLE[:2], numbers=numbers, agents=agents(parameters={"answer": 20})))
    assert (figures.live_answered, figures.queued, figures.served, figures.abandoned) == (2, 2, 0, 1)


def test_a_call_that_is_abandoned_in_two_queues_counts_once() -> None:
    sections = [
        {"id": 1, "type": 6, "question": "An agent", "queue": 1, "branches": {"timeout": 2}},
        {"id": 2, "type": 6, "question": "Another", "queue": 2},
    ]
    queues = [{"id": 1, "max_wait_time": 10, "tiers": []}, {"id": 2, "max_wait_time": 10, "tiers": []}]
    figures = figures_of(centre(PEOPLE[0], survey={"sections": sections}, queues=queues, agents=agents()))
    assert (figures.queued, figures.abandoned, figures.abandon_rate) == (2, 1, 1.0)


def test_detected_machines_are_no_persons() -> None:
    """+1 202 555 0110 is always a machine, which counts as a person without detection."""
    contacts = [{"contact": PEOPLE[0]}, {"contact": "+12025550110"}]
    for voicemail, live in ((True, 1), (False, 2)):
        campaign = {"voicemail": voicemail, "voicemail_audio_seconds": 5}
        figures = figures_of(centre(PEOPLE[0], campaign=campaign, contacts=contacts, agents=agents(2)))
        assert (voicemail, figures.live_answered) == (voicemail, live)


def test_an_inbound_call_does_not_count_as_answered_by_a_person() -> None:
    """The callee missed a call and calls back. The agent serves them, and the abandoned share stays empty."""
    numbers = {PEOPLE[0]: {"outcome": "no_answer", "call_back_after": 60}}
    figures = figures_of(
        centre(
            PEOPLE[0],
            numbers=numbers,
            agents=agents(parameters={"answer": 5}),
            campaign={"callerid": "+33199000099"},
            dids=["+33199000099"],
        )
    )
    assert (figures.queued, figures.served, figures.mean_wait) == (1, 1, 5.0)
    assert (figures.live_answered, figures.abandoned, figures.abandon_rate) == (0, 0, 0.0)


@pytest.mark.parametrize("staff", [[], agents(3, status=1), agents(3, status=4)])
def test_without_available_agents_no_call_is_served(staff: list[dict[str, Any]]) -> None:
    figures = figures_of(centre(*PEOPLE, agents=staff))
    assert figures == CallCentre(
        agents=0,
        live_answered=4,
        queued=4,
        served=0,
        abandoned=4,
        abandon_rate=1.0,
        mean_wait=0.0,
        utilisation=0.0,
    )


def test_an_agent_whose_contact_is_an_emergency_number_is_not_asked() -> None:
    figures = figures_of(centre(*PEOPLE, agents=agents(3, contact="1-1-2")))
    assert (figures.queued, figures.served, figures.abandoned) == (4, 0, 4)


def test_a_queue_without_calls_has_empty_figures() -> None:
    figures = figures_of(centre(PEOPLE[0], numbers={PEOPLE[0]: {"outcome": "busy"}}, agents=agents(2)))
    assert figures == CallCentre(2, 0, 0, 0, 0, 0.0, 0.0, 0.0)


def test_a_scenario_without_queues_has_no_call_centre() -> None:
    assert call_centre_of(run("+12025550101")) is None


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**63 - 1),
    count=st.integers(1, 5),
    wrap_up_s=st.integers(0, 30),
    answer_s=st.floats(0, 5),
    dial_method=st.integers(1, 3),
)
def test_shares_are_shares_and_the_campaign_measured_the_same(
    seed: int, count: int, wrap_up_s: int, answer_s: float, dial_method: int
) -> None:
    """For all callees, no agent is busy for more than all the time, and the campaign's own count agrees."""
    simulation = run(
        seed=seed,
        survey=SURVEY,
        queues=[{"id": 1}],
        agents=agents(count, wrap_up_time=wrap_up_s, parameters={"answer": answer_s}),
        gateway={"parameters": {"answer": 0.7, "talk": [0, 90], "patience": [1, 60]}},
        campaign={"dial_method": dial_method},
        population={"size": 40, "patterns": ["+331990xxxxx"]},
    )
    figures = figures_of(simulation)
    assert 0 <= figures.utilisation <= 1
    assert figures.served <= figures.queued
    assert figures.abandoned <= figures.live_answered <= 40
    if dial_method > 1:
        measured = simulation.store.figures[CAMPAIGN_ID]
        assert (measured.answered, measured.abandoned) == (figures.live_answered, figures.abandoned)
