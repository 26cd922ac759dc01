"""Tests of waiting calls: their order, their limits, and kept places."""

from typing import Any

import pytest

from dialer.domain.queueing import queue_state as line_module
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer, Unserved, Withdraw
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, Waiting
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import TransferReason
from tests.domain.queueing.hall import QUEUE, START_MS, Hall, at, left, tiers

TOP_DOWN = QueueStrategy.TOP_DOWN


def test_the_longest_wait_is_served_first_and_equals_by_their_ids() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.distributor.restore_talk(99, 7, START_MS)
    for seconds, call_id in ((2, 4), (1, 9), (1, 8)):
        assert hall.join(seconds, call_id) == []
    served: list[int] = []
    for seconds in (10, 20, 30):
        hall.distributor.released(at(seconds), served[-1] if served else 99)
        served += [one.call_id for one in hall.decide(seconds)]
        assert hall.distributor.taken(at(seconds), served[-1], 7) == []
    assert served == [8, 9, 4]


@pytest.mark.parametrize(("scores_from_answer", "served"), [(False, 1), (True, 2)])
def test_a_wait_counts_from_the_join_or_from_the_answer(scores_from_answer: bool, served: int) -> None:  # noqa: FBT001
    # Call 1 joins 5 s before call 2, which was answered a minute before either.
    hall = Hall(TOP_DOWN, (7, 1, 1), scores_from_answer=scores_from_answer)
    hall.status(7, AgentStatus.ON_BREAK)
    hall.distributor.join(at(0), 1, QUEUE, "+1", answered_ms=at(-1))
    assert hall.distributor.join(at(5), 2, QUEUE, "+2", answered_ms=at(-60)) == Waiting(
        2, QUEUE, "+2", at(5), at(-60) if scores_from_answer else at(5)
    )
    hall.status(7, AgentStatus.AVAILABLE)
    assert hall.decide(6) == [AgentOffer(served, 7)]


def test_an_agent_of_two_queues_serves_the_longest_wait_of_both() -> None:
    distributor = CallDistributor(seed=1)
    for queue_id in (1, 2):
        distributor.open_queue(QueuePlan(queue_id, tiers=tiers((7, 1, 1))))
    distributor.open_agent(AgentPlan(7, 1, AgentStatus.ON_BREAK))
    for seconds, call_id, queue_id in ((0, 12, 2), (1, 11, 1), (2, 10, 2)):
        distributor.join(at(seconds), call_id, queue_id, "", at(seconds))
    distributor.open_agent(AgentPlan(7, 1, AgentStatus.AVAILABLE))
    assert distributor.decide(at(3)) == [AgentOffer(12, 7)]
    assert distributor.leave(at(4), 12) == [Withdraw(12, 7)]
    assert distributor.decide(at(4)) == [AgentOffer(11, 7)]


def test_the_longest_wait_ends_even_while_an_agent_is_asked() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), max_wait_ms=30_000)
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.join(10, 2) == []
    assert hall.decide(20) == [Withdraw(1, 7)]
    assert hall.decide(30) == [Unserved(1, TransferReason.MAX_WAIT), AgentOffer(2, 7)]
    assert hall.wakes(30) == 40
    # Agent 7 did not let the call ring out, and is free at once.
    assert hall.decide(40) == [Withdraw(2, 7), Unserved(2, TransferReason.MAX_WAIT)]
    assert hall.join(40, 3) == [AgentOffer(3, 7)]


def test_when_the_limit_without_agents_is_reached_all_calls_leave_and_later_ones_leave_soon() -> None:
    # No agent was ever logged in. The limit of 120 s runs from the first join. The call of 118 s has 5 s of grace.
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.status(7, AgentStatus.LOGGED_OUT)
    for seconds, call_id in ((0, 1), (100, 2), (118, 3)):
        assert hall.join(seconds, call_id) == []
    assert hall.wakes(118) == 120
    assert hall.decide(119.999) == []
    assert hall.decide(120) == [Unserved(1, TransferReason.NO_AGENT), Unserved(2, TransferReason.NO_AGENT)]
    assert hall.wakes(120) == 123
    assert hall.decide(123) == [Unserved(3, TransferReason.NO_AGENT)]
    assert hall.join(1_000, 4) == []
    assert hall.decide(1_005) == [Unserved(4, TransferReason.NO_AGENT)]
    # After an agent was logged in, the limit runs anew.
    hall.status(7, AgentStatus.AVAILABLE_ON_DEMAND)
    assert hall.decide(1_010) == []
    hall.status(7, AgentStatus.LOGGED_OUT)
    assert hall.join(1_011, 5) == []
    assert hall.wakes(1_011) == 1_131


