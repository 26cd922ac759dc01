"""SupervisorLegs: the telephones of supervisors who hear calls over lines, one a call at most.

Such a leg belongs to no transfer and has no CDR. Its call goes on when it ends.
"""

from typing import Final

from dialer.domain.calls import agent_events, events
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.queueing.plans import Supervision
from dialer.domain.sessions.leg_protocol import Dialling, LegReport
from dialer.domain.sessions.supervisor_session import SUPERVISOR_PLACE, SupervisorSession, SupervisorState
from dialer.runtime.lines.line_leg import LineLeg, b_leg_of, session_of
from dialer.runtime.lines.line_legs import LegNames, LineLegs


class SupervisorLegs:
    """The legs of supervisors, among all legs of one live engine."""

    def __init__(self, legs: LineLegs, names: LegNames) -> None:
        self._legs: Final = legs
        self._names: Final = names

    def supervise(self, call_id: int, agent_id: int, wanted: Supervision | None, dialled: str, now_ms: int) -> bool:
        """Make the supervision of a call what is wanted: dial `dialled`, change the mode, or end it.

        Return False if there are no two legs to hear.
        """
        leg = self._legs.supervisor(call_id)
        if wanted is not None and leg is not None and _is_of(leg, agent_id, wanted):
            self._legs.give(leg, _session(leg).change(wanted.mode))
            return True
        self.stop(call_id)
        return wanted is None or self._dial(call_id, agent_id, wanted, dialled, now_ms)

    def _dial(self, call_id: int, agent_id: int, wanted: Supervision, dialled: str, now_ms: int) -> bool:
        first = self._legs.first(call_id)
        agent = next((one for one in self._legs.seconds(call_id) if _talks(one, agent_id)), None)
        if first is None or agent is None:
            return False
        call = session_of(first).call
        key = self._names.key(f"{call.callid}:{call_id}:supervisor:{agent_id}:{wanted.turn}")
        order = Dialling(key, dialled, call.callerid, AGENT_RING_MS_MAX, call.talk_limit_ms)
        session = SupervisorSession(
            SupervisorState(SUPERVISOR_PLACE, agent_id, wanted.turn, first.key, agent.key, wanted.mode)
        )
        self._legs.dial(self._legs.add_new(LineLeg(key, call_id, first.gateway_id, order, session, now_ms)))
        return True

    def stop(self, call_id: int) -> None:
        """End the supervision of a call, if there is one."""
        leg = self._legs.supervisor(call_id)
        if leg is not None:
            self._legs.leave(leg)

    def hear(self, leg: LineLeg, session: SupervisorSession, heard: LegReport, at_ms: int) -> list[events.Event]:
        """Return the events that follow from a report of a supervisor's leg."""
        self._legs.give(leg, session.hear(at_ms, heard))
        if not session.is_over:
            return []
        self._legs.remove(leg)
        return [agent_events.SupervisionEnded(leg.call_id, session.state.agent_id, session.state.supervision)]


def _session(leg: LineLeg) -> SupervisorSession:
    if isinstance(leg.session, SupervisorSession):
        return leg.session
    raise TypeError(leg.key)


def _is_of(leg: LineLeg, agent_id: int, wanted: Supervision) -> bool:
    state = _session(leg).state
    return (state.agent_id, state.supervision) == (agent_id, wanted.turn)


def _talks(leg: LineLeg, agent_id: int) -> bool:
    state = b_leg_of(leg).state
    return state.is_taken and state.agent_id == agent_id
