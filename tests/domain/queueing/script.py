"""Scripts of events on a floor, drawn by hypothesis and played with or without a restart after each event."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import msgspec
from hypothesis import strategies as st

from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer, Decision, Unserved, Withdraw
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan, TierPlan, Waiting
from dialer.domain.queueing.skills import NO_SKILLS, skills_of
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from tests.domain.queueing.hall import START_MS

QUEUES: Final = (1, 2)
AGENTS: Final = (1, 2, 3, 4, 5)
NUMBERS: Final = ("", "+1", "+2", "+3")
NEEDS: Final = {"+2": frozenset({"french"}), "+3": frozenset({"french", "loans"})}
"""The skills that the calls of some numbers need."""
milliseconds = st.sampled_from([0, 1, 500, 3_000, 10_000, 20_000, 60_000])


class Act(NamedTuple):
    """An event on a floor; `which` chooses the call or the agent that it concerns."""

    after_ms: int
    what: str
    which: int
    plan: QueuePlan | AgentPlan | None = None


@st.composite
def queue_plans(draw: st.DrawFn, queue_id: int) -> QueuePlan:
    agents = draw(st.lists(st.sampled_from(AGENTS), unique=True, min_size=2))
    return QueuePlan(
        queue_id,
        draw(st.sampled_from(QueueStrategy)),
        tuple(TierPlan(one, draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(1, 3))) for one in agents),
        scores_from_answer=draw(st.booleans()),
        tier_rules_apply=draw(st.booleans()),
        tier_rule_wait_ms=draw(milliseconds),
        tier_rule_wait_multiply_level=draw(st.booleans()),
        tier_rule_no_agent_no_wait=draw(st.booleans()),
        discard_abandoned_after_ms=draw(milliseconds),
        abandoned_resume_allowed=draw(st.booleans()),
        max_wait_ms=draw(milliseconds),
        max_wait_with_no_agent_ms=draw(milliseconds),
        max_wait_with_no_agent_time_reached_ms=draw(milliseconds),
        skills=draw(st.sampled_from(["", "", "", "Loans"])),
    )


def agent_plans(agent_id: int) -> st.SearchStrategy[AgentPlan]:
    often = st.sampled_from([AgentStatus.AVAILABLE] * 4 + [*AgentStatus])
    skills = st.sampled_from(["French", "loans", "French, Loans", ""])
    return st.builds(AgentPlan, st.just(agent_id), st.just(1), often, milliseconds, skills=skills)


def acts() -> st.SearchStrategy[Act]:
    which = st.integers(0, 7)
    plain = st.sampled_from(["join", "join", "join", "take", "take", "release", "leave", "forget", "wait"])
    return (
        st.builds(Act, milliseconds, plain, which)
        | st.builds(Act, milliseconds, st.just("agent"), which, st.sampled_from(AGENTS).flatmap(agent_plans))
        | st.builds(Act, milliseconds, st.just("queue"), which, st.sampled_from(QUEUES).flatmap(queue_plans))
    )


class Script(NamedTuple):
    """The first plans of a floor, and its events."""

    seed: int
    queues: tuple[QueuePlan, ...]
    agents: tuple[AgentPlan, ...]
    acts: list[Act]


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    queues = tuple(draw(queue_plans(queue_id)) for queue_id in QUEUES)
    agents = tuple(draw(agent_plans(agent_id)) for agent_id in AGENTS)
    return Script(draw(st.integers(0, 2**63)), queues, agents, draw(st.lists(acts(), max_size=40)))


class Book:
    """A store of a floor's state."""

    def __init__(self, script: Script) -> None:
        self.queues = {plan.id: plan for plan in script.queues}
        self.agents = {plan.id: plan for plan in script.agents}
        self.figures: dict[int, AgentFigures] = {}
        self.last_agents: dict[int, int] = {}
        self.no_agent_from_ms: dict[int, int] = {}
        self.waiting: dict[int, Waiting] = {}
        self.talks: dict[int, tuple[int, int]] = {}
        self.left: dict[tuple[int, str], LeftEarly] = {}

    def note(self, distributor: CallDistributor) -> None:
        """Store the changes of a floor as JSON, as the database does."""
        changes = distributor.changed()
        for agent_id, figures in changes.agents.items():
            self.figures[agent_id] = msgspec.json.decode(msgspec.json.encode(figures), type=AgentFigures)
        for agent_id, status in changes.statuses.items():
            self.agents[agent_id] = msgspec.structs.replace(self.agents[agent_id], status=status)
        self.last_agents |= changes.queues
        self.no_agent_from_ms |= changes.no_agent_from_ms
        for waiting in changes.waiting:
            self.waiting[waiting.call_id] = msgspec.json.decode(msgspec.json.encode(waiting), type=Waiting)

    def gave_up(self, now_ms: int, call_id: int) -> None:
        one = self.waiting.pop(call_id)
        self.left[one.queue_id, one.number] = LeftEarly(one.queue_id, one.number, one.score_from_ms, now_ms)

    def rebuild(self, seed: int, *, backwards: bool = False) -> CallDistributor:
        """Build a floor from the store, in one order or in its reverse."""
        distributor = CallDistributor(seed=seed)
        builds: list[Callable[[], None]] = [
            *(partial(self._open_queue, distributor, plan) for plan in self.queues.values()),
            *(partial(distributor.open_agent, plan, self.figures.get(plan.id)) for plan in self.agents.values()),
            *(partial(distributor.restore_waiting, one) for one in self.waiting.values()),
            *(partial(distributor.restore_talk, call_id, *talk) for call_id, talk in self.talks.items()),
        ]
        for build in reversed(builds) if backwards else builds:
            build()
        return distributor

    def _open_queue(self, distributor: CallDistributor, plan: QueuePlan) -> None:
        left = [one for (queue_id, _), one in self.left.items() if queue_id == plan.id]
        distributor.open_queue(plan, self.last_agents.get(plan.id, 0), left, self.no_agent_from_ms.get(plan.id, 0))


