"""Tests of each strategy, with an order worked out by hand. Agents are (agent, level, position)."""

from hashlib import blake2b

import pytest

from dialer.domain.queueing.decisions import AgentOffer, Withdraw
from dialer.domain.queueing.plans import AgentFigures, QueuePlan
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from tests.domain.queueing.hall import QUEUE, Hall, at, tiers


def test_ring_all_asks_all_idle_agents_and_the_first_to_answer_has_the_call() -> None:
    # Level 2 is asked, too, because there are no tier rules. By level, position, agent: 8, 7, 9.
    hall = Hall(QueueStrategy.RING_ALL, (7, 1, 2), (8, 1, 1), (9, 2, 1))
    assert hall.join(0, 1) == [AgentOffer(1, 8), AgentOffer(1, 7), AgentOffer(1, 9)]
    # A second call finds no agent, because an agent is asked for one call at a time.
    assert hall.join(1, 2) == []
    assert hall.distributor.taken(at(2), 1, 7) == [Withdraw(1, 8), Withdraw(1, 9)]
    assert hall.decide(2) == [AgentOffer(2, 8), AgentOffer(2, 9)]


def test_ring_all_also_asks_agents_who_become_idle_later() -> None:
    hall = Hall(QueueStrategy.RING_ALL, (7, 1, 1), (8, 1, 2))
    assert hall.join(0, 1) == [AgentOffer(1, 7), AgentOffer(1, 8)]
    hall.distributor.taken(at(1), 1, 7)
    assert hall.join(2, 2) == [AgentOffer(2, 8)]
    assert hall.distributor.released(at(5), 1) == 7
    assert hall.decide(5) == [AgentOffer(2, 7)]


def test_longest_idle_asks_the_agent_whose_last_call_ended_first() -> None:
    # Ends: 7 at 30 s, 8 at 20 s, 9 never. So 9 first, then 8, then 7; after their own calls: 40, 45, 50: again 9, 8, 7.
    figures = {7: AgentFigures(last_bridge_end_ms=at(30)), 8: AgentFigures(last_bridge_end_ms=at(20))}
    hall = Hall(QueueStrategy.LONGEST_IDLE_AGENT, (7, 1, 1), (8, 1, 2), (9, 1, 3), figures=figures)
    served = [hall.serve(second, call, talk_s=4) for call, second in enumerate((36, 41, 46, 51, 56, 61), 1)]
    assert served == [[9], [8], [7], [9], [8], [7]]


def test_longest_idle_does_not_leave_the_first_level_that_has_an_idle_agent() -> None:
    # 9 never had a call, but 7 and 8 are on a lower level; only with both of them talking it is 9's turn.
    figures = {7: AgentFigures(last_bridge_end_ms=at(-1)), 8: AgentFigures(last_bridge_end_ms=at(-2))}
    hall = Hall(QueueStrategy.LONGEST_IDLE_AGENT, (7, 1, 1), (8, 1, 1), (9, 2, 1), figures=figures)
    assert [hall.join(0, call) for call in (1, 2, 3)] == [[AgentOffer(1, 8)], [AgentOffer(2, 7)], [AgentOffer(3, 9)]]


def test_round_robin_goes_on_after_the_agent_who_was_asked_last() -> None:
    # Places: 9 (position 1), 7 and 8 (position 2). The round is 9, 7, 8, independent of the answers.
    hall = Hall(QueueStrategy.ROUND_ROBIN, (7, 1, 2), (8, 1, 2), (9, 1, 1))
    assert [hall.serve(call, call, talk_s=0.5) for call in range(5)] == [[9], [7], [8], [9], [7]]


def test_round_robin_passes_over_talking_agents() -> None:
    # 9 takes the first call and keeps talking; the round of the others is 7, 8, 7, and when 9 is free after 7: 8, 9.
    hall = Hall(QueueStrategy.ROUND_ROBIN, (7, 1, 2), (8, 1, 3), (9, 1, 1))
    assert hall.join(0, 100) == [AgentOffer(100, 9)]
    hall.distributor.taken(at(0), 100, 9)
    assert [hall.serve(call, call, talk_s=0.5) for call in range(1, 4)] == [[7], [8], [7]]
    hall.distributor.released(at(5), 100)
    assert [hall.serve(call, call, talk_s=0.5) for call in range(6, 8)] == [[8], [9]]


