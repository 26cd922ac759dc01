"""Orders from the desks of agents about the calls in which they talk."""

from typing import Final

from dialer.domain.calls.agent_effects import KeepAgent
from dialer.domain.calls.call_effects import HangUp
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.b_legs import BLegs
from dialer.domain.engine.calls_on_hold import Holds
from dialer.domain.engine.consultations import Consultations
from dialer.domain.engine.desk_transfers import DeskTransfers
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.supervisions import Supervisions
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan


class DeskOrders:
    """Orders that were read with agents and are not performed yet.

    An order names its call, and is performed once the calls of a restart are restored. One about a call that is over,
    or is with another agent, does nothing.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor, legs: BLegs) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._calls: dict[int, int] = {}
        """The call that is to be hung up, by agent."""
        holds = Holds(engine_state, distributor)
        self._holds: Final = holds
        self._supervisions: Final = Supervisions(engine_state, distributor)
        self.supervision_over: Final = self._supervisions.over
        self._transfers: Final = DeskTransfers(engine_state, distributor)
        self.consultations: Final = Consultations(engine_state, distributor, legs)

    def read(self, before: AgentPlan | None, agent: AgentPlan) -> None:
        """Note the orders in an agent's row that were not performed yet."""
        self._holds.read(agent)
        self._supervisions.read(before, agent)
        self.consultations.read(agent)
        self._transfers.read(agent)
        if agent.hang_up_call_id is not None:
            self._calls[agent.id] = agent.hang_up_call_id

    def restore(self, call: Call, transfer: Transfer) -> None:
        """Restore what desks have ordered about a call with an agent, after a restart."""
        self._holds.restore(call, transfer)
        self._supervisions.restore(call, transfer)

    def ended(self, now_ms: int, call: Call, transfer: Transfer) -> None:
        """End the holds, supervisions and consultations of a transfer that is over."""
        self._holds.ended(now_ms, call, transfer)
        self._supervisions.ended(call, transfer)
        if self.consultations.open:
            self.consultations.talk_ended(call)

    def close(self, agent_id: int) -> None:
        """Discard the orders of a deleted agent."""
        self._calls.pop(agent_id, None)
        self._holds.close(agent_id)
        self._supervisions.close(agent_id)
        self.consultations.close(agent_id)
        self._transfers.close(agent_id)

    @property
    def next_ms(self) -> int:
        """The time at which an order ends by itself; `NEVER_MS` if none does."""
        consultations = self.consultations
        return min(self._holds.next_ms, consultations.next_ms) if consultations.open else self._holds.next_ms

    def perform(self, now_ms: int) -> None:
        """Perform the orders of desks, for calls in which their agents still talk.

        A call that was hung up is transferred nowhere, whatever was ordered first.
        """
        self._holds.follow(now_ms)
        self._supervisions.follow()
        if self.consultations.new or self.consultations.open:
            self.consultations.follow(now_ms)
        orders, self._calls = sorted(self._calls.items()), {}
        for agent_id, call_id in orders:
            self._state.emit(KeepAgent(agent_id, None, ended_hang_up_id=call_id))
        hung_up = [call_id for agent_id, call_id in orders if self._distributor.agent_of(call_id) == agent_id]
        self._transfers.perform(hung_up)
        for call_id in hung_up:
            self._state.emit(HangUp(call_id))
