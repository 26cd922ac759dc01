"""Tests of the states of agents: offered a call, talking, in wrap-up time and at rest."""

from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.changes import Changes
from dialer.domain.queueing.decisions import AgentOffer, Withdraw
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, Promise, QueuePlan, Waiting
from dialer.domain.queueing.staff import Staff
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from tests.domain.queueing.hall import QUEUE, START_MS, Hall, at, tiers

TOP_DOWN = QueueStrategy.TOP_DOWN


def test_an_agent_is_asked_for_20_s_and_then_rests_for_10_s() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    assert hall.wakes(0) == 20
    assert hall.decide(19.999) == []
    assert hall.decide(20) == [Withdraw(1, 7)]
    assert hall.wakes(20) == 30
    assert hall.decide(30) == [AgentOffer(1, 7)]


def test_an_answer_that_comes_too_late_changes_nothing() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    hall.join(0, 1)
    hall.decide(20)
    hall.distributor.changed()
    before = hall.distributor.waiting_of(1)
    assert hall.distributor.taken(at(20), 1, 7) is None
    assert hall.distributor.taken(at(20), 404, 8) is None
    assert hall.distributor.taken(at(20), 1, 404) is None
    assert hall.distributor.changed() == Changes()
    assert hall.distributor.waiting_of(1) == before
    assert hall.distributor.taken(at(20), 1, 8) == []
    assert hall.distributor.taken(at(20), 1, 8) is None


def test_an_agent_is_not_asked_during_wrap_up_time() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), wrap_up_s=15)
    hall.serve(0, 1, talk_s=60)
    assert hall.join(61, 2) == []
    assert hall.wakes(61) == 75
    assert hall.decide(75) == [AgentOffer(2, 7)]


def test_an_agent_on_demand_takes_one_call_and_has_a_break() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.status(7, AgentStatus.AVAILABLE_ON_DEMAND)
    hall.serve(0, 1, talk_s=60)
    assert hall.distributor.changed().statuses == {7: AgentStatus.ON_BREAK}
    assert hall.join(61, 2) == []
    hall.status(7, AgentStatus.AVAILABLE_ON_DEMAND)
    assert hall.decide(62) == [AgentOffer(2, 7)]


def test_an_agent_who_logs_out_is_not_asked_any_more_and_needs_no_rest() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    hall.status(7, AgentStatus.LOGGED_OUT)
    assert hall.distributor.taken(at(5), 1, 7) is None
    assert hall.decide(5) == [Withdraw(1, 7), AgentOffer(1, 8)]
    hall.status(7, AgentStatus.AVAILABLE)
    assert hall.join(6, 2) == [AgentOffer(2, 7)]


def test_an_agent_removed_from_a_queue_is_not_asked_any_more() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    assert hall.join(0, 1) == [AgentOffer(1, 7)]
    hall.distributor.open_queue(QueuePlan(QUEUE, TOP_DOWN, tiers((8, 1, 2))))
    assert hall.decide(5) == [Withdraw(1, 7), AgentOffer(1, 8)]


def test_an_agent_who_logs_out_while_talking_keeps_talking() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.join(0, 1)
    hall.distributor.taken(at(1), 1, 7)
    hall.status(7, AgentStatus.LOGGED_OUT)
    assert hall.decide(2) == []
    assert hall.distributor.released(at(31), 1) == 7
    changes = hall.distributor.changed()
    assert changes.statuses == {}
    assert changes.agents[7].talk_ms == 30_000
    assert hall.join(40, 2) == []


def test_a_call_that_was_not_taken_has_no_talk_time() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.join(0, 1)
    assert hall.distributor.released(at(1), 1) is None
    assert hall.distributor.released(at(1), 404) is None


def test_an_agent_who_is_opened_again_keeps_their_figures_unless_others_are_given() -> None:
    hall = Hall(QueueStrategy.AGENT_WITH_FEWEST_CALLS, (7, 1, 1), (8, 1, 2))
    assert hall.serve(0, 1, talk_s=1) == [7]
    hall.status(7, AgentStatus.AVAILABLE)
    assert hall.serve(10, 2, talk_s=1) == [8]
    hall.distributor.open_agent(AgentPlan(7, 1, AgentStatus.AVAILABLE), AgentFigures(calls_answered=5))
    assert hall.serve(20, 3, talk_s=1) == [8]


def test_a_change_to_store_is_told_once() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2), wrap_up_s=10)
    assert hall.distributor.changed() == Changes()
    hall.join(0, 1, "+1")
    asked = Waiting(1, QUEUE, "+1", at(0), at(0), {7: at(0)})
    assert hall.distributor.changed() == Changes({7: AgentFigures(last_offered_ms=at(0))}, {}, {QUEUE: 7}, {}, [asked])
    assert hall.distributor.changed() == Changes()
    hall.distributor.taken(at(2), 1, 7)
    assert hall.distributor.changed() == Changes()
    hall.distributor.released(at(32), 1)
    done = AgentFigures(at(0), at(32), talk_ms=30_000, calls_answered=1, free_at_ms=at(42))
    assert hall.distributor.changed() == Changes({7: done})
    hall.join(40, 2)
    hall.decide(60)
    changes = hall.distributor.changed()
    assert changes.agents[8] == AgentFigures(last_offered_ms=at(40), free_at_ms=at(70), let_ring_ms=at(60))
    assert changes.waiting == [Waiting(2, QUEUE, "", at(40), at(40), {7: at(60)})]
    assert asked.offers == {7: at(0)}


def test_a_call_that_has_left_needs_no_storing() -> None:
    hall = Hall(TOP_DOWN)
    hall.distributor.join(at(0), 1, QUEUE, "+1", at(0))
    hall.distributor.leave(at(0), 1)
    assert hall.distributor.changed() == Changes()