def test_a_round_that_went_up_a_level_begins_again_below() -> None:
    # 7 and 6 take a call each, so the third goes up to 9. Then level 1 is free: its round begins with 7, not behind 9's
    # position, and goes on with 6.
    hall = Hall(QueueStrategy.ROUND_ROBIN, (7, 1, 1), (6, 1, 5), (9, 2, 3))
    for call_id, agent_id in ((1, 7), (2, 6), (3, 9)):
        assert hall.join(0, call_id) == [AgentOffer(call_id, agent_id)]
        hall.distributor.taken(at(0), call_id, agent_id)
    for call_id in (1, 2):
        hall.distributor.released(at(1), call_id)
    assert [hall.serve(call, call, talk_s=0.5) for call in (10, 11, 12)] == [[7], [6], [7]]


def test_a_round_goes_on_after_a_restart() -> None:
    hall = Hall(QueueStrategy.ROUND_ROBIN, last_agent_id=8)
    hall.distributor.open_queue(QueuePlan(QUEUE, QueueStrategy.ROUND_ROBIN, tiers((7, 1, 1), (8, 1, 2), (9, 1, 3))))
    for agent_id in (7, 8, 9):
        hall.status(agent_id, AgentStatus.AVAILABLE)
    assert [hall.serve(call, call, talk_s=0.5) for call in range(3)] == [[9], [7], [8]]


def test_top_down_begins_with_every_call_anew() -> None:
    # By level, then position, then agent: 9, 7, 8, 6. While 9 talks, the next is 7.
    hall = Hall(QueueStrategy.TOP_DOWN, (6, 2, 1), (7, 1, 2), (8, 1, 2), (9, 1, 1))
    assert [hall.serve(call, call, talk_s=0.5) for call in range(3)] == [[9], [9], [9]]
    assert [hall.join(9, call) for call in range(11, 16)] == [
        [AgentOffer(11, 9)],
        [AgentOffer(12, 7)],
        [AgentOffer(13, 8)],
        [AgentOffer(14, 6)],
        [],
    ]


def test_least_talk_time_asks_the_agent_who_has_talked_least() -> None:
    # Talked before: 7 10 s, 8 4 s, 9 7 s. 8 talks 5 s more (9), 9 talks 2 s (9): equal, so 8 by position, to 20; 9; 7.
    talked = {7: AgentFigures(talk_ms=10_000), 8: AgentFigures(talk_ms=4_000), 9: AgentFigures(talk_ms=7_000)}
    hall = Hall(QueueStrategy.AGENT_WITH_LEAST_TALK_TIME, (7, 1, 3), (8, 1, 1), (9, 1, 2), figures=talked)
    talks = ((0, 5), (10, 2), (20, 11), (40, 11), (60, 1))
    assert [hall.serve(second, second, talk_s) for second, talk_s in talks] == [[8], [9], [8], [9], [7]]


def test_fewest_calls_asks_the_agent_who_has_answered_fewest() -> None:
    # Calls before: 7 two, 8 none, 9 one. 8 (1); then 8 and 9 are equal at one: 8 by position (2); 9 (2); now all have
    # two: 8 by position. The length of the calls does not matter.
    calls = {7: AgentFigures(calls_answered=2), 9: AgentFigures(calls_answered=1)}
    hall = Hall(QueueStrategy.AGENT_WITH_FEWEST_CALLS, (7, 1, 3), (8, 1, 1), (9, 1, 2), figures=calls)
    assert [hall.serve(call * 100, call, talk_s=90 - call) for call in range(4)] == [[8], [8], [9], [8]]


def test_sequentially_asks_the_agent_of_the_oldest_offer_even_if_they_did_not_take_it() -> None:
    # 7 is asked at 0 s and lets it ring, 8 is asked at 20 s and takes the call. At 40 s: 9 was never asked; then 7, 8.
    hall = Hall(QueueStrategy.SEQUENTIALLY_BY_AGENT_ORDER, (7, 1, 1), (8, 1, 2), (9, 1, 3))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.decide(20) == [Withdraw(1, 7), AgentOffer(1, 8)]
    hall.distributor.taken(at(21), 1, 8)
    hall.distributor.released(at(22), 1)
    assert [hall.serve(40 + call, call, talk_s=0.5) for call in (2, 3, 4)] == [[9], [7], [8]]


