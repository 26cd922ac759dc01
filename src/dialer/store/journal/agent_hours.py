"""The journal's counters of agents: talks, wrap-up times, previews, missed calls, and breaks of the engine."""

from typing import Final, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Connection, select

from dialer.domain.calls import agent_effects, call_effects
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.queueing.agent_periods import NO_END, PeriodEnd, look_began_ms
from dialer.domain.words.enums import Consulted, TransferStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.store.rows.agent_hours import Activities
from dialer.store.tables import Agent

_ASKED: Final = Consulted.ASKED


class _Third(NamedTuple):
    """An agent whom another one consults, and the place of their transfer in the call."""

    place: int
    agent_id: int


class AgentHours:
    """Changes of agents' activities that are not in the hourly statistics yet."""

    def __init__(self) -> None:
        self._activities: Final = Activities()
        self._talks: Final[dict[int, int]] = {}
        """The agent of each talk in progress, by the id of the call."""
        self._consulted: Final[dict[int, _Third]] = {}
        """The agent who talks in a call as the third person whom another one consults, by the id of the call."""
        self._looks: Final[dict[int, int]] = {}
        """The time since which each agent looks at a person before a call; 0 if they do not."""
        self._missed_ms: Final[dict[int, int]] = {}
        """The time of each agent's last missed call, because an agent may change twice at that moment."""

    def restored(self, call: Call) -> None:
        """Take up the talk of a call that was in progress before the journal was opened."""
        for transfer in call.transfers:
            if transfer.consulted is _ASKED and _talks_as_third(transfer):
                self._consulted[call.id] = _Third(transfer.place, transfer.for_agent_id or 0)
            elif transfer.is_talk and transfer.agent_id is not None:
                self._talks[call.id] = transfer.agent_id

    def transferred(self, connection: Connection, effect: call_effects.KeepTransfer, now_ms: int) -> None:
        """Begin or end the talk of an agent."""
        call_id, transfer = effect.call.id, effect.transfer
        if transfer.for_agent_id is not None and transfer.consulted:
            self._third(connection, effect, now_ms)
        if transfer.consulted is _ASKED:
            return
        if transfer.is_talk:
            if transfer.agent_id is not None and call_id not in self._talks:
                self._talks[call_id] = transfer.agent_id
                end = PeriodEnd(rings_from_ms=transfer.started_ms or 0, is_taken=True)
                self._change(connection, transfer.agent_id, now_ms, end, is_talking=True)
        elif call_id in self._talks:
            agent_id = self._talks.pop(call_id)
            still_talks = any(third.agent_id == agent_id for third in self._consulted.values())
            self._change(connection, agent_id, now_ms, is_talking=still_talks)

    def _third(self, connection: Connection, effect: call_effects.KeepTransfer, now_ms: int) -> None:
        """Begin or end the talk of an agent whom another one consults. One who takes over the callee talks on.

        An agent who has taken over a callee may consult another one: their own transfer ends no talk of that one.
        """
        call_id, transfer = effect.call.id, effect.transfer
        talks, agent_id = _talks_as_third(transfer), transfer.for_agent_id or 0
        third = _Third(transfer.place, agent_id)
        if talks and call_id not in self._consulted:
            self._consulted[call_id] = third
            end = PeriodEnd(rings_from_ms=transfer.started_ms or 0)
            self._change(connection, agent_id, now_ms, end, is_talking=True)
        elif not talks and self._consulted.get(call_id) == third:
            del self._consulted[call_id]
            if not transfer.is_talk:
                self._change(connection, agent_id, now_ms, is_talking=agent_id in self._talks.values())

    def kept(self, connection: Connection, effect: agent_effects.KeepAgent, now_ms: int) -> None:
        """Begin the wrap-up time of an agent or a break, or count a missed call."""
        figures, changed, end = effect.figures, {}, PeriodEnd(effect.break_cause)
        if effect.status is not None:
            changed = {"status": int(effect.status), "break_reason": ""}
        if figures is not None and figures.last_bridge_end_ms == now_ms:
            changed["wraps_until_ms"] = NEVER_MS if figures.outcome_call_id else figures.free_at_ms
        elif figures is not None and effect.changes_owing:
            changed["wraps_until_ms"] = NEVER_MS if figures.outcome_call_id else max(figures.free_at_ms, now_ms)
        has_missed = figures is not None and figures.has_rung and figures.let_ring_ms == now_ms
        if figures is not None and has_missed and self._missed_ms.get(effect.agent_id) != now_ms:
            self._missed_ms[effect.agent_id] = now_ms
            self._activities.missed(effect.agent_id, now_ms)
            end = end._replace(rings_from_ms=figures.last_offered_ms, is_missed=True)
        if changed or end.is_missed:
            self._change(connection, effect.agent_id, now_ms, end, **changed)

    def previewed(self, connection: Connection, effect: agent_effects.KeepPreview, now_ms: int) -> None:
        """Note that an agent looks at a person before a call, or that they no longer do."""
        agent_id, preview = effect.agent_id, effect.preview
        if preview is not None:
            self._looks[agent_id] = self._looks.get(agent_id) or preview.from_ms
            return
        known_ms = self._looks.get(agent_id)
        looks_from_ms = _stored_look(connection, agent_id) if known_ms is None else known_ms
        self._looks[agent_id] = 0
        if looks_from_ms:
            self._change(connection, agent_id, now_ms, PeriodEnd(looks_from_ms=looks_from_ms))

    def write(self, connection: Connection) -> None:
        """Add the recorded activities to the hourly statistics of agents."""
        self._activities.write(connection)

    def _change(
        self, connection: Connection, agent_id: int, now_ms: int, end: PeriodEnd = NO_END, **changed: object
    ) -> None:
        before = self._activities.clock(connection, agent_id)
        if before is not None:
            self._activities.change(agent_id, before, replace(before, **changed), now_ms, end)


def _talks_as_third(transfer: Transfer) -> bool:
    is_open = transfer.consulted is _ASKED and transfer.status is not TransferStatus.OVER
    return is_open and transfer.for_agent_id is not None and transfer.answered_ms is not None


def _stored_look(connection: Connection, agent_id: int) -> int:
    """Return the time since which an agent looks at a person, as it was stored before a restart; 0 if they do not."""
    document = connection.scalar(select(Agent.preview).where(Agent.id == agent_id))
    return look_began_ms(document or "")
