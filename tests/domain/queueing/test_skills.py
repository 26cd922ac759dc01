"""Tests of skills: calls go to agents who can do what they need, and no call waits for ever for nobody."""

from typing import Final

from dialer.domain.queueing.decisions import AgentOffer, Unserved
from dialer.domain.queueing.plans import AgentPlan
from dialer.domain.queueing.skills import needed_by
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.domain.words.reasons import TransferReason
from tests.domain.queueing.hall import QUEUE, Hall, at

TOP_DOWN: Final = QueueStrategy.TOP_DOWN
SPANISH: Final = frozenset({"spanish"})


def join(hall: Hall, seconds: float, call_id: int) -> None:
    """Put a call into the queue that needs Spanish."""
    hall.distributor.join(at(seconds), call_id, QUEUE, "", at(seconds), skills=SPANISH)


def learn(hall: Hall, agent_id: int, skills: str, status: AgentStatus = AgentStatus.AVAILABLE) -> None:
    """Give an agent skills."""
    hall.distributor.open_agent(AgentPlan(agent_id, 1, status, skills=skills))


def test_a_call_waits_for_an_agent_with_its_skill_and_later_calls_do_not_wait_for_it() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2), (9, 1, 3), max_wait_with_no_agent_ms=120_000)
    learn(hall, 9, "Loans, SPANISH", AgentStatus.ON_BREAK)
    join(hall, 0, 1)
    assert hall.decide(0) == []
    assert hall.join(5, 2) == [AgentOffer(2, 7)]
    learn(hall, 9, "Loans, SPANISH")
    assert hall.decide(10) == [AgentOffer(1, 9)]


def test_levels_count_among_those_who_have_the_skill() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 2, 1), tier_rules_apply=True, tier_rule_wait_ms=30_000)
    learn(hall, 8, "Spanish")
    join(hall, 0, 1)
    assert hall.rings(0, 60) == [(0, []), (60, [8])]


def test_a_call_whose_skill_nobody_on_duty_has_leaves_after_the_wait_without_agents() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), max_wait_with_no_agent_ms=120_000)
    join(hall, 0, 1)
    assert hall.decide(0) == []
    assert hall.wakes(0) == 120
    assert hall.decide(120) == [Unserved(1, TransferReason.NO_SKILL)]


def test_only_agents_with_the_skills_of_a_queue_take_its_calls_and_are_counted() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2), skills="French")
    learn(hall, 8, "french")
    assert hall.join(0, 1) == [AgentOffer(1, 8)]
    assert hall.distributor.staff(frozenset({QUEUE}), at(0)).agents == 1
    learn(hall, 7, "French")
    assert hall.join(1, 2) == [AgentOffer(2, 7)]
    assert hall.distributor.staff(frozenset({QUEUE}), at(1)).agents == 2


def test_what_a_contact_needs_stands_in_one_of_its_values() -> None:
    assert needed_by('{"language": " Spanish , LOANS"}', "language") == {"spanish", "loans"}
    assert needed_by('{"language": null}', "language") == needed_by("", "language") == needed_by("{}", "") == set()
