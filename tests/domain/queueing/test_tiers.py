"""Tests of the levels that may be asked after a wait."""

from typing import Any, Final

from dialer.domain.queueing.decisions import AgentOffer, Withdraw
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.domain.words.moments import NEVER_MS
from tests.domain.queueing.hall import START_MS, Hall, at

RULES: Final[dict[str, Any]] = {"tier_rules_apply": True, "tier_rule_wait_ms": 30_000}


def busy(hall: Hall, *agents: int) -> None:
    """Give each of these agents a call."""
    for agent_id in agents:
        hall.distributor.restore_talk(1_000 + agent_id, agent_id, START_MS)


def test_without_rules_a_higher_level_is_asked_as_soon_as_the_lower_ones_are_busy() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 2, 1))
    busy(hall, 7)
    assert hall.join(0, 1) == [AgentOffer(1, 8)]


def test_the_lowest_level_is_asked_at_once_and_each_further_one_after_its_multiple_of_the_wait() -> None:
    # Levels 2, 3 and 5, 30 s: level 3 after 90 s, level 5 after 150 s.
    hall = Hall(QueueStrategy.RING_ALL, (7, 2, 1), (8, 3, 1), (9, 5, 1), **RULES)
    busy(hall, 8)
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.distributor.released(at(1), 1_008) == 8
    hall.distributor.taken(at(2), 1, 7)
    assert hall.join(10, 2) == []
    assert hall.wakes(10) == 100
    assert hall.rings(99.999, 100) == [(99.999, []), (100, [8])]
    assert hall.wakes(110) == 120
    assert hall.rings(120, 159.999, 160) == [(120, []), (159.999, [8]), (160, [9])]


def test_without_multiplying_all_further_levels_wait_the_same() -> None:
    hall = Hall(QueueStrategy.RING_ALL, (7, 2, 1), (8, 3, 1), (9, 5, 1), tier_rule_wait_multiply_level=False, **RULES)
    busy(hall, 7)
    assert hall.join(0, 1) == []
    assert hall.rings(29.999, 30) == [(29.999, []), (30, [8, 9])]


def test_a_level_where_nobody_is_logged_in_need_not_be_waited_for() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 2, 1), (9, 3, 1), tier_rule_no_agent_no_wait=True, **RULES)
    hall.status(7, AgentStatus.ON_BREAK)
    busy(hall, 8)
    # Level 1 is empty, so 2 may be asked. Level 2 has a busy agent, so level 3 is asked after 90 s.
    assert hall.join(0, 1) == []
    assert hall.rings(60, 89.999, 90) == [(60, []), (89.999, []), (90, [9])]


def test_a_level_where_nobody_is_logged_in_is_waited_for_unless_it_is_said_otherwise() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 2, 1), **RULES)
    hall.status(7, AgentStatus.LOGGED_OUT)
    assert hall.join(0, 1) == []
    assert hall.rings(59.999, 60) == [(59.999, []), (60, [8])]


def test_several_empty_levels_are_passed_at_once() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 2, 1), (9, 3, 1), tier_rule_no_agent_no_wait=True, **RULES)
    hall.status(7, AgentStatus.LOGGED_OUT)
    hall.status(8, AgentStatus.ON_BREAK)
    assert hall.join(0, 1) == [AgentOffer(1, 9)]
    # Agents of the lower level who log in again are asked for the next call.
    hall.status(7, AgentStatus.AVAILABLE)
    assert hall.join(1, 2) == [AgentOffer(2, 7)]


def test_the_wait_goes_on_while_an_agent_of_the_first_level_is_asked() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 2, 1), tier_rule_wait_multiply_level=False, **RULES)
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.decide(20) == [Withdraw(1, 7)]
    # 7 rests until 30 s, which is also when level 2 may be asked; 7 has let it ring, so 8 is asked first.
    assert hall.wakes(20) == 30
    assert hall.decide(30) == [AgentOffer(1, 8)]


def test_a_queue_without_tiers_waits_for_nothing_but_its_limits() -> None:
    hall = Hall(QueueStrategy.TOP_DOWN, max_wait_with_no_agent_ms=0, **RULES)
    assert hall.join(0, 1) == []
    assert hall.distributor.wakes_at_ms(at(0)) == NEVER_MS
