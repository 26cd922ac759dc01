"""The journal's counters of agents: talks, wrap-up times, missed calls, and breaks that the engine begins."""

from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection

from dialer.domain.calls import agent_effects, call_effects
from dialer.domain.calls.plans import Call
from dialer.domain.words.moments import NEVER_MS
from dialer.store.rows.agent_hours import Activities


class AgentHours:
    """Changes of agents' activities that are not in the hourly statistics yet."""

    def __init__(self) -> None:
        self._activities: Final = Activities()
        self._talks: Final[dict[int, int]] = {}
        """The agent of each talk in progress, by the id of the call."""
        self._missed_ms: Final[dict[int, int]] = {}
        """The time of each agent's last missed call, because an agent may change twice at that moment."""

    def restored(self, call: Call) -> None:
        """Take up the talk of a call that was in progress before the journal was opened."""
        for transfer in call.transfers:
            if transfer.is_talk and transfer.agent_id is not None:
                self._talks[call.id] = transfer.agent_id

    def transferred(self, connection: Connection, effect: call_effects.KeepTransfer, now_ms: int) -> None:
        """Begin or end the talk of an agent."""
        call_id, transfer = effect.call.id, effect.transfer
        if transfer.is_talk:
            if transfer.agent_id is not None and call_id not in self._talks:
                self._talks[call_id] = transfer.agent_id
                self._change(connection, transfer.agent_id, now_ms, is_talking=True)
        elif call_id in self._talks:
            self._change(connection, self._talks.pop(call_id), now_ms, is_talking=False)

    def kept(self, connection: Connection, effect: agent_effects.KeepAgent, now_ms: int) -> None:
        """Begin the wrap-up time of an agent or a break, or count a missed call."""
        figures, changed = effect.figures, {}
        if effect.status is not None:
            changed = {"status": int(effect.status), "break_reason": ""}
        if figures is not None and figures.last_bridge_end_ms == now_ms:
            changed["wraps_until_ms"] = NEVER_MS if figures.outcome_call_id else figures.free_at_ms
        has_missed = figures is not None and figures.has_rung and figures.let_ring_ms == now_ms
        if has_missed and self._missed_ms.get(effect.agent_id) != now_ms:
            self._missed_ms[effect.agent_id] = now_ms
            self._activities.missed(effect.agent_id, now_ms)
        if changed:
            self._change(connection, effect.agent_id, now_ms, **changed)

    def write(self, connection: Connection) -> None:
        """Add the recorded activities to the hourly statistics of agents."""
        self._activities.write(connection)

    def _change(self, connection: Connection, agent_id: int, now_ms: int, **changed: object) -> None:
        before = self._activities.clock(connection, agent_id)
        if before is not None:
            self._activities.change(agent_id, before, replace(before, **changed), now_ms)
