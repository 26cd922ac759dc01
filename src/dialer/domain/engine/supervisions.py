"""Supervisions: calls in which a supervisor hears an agent and a callee, over a third leg."""

from typing import Final

from dialer.domain.calls.agent_effects import KeepAgent, SuperviseCall
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.state import EngineState
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan, Supervision


class Supervisions:
    """The supervisions that the rows of agents name, and those of which the carrier knows.

    A supervision is under way while its agent talks in its call. The carrier is told what is wanted of a call, and
    makes it so: a restart, a change of the mode and an end are the same order.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._wanted: Final[dict[int, Supervision]] = {}
        """The supervisions that are wanted, by agent."""
        self._calls: Final[dict[int, int]] = {}
        """The call of each agent in which a supervisor may be."""
        self._new: Final[set[int]] = set()
        """Agents about whose calls the carrier is to be told something."""

    def read(self, before: AgentPlan | None, agent: AgentPlan) -> None:
        """Note a new wish to supervise an agent's call."""
        wanted = agent.supervision
        if before is None or before.supervision != wanted:
            self._new.add(agent.id)
            self._wanted.pop(agent.id, None)
            if wanted is not None:
                self._wanted[agent.id] = wanted

    def restore(self, call: Call, transfer: Transfer) -> None:
        """Look after a call with an agent again, after a restart: a supervisor may be in it."""
        if transfer.agent_id is not None:
            self._calls[transfer.agent_id] = call.id
            self._new.add(transfer.agent_id)

    def follow(self) -> None:
        """Order the noted supervisions from the carrier."""
        for agent_id in sorted(self._new):
            dialled = self._dialled(agent_id)
            wanted = self._wanted.get(agent_id)
            if wanted is not None and not dialled:
                self._forget(agent_id, wanted)
                wanted = None
            before = self._calls.pop(agent_id, None)
            if before is not None and (wanted is None or wanted.call_id != before):
                self._state.emit(SuperviseCall(before, agent_id, None))
            if wanted is not None:
                self._calls[agent_id] = wanted.call_id
                self._state.emit(SuperviseCall(wanted.call_id, agent_id, wanted, dialled))
        self._new.clear()

    def close(self, agent_id: int) -> None:
        """End the supervision of a deleted agent's call."""
        self._wanted.pop(agent_id, None)
        self._end(agent_id)

    def ended(self, call: Call, transfer: Transfer) -> None:
        """End the supervision of a transfer that is over."""
        agent_id = transfer.agent_id
        if agent_id is None or self._calls.get(agent_id) != call.id:
            return
        self._end(agent_id)
        wanted = self._wanted.get(agent_id)
        if wanted is not None and wanted.call_id == call.id:
            self._forget(agent_id, wanted)

    def over(self, agent_id: int, turn: int) -> None:
        """Note that a supervisor's telephone has hung up or did not answer. The call itself continues."""
        wanted = self._wanted.get(agent_id)
        if wanted is not None and wanted.turn == turn:
            self._calls.pop(agent_id, None)
            self._forget(agent_id, wanted)

    def _dialled(self, agent_id: int) -> str:
        """Return the supervisor's telephone as the carrier receives it; empty if nobody can supervise now."""
        wanted = self._wanted.get(agent_id)
        call = None if wanted is None else self._state.calls.get(wanted.call_id)
        if wanted is None or call is None or self._distributor.agent_of(call.id) != agent_id:
            return ""
        account = self._state.accounts[call.plan.user_id]
        gateway = self._state.gateways[call.plan.gateway_id]
        if account.refuses_agent(wanted.contact, gateway.plan):
            return ""
        return gateway.number_of_agent(wanted.contact)

    def _end(self, agent_id: int) -> None:
        call_id = self._calls.pop(agent_id, None)
        if call_id is not None:
            self._state.emit(SuperviseCall(call_id, agent_id, None))

    def _forget(self, agent_id: int, wanted: Supervision) -> None:
        del self._wanted[agent_id]
        self._state.emit(KeepAgent(agent_id, None, ended_supervision=wanted.turn))