def test_the_time_without_agents_is_stored() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    hall.status(7, AgentStatus.ON_BREAK)
    hall.join(5, 1)
    assert hall.distributor.changed().no_agent_from_ms == {QUEUE: at(5)}
    hall.status(7, AgentStatus.AVAILABLE)
    hall.decide(6)
    assert hall.distributor.changed().no_agent_from_ms == {QUEUE: 0}


def test_staff_counts_the_agents_and_calls_of_the_queues_that_are_asked_about() -> None:
    # Queue 1: 3 talks, 4 is in wrap-up time, 5 rests, 6 has an offer, 7 is idle, 8 is on break. Queue 2: 7, and 9
    # with an offer of its call. Queue 3 has no agents.
    distributor = CallDistributor(seed=1)
    distributor.open_queue(QueuePlan(1, TOP_DOWN, tiers(*((one, 1, one) for one in (3, 4, 5, 6, 7, 8)))))
    distributor.open_queue(QueuePlan(2, TOP_DOWN, tiers((9, 1, 1), (7, 1, 2))))
    for agent_id in (3, 4, 5, 6, 7, 9):
        distributor.open_agent(AgentPlan(agent_id, 1, AgentStatus.AVAILABLE))
    distributor.open_agent(AgentPlan(8, 1, AgentStatus.ON_BREAK))
    distributor.restore_talk(103, 3, at(-60))
    distributor.open_agent(AgentPlan(4, 1, AgentStatus.AVAILABLE), AgentFigures(free_at_ms=at(9)))
    distributor.open_agent(AgentPlan(5, 1, AgentStatus.AVAILABLE), AgentFigures(free_at_ms=at(3)))
    for call_id, queue_id in ((1, 1), (2, 2), (3, 3)):
        distributor.join(at(0), call_id, queue_id, "", at(0))
    assert distributor.decide(at(0)) == [AgentOffer(1, 6), AgentOffer(2, 9)]
    first = Staff(agents=5, idle=2, waiting=1, bridged_ms=(at(-60),), wrapping_ms=(at(3), at(9)))
    assert distributor.staff(frozenset({1}), at(0)) == first
    assert distributor.staff(frozenset({2}), at(0)) == Staff(2, 2, 1, (), ())
    assert distributor.staff(frozenset({1, 2}), at(0)) == Staff(6, 3, 2, (at(-60),), (at(3), at(9)))
    assert distributor.staff(frozenset({3, 404}), at(0)) == Staff(0, 0, 1, (), ())


def test_an_agent_who_is_asked_for_another_queue_is_not_idle_here() -> None:
    distributor = CallDistributor(seed=1)
    for queue_id in (1, 2):
        distributor.open_queue(QueuePlan(queue_id, TOP_DOWN, tiers((7, 1, 1))))
    distributor.open_agent(AgentPlan(7, 1, AgentStatus.AVAILABLE))
    distributor.join(START_MS, 1, 1, "", START_MS)
    distributor.decide(START_MS)
    assert distributor.staff(frozenset({2}), START_MS) == Staff(1, 0, 0, (), ())
    assert distributor.staff(frozenset({1}), START_MS) == Staff(1, 1, 1, (), ())


def test_an_agent_who_is_kept_or_waits_for_a_promised_call_is_on_duty_and_not_idle_until_then() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1), (8, 1, 2))
    counts = [hall.distributor.staff(frozenset({QUEUE}), at(0))]
    hall.distributor.reserve(1, Promise(7, at(30)))
    hall.distributor.kept.keep(8)
    counts.append(hall.distributor.staff(frozenset({QUEUE}), at(29)))
    hall.distributor.kept.let_go(8)
    counts.append(hall.distributor.staff(frozenset({QUEUE}), at(29)))
    counts.append(hall.distributor.staff(frozenset({QUEUE}), at(30)))
    assert counts == [Staff(2, idle, 0, (), ()) for idle in (2, 0, 1, 2)]


def test_an_agent_whom_another_one_consults_does_not_dial_until_the_end() -> None:
    hall = Hall(TOP_DOWN, (7, 1, 1))
    may_dial = [hall.distributor.may_dial(7, frozenset({QUEUE}))]
    for is_consulted in (True, False):
        hall.distributor.reserve(1, Promise(7, at(30)), is_consulted=is_consulted)
        may_dial.append(hall.distributor.may_dial(7, frozenset({QUEUE})))
        hall.distributor.unreserve(1)
        may_dial.append(hall.distributor.may_dial(7, frozenset({QUEUE})))
    assert may_dial == [True, False, True, True, True]


def test_a_queue_that_only_a_call_has_named_counts_as_soon_as_it_has_agents() -> None:
    distributor = CallDistributor(seed=1)
    queues = frozenset({1, 2})
    distributor.open_agent(AgentPlan(7, 1, AgentStatus.AVAILABLE))
    distributor.open_queue(QueuePlan(1, TOP_DOWN))
    counts = [distributor.staff(queues, at(0))]
    distributor.join(at(0), 1, 2, "", at(0))
    counts.append(distributor.staff(queues, at(0)))
    distributor.open_queue(QueuePlan(2, TOP_DOWN, tiers((7, 1, 1))))
    counts.append(distributor.staff(queues, at(0)))
    distributor.open_queue(QueuePlan(2, TOP_DOWN))
    counts.append(distributor.staff(queues, at(0)))
    assert counts == [Staff(0, 0, 0, (), ()), Staff(0, 0, 1, (), ()), Staff(1, 1, 1, (), ()), Staff(0, 0, 1, (), ())]
