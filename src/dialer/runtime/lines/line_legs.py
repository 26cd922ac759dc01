"""LineLegs: the legs over lines of one live engine, with their rows and with everything that the lines are to be given.

A call over a line has one leg, and its transfers have more: second legs, to a number or to agents. A supervisor who
hears the call has a leg, too. A leg that nobody
needs any more is leaving: it has been told to end, and its row stays until the line says that it is over.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection

from dialer.carriers.line_port import Alive, Found, Over, Unknown, Unplaced
from dialer.domain.calls.events import Event
from dialer.domain.calls.identity import leg_key
from dialer.domain.calls.plans import Call, GatewayKey, LegOutcome
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Clear,
    Dialling,
    Done,
    Ended,
    Leg,
    LegReport,
    Order,
    Receipt,
    Ringing,
    Texting,
    TextReceived,
)
from dialer.domain.sessions.message_session import MessageSession, MessageSessionState
from dialer.domain.sessions.session_state import SessionState
from dialer.domain.sessions.supervisor_session import SUPERVISOR_PLACE, SupervisorSession, SupervisorState
from dialer.domain.words.enums import Cause, SupervisionMode
from dialer.store.queries.readable_rows import UNREADABLE
from dialer.store.rows.live_legs import LegChange, LegRow, StoredLeg, add_legs, change_legs, delete_legs, name_part

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
        "is_leaving",
        "is_odd",
        "key",
        "order",
        "session",
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
        self.is_leaving = False
        self.is_odd = False
        """True if its row cannot be read: nobody knows what became of it."""

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
            return self.order
        return msgspec.structs.replace(self.order, cps_max=cps_max)

    def is_due_after(self, now_ms: int) -> bool:
        """Return whether its turn on its gateway comes later: that of a B-leg to a number."""
        return isinstance(self.session, BLegSession) and self.handed_ms is None and self.wanted_ms > now_ms

    def state(self) -> str:
        """Return the state of the session as it is stored."""
        return msgspec.json.encode(self.session.state).decode()


class HandOver(NamedTuple):
    """Everything that a committed step has for the lines."""

    dials: list[LineLeg]
    orders: list[LegOrder]


class LegNames:
    """The names of legs for their carriers."""

    def __init__(self) -> None:
        self.service_key: bytes | None = None
        """Key of the names of legs; None while no gateway needs a line."""

    def key(self, name: str) -> str:
        """Return the name of a leg for its carrier."""
        return leg_key(self.service_key or b"", name)


class LineLegs:
    """The legs of one live engine. Changes are written, and orders handed over, at the end of a step."""

    def __init__(self) -> None:
        self._firsts: Final[dict[int, LineLeg]] = {}
        self.first: Final[Callable[[int], LineLeg | None]] = self._firsts.get
        """Return the leg of a call or a message; None if it is not over a line."""
        self._seconds: Final[dict[int, list[LineLeg]]] = {}
        self._supervisors: Final[dict[int, LineLeg]] = {}
        self.supervisor: Final[Callable[[int], LineLeg | None]] = self._supervisors.get
        """Return the leg of the supervisor of a call; None if there is none, or it is leaving."""
        self._by_key: Final[dict[str, LineLeg]] = {}
        self._new: list[LineLeg] = []
        """Legs without a row."""
        self._dials: list[LineLeg] = []
        self._gone: list[str] = []
        self._orders: list[LegOrder] = []
        self.accepted: Final[dict[tuple[GatewayKey, str], int]] = {}
        """The messages that carriers have named since the last step, by gateway and name."""

    def __iter__(self) -> Iterator[LineLeg]:
        return iter(self._by_key.values())

    def over(self, gateway_id: GatewayKey) -> list[LineLeg]:
        """Return the legs that were given to the line of a gateway."""
        return [leg for leg in self if leg.gateway_id == gateway_id and leg.handed_ms is not None]

    def elsewhere(self, gateway_ids: Container[GatewayKey]) -> list[LineLeg]:
        """Return the legs that were given to lines of other gateways than these, but for messages that have left."""
        elsewhere = (leg for leg in self if leg.gateway_id not in gateway_ids)
        return [leg for leg in elsewhere if leg.handed_ms is not None and not leg.has_left]

    def seconds(self, call_id: int) -> list[LineLeg]:
        """Return the second legs of a call that are not leaving."""
        return list(self._seconds.get(call_id, ()))

    def by_key(self, key: str) -> LineLeg | None:
        """Return a leg by its name."""
        return self._by_key.get(key)

    # --- changes ----------------------------------------------------------------------------------------------------

    def add(self, leg: LineLeg) -> LineLeg:
        """Add a leg whose row exists already."""
        self._by_key[leg.key] = leg
        if isinstance(leg.session, BLegSession):
            self._seconds.setdefault(leg.call_id, []).append(leg)
        elif isinstance(leg.session, SupervisorSession):
            self._supervisors[leg.call_id] = leg
        elif not leg.is_leaving:
            self._firsts[leg.call_id] = leg
        return leg

    def add_new(self, leg: LineLeg) -> LineLeg:
        """Add a leg that this step decided on. Its row is written with the step."""
        self._new.append(leg)
        return self.add(leg)

    def add_leaving(self, stored: StoredLeg) -> None:
        """Add a stored leg that was ending, and repeat the order to end."""
        try:
            session = Leaving(msgspec.json.decode(stored.standing, type=BLegSessionState))
        except UNREADABLE:
            session = Leaving(BLegSessionState(0, turn=LAST_TURN))
        leg = LineLeg(stored.key, stored.call_id, stored.gateway_id, stored.order, session, stored.wanted_ms)
        leg.is_leaving = True
        _fill(self.add(leg), stored)
        self.give(leg, (Clear(leg.turn + 1),))

    def dial(self, leg: LineLeg) -> None:
        """Give a leg to its line after the commit, unless it is gone by then."""
        self._dials.append(leg)

    def give(self, leg: LineLeg, orders: Iterable[Order]) -> None:
        """Give orders to a leg after the commit."""
        for order in orders:
            self._orders.append(LegOrder(leg.gateway_id, leg.key, order))
            leg.is_changed = True

    def turn_away(self, gateway_id: GatewayKey, key: str, order: Clear) -> None:
        """End a call that came in, and is no leg, after the commit."""
        self._orders.append(LegOrder(gateway_id, key, order))

    def remove(self, leg: LineLeg) -> None:
        """Remove a leg that is over, or was never given to its line."""
        if self._by_key.pop(leg.key, None) is not None:
            self._gone.append(leg.key)
            if not leg.is_leaving:
                self._detach(leg)

    def hold(self, call_id: int, *, is_held: bool) -> None:
        """Part a callee from their agent, so that the callee hears music, or connect them again."""
        first = self._firsts.get(call_id)
        if first is None:
            return
        self.give(first, session_of(first).hold(is_held=is_held).orders)
        for leg in self.seconds(call_id):
            self.give(leg, b_leg_of(leg).hold(is_held=is_held).orders)
            leg.is_changed = True

    def withdraw(self, call_id: int, agent_id: int) -> None:
        """Stop the ringing of an agent's telephone, unless the agent has taken the call."""
        for leg in self.seconds(call_id):
            state = b_leg_of(leg).state
            if state.agent_id == agent_id and not state.is_taken:
                self.leave(leg)

    def dial_second(self, call_id: int, place: int) -> None:
        """Dial the B-leg of a transfer, whose turn on the gateway has come."""
        for leg in self.seconds(call_id):
            if leg.handed_ms is None and b_leg_of(leg).state.place == place:
                self.dial(leg)

    def part(self, call_id: int, now_ms: int) -> LegOutcome:
        """End the leg of the agent who talks in a call, let the callee wait, and return the outcome of the leg."""
        first = self._firsts[call_id]
        session = session_of(first)
        self.give(first, session.part().orders)
        first.is_changed = True
        answered_ms = session.call.transfers[-1].answered_ms
        outcome = LegOutcome(now_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True)
        for leg in self.seconds(call_id):
            if b_leg_of(leg).state.is_taken:
                outcome = b_leg_of(leg).cut(now_ms)
                self.leave(leg)
        return outcome

    def leave(self, leg: LineLeg) -> None:
        """End a second leg or a supervisor's leg that the call does not need any more."""
        if leg.handed_ms is None:
            self.remove(leg)
            return
        self._detach(leg)
        leg.is_leaving = True
        if isinstance(leg.session, BLegSession | SupervisorSession):
            self.give(leg, (leg.session.clear(),))

    def linger(self, leg: LineLeg) -> None:
        """Let the row of a leg that was removed stay until the leg is over, so that another process can end it."""
        if leg.handed_ms is not None and leg.key in self._gone and not isinstance(leg.session, MessageSession):
            self._gone.remove(leg.key)
            leg.session = Leaving(BLegSessionState(0, turn=leg.turn))
            leg.is_leaving = leg.is_changed = True
            self._by_key[leg.key] = leg

    def hear_leaving(self, leg: LineLeg, heard: LegReport | Found) -> list[Event]:
        """Remove a leg that is over, and repeat the order to end to any other leg. Return no events."""
        match heard:
            case Ended() | Over() | Unknown() | Unplaced():
                self.remove(leg)
            case Alive():
                self.give(leg, (Clear(leg.turn + 1),))
            case Arrived() | Ringing() | Answered() | Done() | Accepted() | Receipt() | TextReceived():
                pass
        return []

    def leave_others(self, call_id: int) -> None:
        """End all legs of a call except the callee's."""
        for leg in (*self.seconds(call_id), *filter(None, [self.supervisor(call_id)])):
            self.leave(leg)

    def _detach(self, leg: LineLeg) -> None:
        if isinstance(leg.session, SupervisorSession):
            del self._supervisors[leg.call_id]
            return
        if not isinstance(leg.session, BLegSession):
            del self._firsts[leg.call_id]
            return
        others = [one for one in self._seconds.get(leg.call_id, ()) if one is not leg]
        if others:
            self._seconds[leg.call_id] = others
        else:
            self._seconds.pop(leg.call_id, None)

    # --- the end of a step ------------------------------------------------------------------------------------------

    def write(self, connection: Connection, now_ms: int) -> None:
        """Write the rows of new, changed and removed legs."""
        self._forget_lost(now_ms)
        fresh = [leg for leg in self._new if leg.key in self._by_key]
        add_legs(connection, [_row(leg) for leg in fresh])
        keys = {leg.key for leg in self._new}
        changed = [leg for leg in self if leg.is_changed and leg.key not in keys]
        change_legs(connection, [_change(leg) for leg in changed])
        for leg in changed:
            leg.is_changed = False
        for (gateway_id, name), message_id in self.accepted.items():
            if message_id in self._firsts:
                name_part(connection, gateway_id, message_id, name)
        delete_legs(connection, [key for key in self._gone if key not in keys])
        self._new, self._gone = [], []
        self.accepted.clear()

    def take_hand_over(self) -> HandOver:
        """Return the new legs and orders for the lines, which get them after the commit. A second call returns none."""
        over = HandOver([leg for leg in self._dials if leg.key in self._by_key], self._orders)
        self._dials, self._orders = [], []
        return over

    def _forget_lost(self, now_ms: int) -> None:
        for leg in [leg for leg in self if leg.is_leaving and now_ms >= _ends_by_ms(leg)]:
            del self._by_key[leg.key]
            self._gone.append(leg.key)


