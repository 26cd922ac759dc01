"""Holds: a call is on hold while its own agent wants it, never another call, and never too long."""

from types import SimpleNamespace
from typing import Final, cast

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Rate
from dialer.domain.calls.agent_effects import HoldCall, KeepAgent
from dialer.domain.calls.effects import Effect
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.calls_on_hold import HOLD_MS_MAX
from dialer.domain.engine.desk_orders import DeskOrders
from dialer.domain.engine.state import EngineState
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan
from dialer.domain.words.moments import NEVER_MS

AGENTS: Final = st.integers(1, 3)
CALLS: Final = st.integers(1, 4)
TALKS: Final = st.dictionaries(AGENTS, CALLS).map(lambda talks: {call_id: agent for agent, call_id in talks.items()})
"""The agent of each call in which one talks."""
STEPS: Final = st.lists(
    st.tuples(st.dictionaries(AGENTS, st.none() | CALLS), TALKS, st.integers(0, HOLD_MS_MAX)), max_size=8
)
"""The agents read before each step, the calls in which agents talk then, and the time until the next step."""


def call_of(call_id: int, agent_id: int) -> Call:
    transfer = Transfer(1, 1, "leg", 0, Rate(0), agent_id=agent_id)
    return cast("Call", SimpleNamespace(id=call_id, transfers=(transfer,)))


class Floor:
    """The calls in which agents talk, and those of them that a carrier has been told to hold."""

    def __init__(self) -> None:
        self._effects: list[Effect] = []
        self._state = SimpleNamespace(calls={}, emit=self._effects.append)
        self._distributor = SimpleNamespace(agent_of=lambda call_id: None)  # noqa: ARG005 - nobody talks yet
        state, distributor = cast("EngineState", self._state), cast("CallDistributor", self._distributor)
        self.orders = DeskOrders(state, distributor, cast("BLegs", None))
        self.held: dict[int, int] = {}
        """The time since which each call is on hold."""
        self.rows: dict[int, AgentPlan] = {}

    def read(self, agents: dict[int, int | None]) -> None:
        for agent_id, call_id in agents.items():
            before = self.rows.get(agent_id)
            self.rows[agent_id] = AgentPlan(agent_id, user_id=1, hold_call_id=call_id)
            self.orders.read(before, self.rows[agent_id])

    def talk(self, now_ms: int, talks: dict[int, int]) -> None:
        """Let these talk from now on. The transfers of all others end."""
        calls: dict[int, Call] = self._state.calls
        for call_id, call in list(calls.items()):
            if talks.get(call_id) != call.transfers[-1].agent_id:
                self.orders.ended(now_ms, call, call.transfers[-1])
                self.held.pop(call_id, None)
                del calls[call_id]
        for call_id, agent_id in talks.items():
            calls.setdefault(call_id, call_of(call_id, agent_id))
        self._distributor.agent_of = talks.get

    def perform(self, now_ms: int) -> None:
        self._effects.clear()
        self.orders.perform(now_ms)
        for effect in self._effects:
            if isinstance(effect, HoldCall) and effect.is_held:
                assert effect.call_id not in self.held
                self.held[effect.call_id] = now_ms
            elif isinstance(effect, HoldCall):
                del self.held[effect.call_id]
            elif isinstance(effect, KeepAgent) and self.rows[effect.agent_id].hold_call_id == effect.ended_hold_id:
                self.rows[effect.agent_id] = AgentPlan(effect.agent_id, user_id=1)


@given(STEPS)
def test_a_call_is_on_hold_only_while_its_own_agent_wants_it_and_never_too_long(
    steps: list[tuple[dict[int, int | None], dict[int, int], int]],
) -> None:
    """The engine holds the calls that the rows name, in any order of orders, talks and times."""
    floor, now_ms = Floor(), 0
    for read, talks, pause_ms in steps:
        floor.talk(now_ms, talks)
        floor.read(read)
        has_expired = {call_id for call_id, since_ms in floor.held.items() if now_ms >= since_ms + HOLD_MS_MAX}

        floor.perform(now_ms)

        orders = {agent_id: row.hold_call_id for agent_id, row in floor.rows.items()}
        wanted = {call_id for agent_id, call_id in orders.items() if call_id and talks.get(call_id) == agent_id}
        just_wanted = {call_id for agent_id, call_id in read.items() if call_id and talks.get(call_id) == agent_id}
        assert just_wanted - has_expired <= floor.held.keys() <= wanted
        ends = [since_ms + HOLD_MS_MAX for since_ms in floor.held.values()]
        assert floor.orders.next_ms == min(ends, default=NEVER_MS) > now_ms
        now_ms += pause_ms
