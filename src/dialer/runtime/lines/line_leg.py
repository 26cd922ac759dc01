"""LineLeg: a leg over a line, with its session."""

from typing import Final, NamedTuple, TypeAlias

import msgspec

from dialer.domain.calls.call_recording import TapeState
from dialer.domain.calls.plans import Call, GatewayKey
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Dialling, Leg, Order, Tape, Texting
from dialer.domain.sessions.message_session import MessageSession
from dialer.domain.sessions.supervisor_session import SupervisorSession

LEAVING_MS_MAX: Final = 60_000
"""Time after the limits of a leg that is leaving. Then its row goes, though its line has never told of its end."""
LAST_TURN: Final = 2**31 - 2
"""A turn above that of any order which a leg was given: the next order is followed in any case."""


class LegOrder(NamedTuple):
    """An order to a leg, for the line of a gateway."""

    gateway_id: GatewayKey
    key: str
    order: Order


class Leaving(NamedTuple):
    """The session of a leg that was leaving when the last engine ended: only its end is awaited."""

    state: BLegSessionState


Session: TypeAlias = IvrSession | MessageSession | BLegSession | SupervisorSession | Leaving


class LineLeg:
    """A call, a second leg of a call, the leg of a supervisor, or a message, over a line."""

    __slots__ = (
        "call_id",
        "gateway_id",
        "handed_ms",
        "handle",
        "heard_ms",
        "is_changed",
        "is_in_doubt",
        "is_leaving",
        "is_odd",
        "key",
        "noted",
        "order",
        "session",
        "tape",
        "wanted_ms",
    )

    def __init__(
        self,
        key: str,
        call_id: int,
        gateway_id: GatewayKey,
        order: Leg,
        session: Session,
        wanted_ms: int,
    ) -> None:
        self.key: Final = key
        self.call_id: Final = call_id
        self.gateway_id: Final = gateway_id
        self.order: Final = order
        self.session = session
        self.wanted_ms: Final = wanted_ms
        self.handed_ms: int | None = None
        self.heard_ms: int | None = None
        self.handle = ""
        self.is_changed = False
        self.is_in_doubt = False
        """True if it is that of an earlier process, and its line has said nothing about it yet."""
        self.is_leaving = False
        self.is_odd = False
        """True if its row cannot be read: nobody knows what became of it."""
        self.tape: TapeState | None = None
        """The state of its recording that the line was told last; None if that is not known."""
        self.noted: TapeState | None = None
        """The state of its recording that the row of the recording was written for; None before the first."""

    @property
    def answered_ms(self) -> int | None:
        """The time of the answer, as far as the service knows it."""
        session = self.session
        if isinstance(session, IvrSession):
            return session.answered_ms
        return None if isinstance(session, MessageSession) else session.state.answered_ms

    @property
    def turn(self) -> int:
        """The number of the last order."""
        session = self.session
        if isinstance(session, IvrSession):
            return session.turn
        return 0 if isinstance(session, MessageSession) else session.state.turn

    @property
    def has_left(self) -> bool:
        """True for a message that its carrier has accepted: only a receipt can tell more."""
        return isinstance(self.session, MessageSession) and self.session.state.is_accepted

    def paced_order(self, cps_max: int) -> Leg:
        """Return the order with the limit of its gateway, if it took a turn there: our own telephones take none."""
        is_agents = isinstance(self.session, BLegSession) and self.session.is_to_agent
        if not isinstance(self.order, Dialling) or is_agents or isinstance(self.session, SupervisorSession):
            return self.begun_order()
        return msgspec.structs.replace(self.begun_order(), cps_max=cps_max)

    def begun_order(self) -> Leg:
        """Return the order for a line that begins with it, which knows the state of its recording then."""
        order = self.recorded_order(self.wanted_ms)
        self.tape = None if isinstance(order, Texting) or order.sound_store is None else order.sound_store.state
        return order

    def recorded_order(self, now_ms: int) -> Leg:
        """Return the order with the state of its recording as it is wanted now."""
        order, session = self.order, self.session
        if isinstance(order, Texting) or order.sound_store is None or not isinstance(session, IvrSession):
            return order
        state = session.tape_state(order.sound_store.state)
        began_ms = session.call.recording_began_ms(session.answered_ms or now_ms)
        store = msgspec.structs.replace(order.sound_store, state=state, age_ms=max(0, now_ms - began_ms))
        return msgspec.structs.replace(order, sound_store=store)

    def tape_order(self) -> Tape | None:
        """Return the order to change what becomes of its sound, if the line was told something else before."""
        order, session = self.order, self.session
        if isinstance(order, Texting) or order.sound_store is None or not isinstance(session, IvrSession):
            return None
        wanted = session.tape_state(order.sound_store.state)
        if self.handed_ms is None or wanted is self.tape:
            return None
        self.tape = wanted
        return Tape(session.turn, wanted)

    def is_due_after(self, now_ms: int) -> bool:
        """Return whether its turn on its gateway comes later: that of a B-leg to a number."""
        return isinstance(self.session, BLegSession) and self.handed_ms is None and self.wanted_ms > now_ms

    def state(self) -> str:
        """Return the state of the session as it is stored."""
        return msgspec.json.encode(self.session.state).decode()


def order_of(key: str, call: Call) -> Dialling | Texting:
    """Return the order to place a call or to send a message."""
    if call.parts:
        return Texting(key, call.dialled, call.callerid, call.text, call.parts)
    limits = call.ring_limit_ms, call.talk_limit_ms
    return Dialling(key, call.dialled, call.callerid, *limits, sound_store=call.sound_store)


def session_of(leg: LineLeg) -> IvrSession:
    """Return the session of the leg of a call.

    Raises:
        TypeError: it is another leg.
    """
    if isinstance(leg.session, IvrSession):
        return leg.session
    raise TypeError(leg.key)


def b_leg_of(leg: LineLeg) -> BLegSession:
    """Return the session of a second leg that is not leaving.

    Raises:
        TypeError: it is another leg.
    """
    if isinstance(leg.session, BLegSession):
        return leg.session
    raise TypeError(leg.key)


def ends_by_ms(leg: LineLeg) -> int:
    """Return the time after which the line itself has certainly ended a leg."""
    order = leg.order
    rings_ms = order.ring_limit_ms if isinstance(order, Dialling) else 0
    limits_ms = 0 if isinstance(order, Texting) else rings_ms + order.talk_limit_ms
    return (leg.handed_ms or leg.wanted_ms) + limits_ms + LEAVING_MS_MAX