def test_the_limit_without_agents_runs_from_when_the_last_one_left() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    hall.distributor.restore_talk(98, 7, START_MS)
    hall.distributor.restore_talk(99, 8, START_MS)
    assert hall.join(0, 1) == []
    hall.status(7, AgentStatus.ON_BREAK)
    assert hall.decide(200) == []
    hall.status(8, AgentStatus.LOGGED_OUT)
    assert hall.decide(500) == []
    assert hall.wakes(500) == 620
    assert hall.decide(620) == [Unserved(1, TransferReason.NO_AGENT)]


def test_the_limit_without_agents_runs_on_over_a_restart() -> None:
    # The last agent left at 50 s. Opening the queue once more, while the floor is up, does not change that.
    distributor = CallDistributor(seed=1)
    distributor.open_queue(QueuePlan(QUEUE), no_agent_from_ms=at(50))
    distributor.restore_waiting(Waiting(1, QUEUE, "+1", at(0), at(0)))
    assert distributor.decide(at(100)) == []
    distributor.open_queue(QueuePlan(QUEUE), no_agent_from_ms=at(90))
    assert distributor.wakes_at_ms(at(100)) == at(170)
    assert distributor.decide(at(170)) == [Unserved(1, TransferReason.NO_AGENT)]


def test_a_grace_longer_than_the_limit_is_cut_to_it() -> None:
    hall = Hall(TOP_DOWN, max_wait_with_no_agent_ms=10_000, max_wait_with_no_agent_time_reached_ms=60_000)
    hall.join(0, 1)
    assert hall.decide(10) == [Unserved(1, TransferReason.NO_AGENT)]
    hall.join(20, 2)
    assert hall.wakes(20) == 30


def test_at_the_same_moment_the_longest_wait_is_the_reason() -> None:
    hall = Hall(TOP_DOWN, max_wait_ms=120_000)
    hall.join(0, 1)
    assert hall.decide(120) == [Unserved(1, TransferReason.MAX_WAIT)]


def test_without_limits_a_call_waits_for_ever() -> None:
    hall = Hall(TOP_DOWN, max_wait_with_no_agent_ms=0)
    assert hall.join(0, 1) == []
    assert hall.distributor.wakes_at_ms(at(0)) == NEVER_MS
    assert hall.decide(10**9) == []


def test_a_queue_that_is_not_known_has_no_agents_and_the_usual_limits() -> None:
    distributor = CallDistributor(seed=1)
    distributor.join(at(0), 1, 404, "+1", at(0))
    assert distributor.decide(at(0)) == []
    assert distributor.wakes_at_ms(at(0)) == at(120)
    assert distributor.decide(at(120)) == [Unserved(1, TransferReason.NO_AGENT)]


def test_a_queue_that_is_opened_again_keeps_its_calls_and_its_round() -> None:
    hall = Hall(QueueStrategy.ROUND_ROBIN, (7, 1, 1), (8, 1, 2), (9, 1, 3))
    assert hall.serve(0, 1, talk_s=1) == [7]
    hall.distributor.restore_talk(99, 8, START_MS)
    hall.distributor.restore_talk(98, 9, START_MS)
    hall.distributor.restore_talk(97, 7, START_MS)
    assert hall.join(2, 2) == []
    plan = QueuePlan(QUEUE, QueueStrategy.ROUND_ROBIN, tiers((9, 1, 3), (7, 1, 1), (8, 1, 2)), max_wait_ms=10_000)
    hall.distributor.open_queue(plan)
    assert hall.wakes(2) == 12
    for call_id in (97, 98, 99):
        hall.distributor.released(at(3), call_id)
    assert hall.decide(3) == [AgentOffer(2, 8)]


def place_after(seconds: float, number: str, **settings: Any) -> float:  # noqa: ANN401 - any field of a plan
    """Return the start of the second call's wait, if a first call from +1 waited from 0 to 10 s."""
    hall = Hall(TOP_DOWN, **settings)
    hall.join(0, 1, "+1")
    assert hall.distributor.leave(at(10), 1) == []
    return (hall.distributor.join(at(seconds), 2, QUEUE, number, at(seconds)).score_from_ms - START_MS) / 1_000


def test_a_callee_who_left_early_has_their_place_back() -> None:
    assert place_after(50, "+1") == 0


def test_another_number_has_no_place() -> None:
    assert place_after(50, "+2") == 50


def test_no_place_is_kept_if_that_is_not_allowed() -> None:
    assert place_after(50, "+1", abandoned_resume_allowed=False) == 50


@pytest.mark.parametrize(("seconds", "counts_from"), [(40, 0), (40.001, 40.001)])
def test_a_place_is_kept_for_a_limited_time(seconds: float, counts_from: float) -> None:
    assert place_after(seconds, "+1", discard_abandoned_after_ms=30_000) == counts_from


def test_a_caller_without_a_number_cannot_be_known_again() -> None:
    hall = Hall(TOP_DOWN)
    hall.join(0, 1, "")
    hall.distributor.leave(at(10), 1)
    assert hall.distributor.join(at(20), 2, QUEUE, "", at(20)).score_from_ms == at(20)


