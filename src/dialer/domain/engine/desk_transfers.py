"""Transfers that agents order at their desks: the callee of their call goes on to another number, queue or agent."""

from collections.abc import Collection
from typing import Final

from dialer.domain.calls.agent_effects import KeepAgent
from dialer.domain.calls.call_effects import MoveCall
from dialer.domain.calls.call_events import TransferReached
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import open_transfer
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan, Promise

FOR_AGENT_MS: Final = 60_000
"""Time for which a call waits for the agent to whom it was transferred, or returns. Then any agent takes it."""
QUEUE: Final = "queue:"
AGENT: Final = "agent:"


class DeskTransfers:
    """The transfers that agents ordered and that are not performed yet. An order about a finished call does nothing.

    The row of the agent forgets an order in the step that performs it, so that no restart performs it again.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._new: dict[int, AgentPlan] = {}

    def read(self, agent: AgentPlan) -> None:
        """Note the order of an agent, if there is one."""
        if agent.transfer_call_id is not None:
            self._new[agent.id] = agent

    def close(self, agent_id: int) -> None:
        """Discard the transfer that a deleted agent ordered."""
        self._new.pop(agent_id, None)

    def perform(self, hung_up: Collection[int]) -> None:
        """Move the calls that were named and were not hung up, if the agents who were named still talk in them."""
        new, self._new = self._new, {}
        for agent_id, agent in sorted(new.items()):
            self._state.emit(KeepAgent(agent_id, None, ended_transfer_id=agent.transfer_call_id))
            call = self._state.calls.get(agent.transfer_call_id or 0)
            talk = None if call is None or self._distributor.agent_of(call.id) != agent_id else open_transfer(call)
            if call is not None and talk is not None and call.id not in hung_up:
                self._state.emit(MoveCall(call.id, self._reached(call, talk, agent)))

    def _reached(self, call: Call, transfer: Transfer, agent: AgentPlan) -> TransferReached:
        to, queue_id, for_agent_id = agent.transfer_to, None, None
        if to.startswith(QUEUE):
            to, queue_id = "", int(to.removeprefix(QUEUE))
        elif to.startswith(AGENT):
            for_agent_id = int(to.removeprefix(AGENT))
            to, queue_id = "", self._distributor.queue_of(for_agent_id, transfer.queue_id)
        waits_from_ms = transfer.score_from_ms
        return TransferReached(call.id, transfer.section_id, queue_id, to, waits_from_ms, 0, agent.id, for_agent_id)


def promise_of(call: Call, transfer: Transfer) -> Promise | None:
    """Return the promise of an agent to take a call that waits in a queue; None if any agent may take it."""
    if transfer.from_agent_id is None:
        return call.promise
    if transfer.for_agent_id is None:
        return None
    return Promise(transfer.for_agent_id, transfer.joined_ms + FOR_AGENT_MS)