def restored(stored: StoredLeg, call: Call) -> LineLeg:
    """Return a leg as its row describes it. If that cannot be read, the leg is odd, and has to end."""
    try:
        session, is_odd = _session(stored, call), stored.is_odd
    except UNREADABLE:
        session, is_odd = _no_session(stored, call), True
    leg = LineLeg(stored.key, call.id, stored.gateway_id, stored.order, session, stored.wanted_ms)
    leg.is_odd = is_odd
    return _fill(leg, stored)


def _session(stored: StoredLeg, call: Call) -> Session:
    if isinstance(stored.order, Texting):
        return MessageSession(call, msgspec.json.decode(stored.standing, type=MessageSessionState))
    if stored.place == SUPERVISOR_PLACE:
        return SupervisorSession(msgspec.json.decode(stored.standing, type=SupervisorState))
    if stored.place:
        return BLegSession(call, msgspec.json.decode(stored.standing, type=BLegSessionState))
    return IvrSession.continued(call, msgspec.json.decode(stored.standing, type=SessionState))


def _no_session(stored: StoredLeg, call: Call) -> Session:
    """Return the session of a leg of which nothing is known. Its line takes no order after the next one."""
    if call.parts:
        return MessageSession(call)
    if stored.place == SUPERVISOR_PLACE:
        return SupervisorSession(SupervisorState(stored.place, 0, 0, "", "", SupervisionMode.LISTEN, turn=LAST_TURN))
    if stored.place:
        return BLegSession(call, BLegSessionState(stored.place, turn=LAST_TURN))
    return IvrSession(call, turn=LAST_TURN)