class Play:
    """A player of a script. It knows the floor by its decisions alone, and asserts that each is possible."""

    def __init__(self, script: Script, *, restarts: bool = False, backwards: bool = False) -> None:
        self.seed: Final = script.seed
        self.restarts: Final = restarts
        self.backwards: Final = backwards
        self.book: Final = Book(script)
        self.distributor = self.book.rebuild(script.seed, backwards=backwards)
        self.now_ms = START_MS
        self.calls = 0
        self.asked: dict[int, int] = {}
        """The call that is offered to each agent."""
        self.said: Final[list[object]] = []
        for act in script.acts:
            self._happens(act)

    def _happens(self, act: Act) -> None:
        self.now_ms += act.after_ms
        getattr(self, f"_{act.what}")(act)
        decisions = self.distributor.decide(self.now_ms)
        self._carry_out(decisions)
        assert self.distributor.decide(self.now_ms) == []
        wakes_at_ms = self.distributor.wakes_at_ms(self.now_ms)
        assert wakes_at_ms > self.now_ms
        staff = [self.distributor.staff(frozenset(queue_ids), self.now_ms) for queue_ids in ((1,), (2,), QUEUES)]
        self.said.append((decisions, wakes_at_ms, staff))
        self.book.note(self.distributor)
        if self.restarts:
            self.distributor = self.book.rebuild(self.seed, backwards=self.backwards)

    def _carry_out(self, decisions: list[Decision]) -> None:
        """Carry out the decisions, and assert that each is possible."""
        self.book.note(self.distributor)
        for one in decisions:
            match one:
                case AgentOffer(call_id, agent_id):
                    assert call_id in self.book.waiting
                    assert self.book.agents[agent_id].status in {2, 3}
                    waiting = self.book.waiting[call_id]
                    needed = waiting.skills | skills_of(self.book.queues[waiting.queue_id].skills)
                    assert needed <= skills_of(self.book.agents[agent_id].skills)
                    assert agent_id not in self.asked
                    assert agent_id not in {agent for agent, _ in self.book.talks.values()}
                    self.asked[agent_id] = call_id
                case Withdraw(call_id, agent_id):
                    assert self.asked.pop(agent_id) == call_id
                case Unserved(call_id, _):
                    assert call_id not in self.asked.values()
                    self.book.gave_up(self.now_ms, call_id)

    def _wait(self, _act: Act) -> None:
        """Let time pass."""

    def _join(self, act: Act) -> None:
        self.calls += 1
        queue_id, number = QUEUES[act.which % 2], NUMBERS[act.which // 2]
        needed = NEEDS.get(number, NO_SKILLS)
        answered_ms = self.now_ms - act.which * 700
        place = self.distributor.join(self.now_ms, self.calls, queue_id, number, answered_ms, skills=needed)
        self.book.left.pop((queue_id, number), None)
        self.book.waiting[self.calls] = place

    def _take(self, act: Act) -> None:
        if not self.asked:
            return
        agent_id, call_id = sorted(self.asked.items())[act.which % len(self.asked)]
        others = self.distributor.taken(self.now_ms, call_id, agent_id)
        if others is not None:
            del self.asked[agent_id]
            del self.book.waiting[call_id]
            self.book.talks[call_id] = (agent_id, self.now_ms)
            self._carry_out(others)

    def _release(self, act: Act) -> None:
        if self.book.talks:
            call_id = sorted(self.book.talks)[act.which % len(self.book.talks)]
            agent_id, _ = self.book.talks.pop(call_id)
            assert self.distributor.released(self.now_ms, call_id) == agent_id

    def _leave(self, act: Act) -> None:
        if self.book.waiting:
            call_id = sorted(self.book.waiting)[act.which % len(self.book.waiting)]
            self._carry_out(self.distributor.leave(self.now_ms, call_id))
            self.book.gave_up(self.now_ms, call_id)

    def _forget(self, act: Act) -> None:
        if self.book.waiting:
            call_id = sorted(self.book.waiting)[act.which % len(self.book.waiting)]
            self._carry_out(self.distributor.forget_call(call_id))
            del self.book.waiting[call_id]

    def _agent(self, act: Act) -> None:
        assert isinstance(act.plan, AgentPlan)
        self.book.agents[act.plan.id] = act.plan
        self.distributor.open_agent(act.plan)

    def _queue(self, act: Act) -> None:
        assert isinstance(act.plan, QueuePlan)
        self.book.queues[act.plan.id] = act.plan
        self.distributor.open_queue(act.plan)
