"""Tests of skills: calls go to agents who can do what they need, and no call waits for ever for nobody."""

from typing import Final

from dialer.domain.queueing.decisions import AgentOffer, Unserved, Withdraw
from dialer.domain.queueing.plans import AgentPlan, Promise
from dialer.domain.queueing.skills import needed_by, skills_of
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


def test_a_skill_is_the_same_however_its_letters_are_written() -> None:
    ways = {"Espa\u00f1ol", "ESPAN\u0303OL", "\uff25spa\u00f1ol"}
    assert {skills_of(way) for way in ways} == {frozenset({"espa\u00f1ol"})}


def test_calls_of_a_queue_leave_for_its_skills_if_somebody_is_on_duty_and_for_nobody_else() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), max_wait_with_no_agent_ms=120_000, skills="French")
    assert hall.join(0, 1) == []
    assert hall.decide(120) == [Unserved(1, TransferReason.NO_SKILL)]
    learn(hall, 7, "", AgentStatus.LOGGED_OUT)
    assert hall.join(130, 2) == []
    assert hall.decide(hall.wakes(130)) == [Unserved(2, TransferReason.NO_AGENT)]


def test_an_agent_who_loses_the_skill_is_asked_no_more() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    for agent_id in (7, 8):
        learn(hall, agent_id, "Spanish")
    join(hall, 0, 1)
    assert hall.decide(0) == [AgentOffer(1, 7)]
    learn(hall, 7, "")
    assert hall.decide(1) == [Withdraw(1, 7), AgentOffer(1, 8)]


def test_the_agent_who_is_kept_for_a_call_takes_it_only_with_its_skills() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    learn(hall, 8, "Spanish")
    for agent_id, call_id in ((7, 1), (8, 2)):
        hall.distributor.kept.keep(agent_id, call_id)
        join(hall, call_id, call_id)
    assert hall.decide(2) == [AgentOffer(2, 8)]


def test_an_agent_who_has_promised_a_call_back_takes_it_whatever_it_needs() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    learn(hall, 8, "Spanish")
    hall.distributor.join(at(0), 1, QUEUE, "", at(0), Promise(7, at(60)), skills=SPANISH)
    assert hall.decide(0) == [AgentOffer(1, 7)]
    assert hall.decide(1) == []


def test_a_caller_ends_the_look_of_an_agent_with_their_skill_only() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2), (9, 1, 3))
    learn(hall, 9, "Spanish")
    for agent_id in (7, 8, 9):
        hall.distributor.kept.keep(agent_id)
    join(hall, 0, 1)
    assert hall.decide(0) == []
    assert hall.distributor.wanted_of({7, 8}, at(0)) == []
    assert hall.distributor.wanted_of({7, 8, 9}, at(0)) == [9]
    hall.distributor.join(at(1), 2, QUEUE, "", at(1))
    assert hall.distributor.wanted_of({7, 8, 9}, at(1)) == [9, 7]


def test_a_caller_ends_the_look_of_the_agent_who_has_promised_the_call_whatever_it_needs() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    learn(hall, 8, "Spanish")
    for agent_id in (7, 8):
        hall.distributor.kept.keep(agent_id)
    hall.distributor.join(at(0), 1, QUEUE, "", at(0), Promise(7, at(60)), skills=SPANISH)
    assert hall.decide(0) == []
    assert hall.distributor.wanted_of({7, 8}, at(0)) == [7]
    assert hall.distributor.wanted_of({7, 8}, at(60)) == [8]


def test_an_agent_who_learns_and_forgets_the_skills_of_a_queue_has_a_place_meanwhile() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 2, 1), skills="French", tier_rules_apply=True, tier_rule_wait_ms=30_000)
    queues = frozenset({QUEUE})
    found = []
    for skills in ("French", "", "Spanish", "French, Spanish"):
        learn(hall, 8, skills)
        found.append((hall.distributor.staff(queues, at(0)).agents, hall.distributor.next_idle(queues, at(0))))
    assert found == [(1, 8), (0, None), (0, None), (1, 8)]
    assert hall.join(1, 1) == [AgentOffer(1, 8)]