def _fill(leg: LineLeg, stored: StoredLeg) -> LineLeg:
    leg.handed_ms, leg.heard_ms, leg.handle = stored.handed_ms, stored.heard_ms, stored.handle
    return leg


def order_of(key: str, call: Call) -> Dialling | Texting:
    """Return the order to place a call or to send a message."""
    if call.parts:
        return Texting(key, call.dialled, call.callerid, call.text, call.parts)
    return Dialling(key, call.dialled, call.callerid, call.ring_limit_ms, call.talk_limit_ms)


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


def _ends_by_ms(leg: LineLeg) -> int:
    """Return the time after which the line itself has certainly ended a leg."""
    order = leg.order
    rings_ms = order.ring_limit_ms if isinstance(order, Dialling) else 0
    limits_ms = 0 if isinstance(order, Texting) else rings_ms + order.talk_limit_ms
    return (leg.handed_ms or leg.wanted_ms) + limits_ms + LEAVING_MS_MAX


def _row(leg: LineLeg) -> LegRow:
    dialling = msgspec.json.encode(leg.order).decode()
    place = leg.session.state.place if isinstance(leg.session, BLegSession | SupervisorSession) else 0
    return LegRow(leg.key, leg.call_id, place, *leg.gateway_id, dialling, leg.wanted_ms, leg.state())


def _change(leg: LineLeg) -> LegChange:
    return LegChange(leg.state(), leg.heard_ms, leg.handle, leg.is_leaving, leg.key)
