"""Holds: calls whose callees wait while their agents do something else."""

from typing import Final

from dialer.domain.calls.agent_effects import HoldCall, KeepAgent
from dialer.domain.calls.call_effects import KeepTransfer
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.state import EngineState
from dialer.domain.engine.transfer_ends import open_transfer
from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.plans import AgentPlan
from dialer.domain.words.enums import Consulted
from dialer.domain.words.moments import NEVER_MS

HOLD_MS_MAX: Final = 10 * 60_000
"""The longest hold. Then callee and agent are connected again, so that no callee is forgotten."""


class Holds:
    """The calls on hold, and what their agents want.

    The row of an agent names the call that the agent wants on hold. It is on hold while the agent talks in it, so a
    wish about a call that is over, or is with another agent, does nothing.
    """

    def __init__(self, engine_state: EngineState, distributor: CallDistributor) -> None:
        self._state: Final = engine_state
        self._distributor: Final = distributor
        self._wanted: Final[dict[int, int]] = {}
        """The call that each agent wants on hold, of the agents who want one."""
        self._new: set[int] = set()
        """Agents who want a call on hold, and were read since the last step."""
        self._held: Final[dict[int, tuple[Call, Transfer]]] = {}

    def read(self, agent: AgentPlan) -> None:
        """Note whether an agent holds the callee."""
        self._wanted.pop(agent.id, None)
        if agent.hold_call_id is not None:
            self._wanted[agent.id] = agent.hold_call_id
            self._new.add(agent.id)

    def restore(self, call: Call, transfer: Transfer) -> None:
        """Restore a hold after a restart, if the call is on hold."""
        is_of_consultation = any(one.consulted is Consulted.ASKED and one.ended_ms is None for one in call.transfers)
        if transfer.on_hold_from_ms is not None and not is_of_consultation:
            self._held[call.id] = call, transfer

    def follow(self, now_ms: int) -> None:
        """Hold and resume calls as their agents want it, and resume those whose hold lasts too long."""
        for call, transfer in list(self._held.values()):
            agent_id = transfer.agent_id or 0
            is_wanted = self._wanted.get(agent_id) == call.id
            if is_wanted and now_ms < until_ms(transfer):
                continue
            self._resume(now_ms, call, transfer)
            if is_wanted:
                self._forget(agent_id, call)
        new, self._new = self._new, set()
        for agent_id in sorted(new & self._wanted.keys()):
            self._hold(now_ms, agent_id, self._wanted[agent_id])

    @property
    def next_ms(self) -> int:
        """The time at which the next hold ends by itself; `NEVER_MS` if there is none."""
        return min((until_ms(transfer) for _, transfer in self._held.values()), default=NEVER_MS)

    def close(self, agent_id: int) -> None:
        """Discard the hold of a deleted agent."""
        self._wanted.pop(agent_id, None)

    def ended(self, now_ms: int, call: Call, transfer: Transfer) -> None:
        """End the hold of a transfer that is over, and what its agent wanted: the callee may come back to the agent."""
        if transfer.on_hold_from_ms is not None:
            self._count(now_ms, call, transfer)
        agent_id = transfer.agent_id
        if agent_id is not None and self._wanted.get(agent_id) == call.id:
            self._forget(agent_id, call)

    def _forget(self, agent_id: int, call: Call) -> None:
        del self._wanted[agent_id]
        self._state.emit(KeepAgent(agent_id, None, ended_hold_id=call.id))

    def _count(self, now_ms: int, call: Call, transfer: Transfer) -> None:
        mark_hold(transfer, now_ms, is_held=False)
        self._held.pop(call.id, None)

    def _hold(self, now_ms: int, agent_id: int, call_id: int) -> None:
        call = self._state.calls.get(call_id)
        if call is None or call_id in self._held or self._distributor.agent_of(call_id) != agent_id:
            return
        transfer = open_transfer(call)
        if transfer is None or not mark_hold(transfer, now_ms, is_held=True):
            return
        self._held[call_id] = call, transfer
        self._state.emit(KeepTransfer(call, transfer))
        self._state.emit(HoldCall(call_id, is_held=True))

    def _resume(self, now_ms: int, call: Call, transfer: Transfer) -> None:
        self._count(now_ms, call, transfer)
        self._state.emit(KeepTransfer(call, transfer))
        self._state.emit(HoldCall(call.id, is_held=False))


def mark_hold(transfer: Transfer, now_ms: int, *, is_held: bool) -> bool:
    """Note that the person of a transfer is on hold from now on, or is not any more. Return whether that is new."""
    from_ms = transfer.on_hold_from_ms
    if is_held == (from_ms is not None):
        return False
    transfer.on_hold_ms += 0 if from_ms is None else max(0, now_ms - from_ms)
    transfer.on_hold_from_ms = now_ms if is_held else None
    return True


def until_ms(transfer: Transfer) -> int:
    """Return the time at which a hold ends by itself; `NEVER_MS` if there is none."""
    return NEVER_MS if transfer.on_hold_from_ms is None else transfer.on_hold_from_ms + HOLD_MS_MAX
