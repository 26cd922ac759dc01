"""Property tests of floors, with any events and restarts."""

import heapq
from typing import Final, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer, Decision, Unserved, Withdraw
from dialer.domain.queueing.plans import AgentPlan, QueuePlan, TierPlan
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.domain.words.moments import NEVER_MS
from tests.domain.queueing.hall import QUEUE, START_MS
from tests.domain.queueing.script import Play, Script, scripts

SECOND_MS: Final = 1_000


@given(scripts())
def test_an_agent_has_one_call_at_a_time_and_nothing_is_decided_twice(script: Script) -> None:
    Play(script)


@given(scripts())
def test_a_floor_that_is_rebuilt_from_what_was_stored_goes_on_as_the_other(script: Script) -> None:
    assert Play(script, restarts=True).said == Play(script).said


@given(scripts())
def test_the_order_in_which_a_floor_is_built_does_not_matter(script: Script) -> None:
    assert Play(script, restarts=True, backwards=True).said == Play(script).said


class Member(NamedTuple):
    """An agent who takes calls after some seconds, or never."""

    level: int
    position: int
    answer_s: int | None
    wrap_up_s: int


class Shift(NamedTuple):
    """Calls with their times of joining and talking, a queue, and its agents."""

    queue: QueuePlan
    members: list[Member]
    calls: list[tuple[int, int]]


@st.composite
def shifts(draw: st.DrawFn, *, somebody_answers: bool = True, max_wait_s: int = 0) -> Shift:
    answers = st.integers(0, 19) | st.none()
    members = draw(
        st.lists(st.builds(Member, st.integers(1, 3), st.integers(1, 3), answers, st.integers(0, 30)), max_size=6)
    )
    if somebody_answers:
        members.append(Member(draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 19)), 5))
    queue = QueuePlan(
        QUEUE,
        draw(st.sampled_from(QueueStrategy)),
        tuple(TierPlan(agent_id, one.level, one.position) for agent_id, one in enumerate(members, 1)),
        tier_rules_apply=draw(st.booleans()),
        tier_rule_wait_ms=draw(st.integers(0, 60)) * SECOND_MS,
        tier_rule_no_agent_no_wait=draw(st.booleans()),
        max_wait_ms=max_wait_s * SECOND_MS,
        max_wait_with_no_agent_ms=0,
    )
    return Shift(queue, members, draw(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 90)), max_size=12)))


class Room:
    """A player of a shift, which asks the floor after each event and when the floor wants to be asked."""

    def __init__(self, shift: Shift, *, every_second: bool = False) -> None:
        self.members: Final = dict(enumerate(shift.members, 1))
        self.talks_s: Final = {call_id: talk_s for call_id, (_, talk_s) in enumerate(shift.calls, 1)}
        self.every_second: Final = every_second
        self.said: Final[list[tuple[int, Decision]]] = []
        self.served_s: Final[dict[int, int]] = {}
        self.unserved_s: Final[dict[int, int]] = {}
        self.pending: Final[list[tuple[int, str, int, int]]] = [
            (at_s, "join", call_id, 0) for call_id, (at_s, _) in enumerate(shift.calls, 1)
        ]
        heapq.heapify(self.pending)
        self.distributor: Final = CallDistributor(seed=1)
        self.distributor.open_queue(shift.queue)
        for agent_id, one in self.members.items():
            plan = AgentPlan(agent_id, 1, AgentStatus.AVAILABLE, wrap_up_ms=one.wrap_up_s * SECOND_MS)
            self.distributor.open_agent(plan)

    def run(self, until_s: int) -> "Room":
        now_s = 0
        while now_s <= until_s:
            self._happen(now_s)
            for decision in self.distributor.decide(START_MS + now_s * SECOND_MS):
                self._follow(now_s, decision)
            now_s = self._next_s(now_s)
        return self

    def _next_s(self, now_s: int) -> int:
        wakes_at_ms = self.distributor.wakes_at_ms(START_MS + now_s * SECOND_MS)
        next_s = self.pending[0][0] if self.pending else NEVER_MS
        if self.every_second:
            return now_s + 1
        return min(next_s, -((START_MS - wakes_at_ms) // SECOND_MS))

    def _happen(self, now_s: int) -> None:
        now_ms = START_MS + now_s * SECOND_MS
        while self.pending and self.pending[0][0] <= now_s:
            _, what, call_id, agent_id = heapq.heappop(self.pending)
            if what == "join":
                self.distributor.join(now_ms, call_id, QUEUE, "", now_ms)
            elif what == "hang up":
                assert self.distributor.released(now_ms, call_id) == agent_id
            elif (others := self.distributor.taken(now_ms, call_id, agent_id)) is not None:
                self.said.extend((now_s, one) for one in others)
                self.served_s[call_id] = now_s
                heapq.heappush(self.pending, (now_s + self.talks_s[call_id], "hang up", call_id, agent_id))

    def _follow(self, now_s: int, decision: Decision) -> None:
        self.said.append((now_s, decision))
        match decision:
            case AgentOffer(call_id, agent_id):
                answer_s = self.members[agent_id].answer_s
                if answer_s is not None:
                    # An agent answers after a second at the earliest, so events that were due are handled.
                    heapq.heappush(self.pending, (now_s + max(answer_s, 1), "take", call_id, agent_id))
            case Unserved(call_id, _):
                self.unserved_s[call_id] = now_s
            case Withdraw():
                pass


@given(shifts())
def test_every_call_is_served_if_one_agent_answers(shift: Shift) -> None:
    room = Room(shift).run(24 * 3_600)
    assert (set(room.served_s), room.unserved_s) == (set(room.talks_s), {})


@given(shifts(somebody_answers=False, max_wait_s=90))
def test_every_call_is_served_or_given_up_on_in_time(shift: Shift) -> None:
    room = Room(shift).run(24 * 3_600)
    assert room.served_s.keys() | room.unserved_s.keys() == room.talks_s.keys()
    assert not room.served_s.keys() & room.unserved_s.keys()
    for call_id, (joined_s, _) in enumerate(shift.calls, 1):
        assert room.unserved_s.get(call_id, joined_s + 90) == joined_s + 90
        assert room.served_s.get(call_id, joined_s) <= joined_s + 90


@given(shifts(somebody_answers=False, max_wait_s=150))
def test_the_floor_need_not_be_asked_before_it_wants_to_be(shift: Shift) -> None:
    asked_at_need, asked_every_second = Room(shift).run(600), Room(shift, every_second=True).run(600)
    assert asked_at_need.said == asked_every_second.said