def test_random_goes_by_a_hash_of_seed_call_and_agent() -> None:
    def draw(agent_id: int, call_id: int) -> int:
        name = f"5:{call_id}:{agent_id}".encode()
        return int.from_bytes(blake2b(name, digest_size=8, person=b"dialer queue").digest())

    hall = Hall(QueueStrategy.RANDOM, (7, 1, 1), (8, 1, 2), (9, 1, 3), (6, 2, 1), seed=5)
    asked = [hall.serve(call, call, talk_s=0.5)[0] for call in range(60)]
    assert asked == [min((7, 8, 9), key=lambda agent_id: draw(agent_id, call)) for call in range(60)]
    assert set(asked) == {7, 8, 9}


def test_ring_progressively_asks_one_more_every_ten_seconds() -> None:
    # 7 at 0 s, 8 at 10 s. At 20 s 7 has rung long enough and rests until 30 s; 9 joins. At 30 s 8 has, and 7 is free.
    hall = Hall(QueueStrategy.RING_PROGRESSIVELY, (7, 1, 1), (8, 1, 2), (9, 1, 3))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.wakes(0) == 10
    assert [hall.decide(second) for second in (9.999, 10, 20, 30)] == [
        [],
        [AgentOffer(1, 8)],
        [Withdraw(1, 7), AgentOffer(1, 9)],
        [Withdraw(1, 8), AgentOffer(1, 7)],
    ]
    assert hall.distributor.taken(at(31), 1, 9) == [Withdraw(1, 7)]


@pytest.mark.parametrize("strategy", [one for one in QueueStrategy if one != QueueStrategy.RING_ALL])
def test_all_but_ring_all_ask_one_agent_and_the_next_when_nobody_answers(strategy: QueueStrategy) -> None:
    hall = Hall(strategy, (7, 1, 1), (8, 1, 2))
    [first] = hall.join(0, 1)
    assert isinstance(first, AgentOffer)
    other = 15 - first.agent_id
    asked = {agent_id for _, agents in hall.rings(10, 20) for agent_id in agents}
    assert asked == {other}


@pytest.mark.parametrize("strategy", [one for one in QueueStrategy if one != QueueStrategy.RING_PROGRESSIVELY])
def test_equals_are_asked_by_level_position_and_agent(strategy: QueueStrategy) -> None:
    # 6 before 8 by position, 8 before 9 by their ids, 5 last by its level. The random strategy compares only levels.
    hall = Hall(strategy, (5, 2, 1), (9, 1, 2), (8, 1, 2), (6, 1, 1))
    asked = [one.agent_id for call in range(4) for one in hall.join(0, call) if isinstance(one, AgentOffer)]
    if strategy is QueueStrategy.RANDOM:
        assert asked[3] == 5
    else:
        assert asked == [6, 8, 9, 5]


def test_an_agent_who_took_a_call_after_missing_one_has_their_turn_again() -> None:
    # 7 lets call 1 ring until 20 s, takes call 2 at 31 s. When 8 has let call 1 ring as well, it is 7's turn, not 9's.
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 1, 2), (9, 1, 3))
    hall.join(0, 1)
    assert hall.rings(20) == [(20, [8])]
    assert hall.serve(31, 2, talk_s=1) == [7]
    assert hall.rings(40) == [(40, [7])]


def test_an_agent_who_lets_calls_ring_is_asked_again_after_the_others() -> None:
    # No agent answers. 7 rests from 20 to 30 s, 8 from 40 to 50 s. At 40 s 7 is free again, but 9 was
    # never asked, although on a higher level. Then the order is by the oldest offer: 7, 8, 9.
    hall = Hall(QueueStrategy.TOP_DOWN, (7, 1, 1), (8, 1, 2), (9, 2, 1))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.rings(20, 40, 60, 80, 100) == [(20, [8]), (40, [9]), (60, [7]), (80, [8]), (100, [9])]
    # A later call has its own order: it is offered to 7 as soon as 7 is free.
    assert hall.rings(110) == [(110, [])]
    assert hall.join(111, 2) == [AgentOffer(2, 7)]
