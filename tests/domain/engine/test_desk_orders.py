"""Orders from desks: each ends the call that it names while its agent talks in it, and never another."""

from types import SimpleNamespace
from typing import Final, cast

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calls.agent_effects import KeepAgent
from dialer.domain.calls.call_effects import HangUp
from dialer.domain.calls.effects import Effect
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.desk_orders import DeskOrders
from dialer.domain.engine.state import EngineState
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan

AGENTS: Final = st.integers(1, 4)
CALLS: Final = st.integers(1, 6)
TALKS: Final = st.dictionaries(AGENTS, CALLS).map(lambda talks: {call_id: agent for agent, call_id in talks.items()})
"""The agent of each call in which one talks."""
STEPS: Final = st.lists(st.tuples(st.dictionaries(AGENTS, st.none() | CALLS), TALKS), max_size=8)
"""The agents read before each step, and the calls in which agents talk then."""


@given(STEPS)
def test_an_order_ends_the_call_it_names_once_and_never_another(
    steps: list[tuple[dict[int, int | None], dict[int, int]]],
) -> None:
    """An order that comes too late, or names the call of somebody else, ends no call, then or later."""
    effects: list[Effect] = []
    state = SimpleNamespace(calls={}, emit=effects.append)
    distributor = SimpleNamespace()
    orders = DeskOrders(cast("EngineState", state), cast("CallDistributor", distributor), cast("BLegs", None))
    for read, talks in steps:
        ordered = sorted((agent_id, call_id) for agent_id, call_id in read.items() if call_id is not None)
        for agent_id, call_id in read.items():
            orders.read(None, AgentPlan(agent_id, user_id=1, hang_up_call_id=call_id))
        state.calls = dict.fromkeys(talks)
        distributor.agent_of = talks.get
        effects.clear()

        orders.perform(0)

        forgotten = [KeepAgent(agent_id, None, ended_hang_up_id=call_id) for agent_id, call_id in ordered]
        ended = [HangUp(call_id) for agent_id, call_id in ordered if talks.get(call_id) == agent_id]
        assert effects == [*forgotten, *ended]
