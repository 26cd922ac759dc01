"""Legs over lines that are restored from their rows, after a start or a failed step."""

import msgspec

from dialer.domain.calls.plans import Call
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Texting
from dialer.domain.sessions.message_session import MessageSession, MessageSessionState
from dialer.domain.sessions.session_state import SessionState
from dialer.domain.sessions.supervisor_session import SUPERVISOR_PLACE, SupervisorSession, SupervisorState
from dialer.domain.words.enums import SupervisionMode
from dialer.runtime.lines.line_leg import LAST_TURN, Leaving, LineLeg, Session
from dialer.store.queries.readable_rows import UNREADABLE
from dialer.store.rows.live_legs import StoredLeg


def restored(stored: StoredLeg, call: Call) -> LineLeg:
    """Return a leg as its row describes it. If that cannot be read, the leg is odd, and has to end."""
    try:
        session, is_odd = _session(stored, call), stored.is_odd
    except UNREADABLE:
        session, is_odd = _unknown_session(stored, call), True
    leg = LineLeg(stored.key, call.id, stored.gateway_id, stored.order, session, stored.wanted_ms)
    leg.is_odd = is_odd
    return _with_marks(leg, stored)


def leaving(stored: StoredLeg) -> LineLeg:
    """Return a leg that was leaving. Only its end is awaited."""
    try:
        session = Leaving(msgspec.json.decode(stored.standing, type=BLegSessionState))
    except UNREADABLE:
        session = Leaving(BLegSessionState(0, turn=LAST_TURN))
    leg = LineLeg(stored.key, stored.call_id, stored.gateway_id, stored.order, session, stored.wanted_ms)
    leg.is_leaving = True
    return _with_marks(leg, stored)


def _session(stored: StoredLeg, call: Call) -> Session:
    if isinstance(stored.order, Texting):
        return MessageSession(call, msgspec.json.decode(stored.standing, type=MessageSessionState))
    if stored.place == SUPERVISOR_PLACE:
        return SupervisorSession(msgspec.json.decode(stored.standing, type=SupervisorState))
    if stored.place:
        return BLegSession(call, msgspec.json.decode(stored.standing, type=BLegSessionState))
    return IvrSession.continued(call, msgspec.json.decode(stored.standing, type=SessionState))


def _unknown_session(stored: StoredLeg, call: Call) -> Session:
    """Return the session of a leg of which nothing is known. Its line takes no order after the next one."""
    if call.parts:
        return MessageSession(call)
    if stored.place == SUPERVISOR_PLACE:
        return SupervisorSession(SupervisorState(stored.place, 0, 0, "", "", SupervisionMode.LISTEN, turn=LAST_TURN))
    if stored.place:
        return BLegSession(call, BLegSessionState(stored.place, turn=LAST_TURN))
    return IvrSession(call, turn=LAST_TURN)


def _with_marks(leg: LineLeg, stored: StoredLeg) -> LineLeg:
    leg.handed_ms, leg.heard_ms, leg.handle = stored.handed_ms, stored.heard_ms, stored.handle
    return leg