def test_a_place_is_given_back_once_and_in_its_own_queue() -> None:
    hall = Hall(TOP_DOWN)
    hall.distributor.open_queue(QueuePlan(2))
    hall.join(0, 1, "+1")
    hall.distributor.leave(at(1), 1)
    scores = [hall.distributor.join(at(call), call, queue, "+1", at(call)) for call, queue in ((5, 2), (6, 1), (7, 1))]
    assert [one.score_from_ms for one in scores] == [at(5), at(0), at(7)]


def test_a_callee_who_leaves_twice_keeps_the_first_place() -> None:
    hall = Hall(TOP_DOWN)
    for call_id in (1, 2, 3):
        place = hall.distributor.join(at(call_id * 10), call_id, QUEUE, "+1", at(call_id * 10))
        assert place.score_from_ms == at(10)
        hall.distributor.leave(at(call_id * 10 + 5), call_id)


def test_a_callee_whom_the_queue_gave_up_has_their_place_back_too() -> None:
    hall = Hall(TOP_DOWN, max_wait_ms=10_000)
    hall.join(0, 1, "+1")
    assert hall.decide(10) == [Unserved(1, TransferReason.MAX_WAIT)]
    again = hall.distributor.join(at(60), 2, QUEUE, "+1", at(60))
    assert again == Waiting(2, QUEUE, "+1", at(60), at(0))
    # The place is the old one, and the limit is that of the new call.
    assert hall.wakes(60) == 70


def test_a_served_callee_has_no_kept_place() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.join(0, 1, "+1")
    hall.distributor.taken(at(1), 1, 7)
    assert hall.distributor.leave(at(2), 1) == []
    hall.distributor.released(at(2), 1)
    assert hall.distributor.join(at(3), 2, QUEUE, "+1", at(3)).score_from_ms == at(3)


def test_a_queue_keeps_so_many_places_and_gives_up_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "LEFT_EARLY_MAX", 2)
    distributor = CallDistributor(seed=1)
    distributor.open_queue(QueuePlan(QUEUE), left_early=[left(3, "+3", 0), left(1, "+1", 0), left(2, "+2", 0)])
    scores = [distributor.join(at(10), call, QUEUE, f"+{call}", at(10)).score_from_ms for call in (1, 2, 3)]
    assert scores == [at(10), at(0), at(0)]


def test_of_two_places_of_one_number_the_later_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two calls from +1 wait at once and leave at 11 and 13 s: its place is then newer than that of +2, which must go.
    monkeypatch.setattr(line_module, "LEFT_EARLY_MAX", 2)
    hall = Hall(TOP_DOWN)
    for call_id, number in ((1, "+1"), (2, "+2"), (3, "+1"), (4, "+4")):
        hall.join(call_id, call_id, number)
    for call_id in (1, 2, 3, 4):
        hall.distributor.leave(at(10 + call_id), call_id)
    scores = [hall.distributor.join(at(20), 10 + one, QUEUE, f"+{one}", at(20)).score_from_ms for one in (1, 2, 4)]
    assert scores == [at(3), at(20), at(4)]


def test_asked_agents_are_told_in_the_order_of_their_ids() -> None:
    hall = Hall(QueueStrategy.RING_ALL, (9, 1, 1), (7, 1, 2), (8, 1, 3))
    assert hall.join(0, 1) == [AgentOffer(1, 9), AgentOffer(1, 7), AgentOffer(1, 8)]
    assert hall.decide(20) == [Withdraw(1, 7), Withdraw(1, 8), Withdraw(1, 9)]
    assert hall.rings(30) == [(30, [9, 7, 8])]
    assert hall.distributor.leave(at(31), 1) == [Withdraw(1, 7), Withdraw(1, 8), Withdraw(1, 9)]


def test_a_call_that_does_not_wait_cannot_leave() -> None:
    assert Hall(TOP_DOWN).distributor.leave(at(0), 404) == []


def test_a_call_that_is_forgotten_frees_its_agent_and_leaves_no_place() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.join(0, 1, "+1")
    assert hall.distributor.forget_call(1) == [Withdraw(1, 7)]
    assert hall.distributor.join(at(5), 2, QUEUE, "+1", at(5)).score_from_ms == at(5)
    assert hall.decide(5) == [AgentOffer(2, 7)]
    hall.distributor.taken(at(6), 2, 7)
    assert hall.distributor.forget_call(2) == []
    assert hall.distributor.released(at(7), 2) is None
    assert hall.join(8, 3) == [AgentOffer(3, 7)]


def test_a_call_joins_once() -> None:
    hall = Hall(TOP_DOWN)
    first = hall.distributor.join(at(0), 1, QUEUE, "+1", at(0))
    assert hall.distributor.join(at(9), 1, QUEUE, "+1", at(0)) == first
    assert hall.distributor.waiting_of(1) == first
    hall.distributor.leave(at(10), 1)
    assert hall.distributor.waiting_of(1) is None
