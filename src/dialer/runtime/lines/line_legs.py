"""LineLegs: the legs over lines of one live engine, with their rows and with everything that the lines are to be given.

A call over a line has one leg, and its transfers have more: second legs, to a number or to agents. A supervisor who
hears the call has a leg, too. A leg that nobody needs any more is leaving: it has been told to end, and its row stays
until the line says that it is over.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection

from dialer.carriers.line_port import Alive, Found, Over, Unknown, Unplaced
from dialer.domain.calls.events import Event
from dialer.domain.calls.identity import leg_key
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.sessions.b_leg_session import BLegSession, BLegSessionState
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Clear,
    Done,
    Ended,
    LegReport,
    Order,
    Receipt,
    Ringing,
    TextReceived,
)
from dialer.domain.sessions.message_session import MessageSession
from dialer.domain.sessions.supervisor_session import SupervisorSession
from dialer.runtime.lines.begun_recordings import note_recordings
from dialer.runtime.lines.line_leg import Leaving, LegOrder, LineLeg, ends_by_ms
from dialer.runtime.lines.restored_legs import leaving
from dialer.store.rows.live_legs import LegChange, LegRow, StoredLeg, add_legs, change_legs, delete_legs, name_part


class HandOver(NamedTuple):
    """Everything that a committed step has for the lines."""

    dials: list[LineLeg]
    orders: list[LegOrder]


class LegNames:
    """The names of legs for their carriers."""

    def __init__(self) -> None:
        self.service_key: bytes | None = None
        """Secret from which the names of legs are made; None while no gateway needs a line."""

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
        leg = self.add(leaving(stored))
        self.give(leg, (Clear(leg.turn + 1),))

    def dial(self, leg: LineLeg) -> None:
        """Give a leg to its line after the commit, unless it is gone by then."""
        self._dials.append(leg)

    def give(self, leg: LineLeg, orders: Iterable[Order]) -> None:
        """Give orders to a leg after the commit. Before them, its recording becomes as it is wanted by now."""
        tape = leg.tape_order()
        for order in orders if tape is None else (tape, *orders):
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
        if taped := [leg for leg in changed if leg.tape is not leg.noted]:
            note_recordings(connection, taped, now_ms)
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
        for leg in [leg for leg in self if leg.is_leaving and now_ms >= ends_by_ms(leg)]:
            del self._by_key[leg.key]
            self._gone.append(leg.key)


def _row(leg: LineLeg) -> LegRow:
    dialling = msgspec.json.encode(leg.order).decode()
    place = leg.session.state.place if isinstance(leg.session, BLegSession | SupervisorSession) else 0
    return LegRow(leg.key, leg.call_id, place, *leg.gateway_id, dialling, leg.wanted_ms, leg.state())


def _change(leg: LineLeg) -> LegChange:
    return LegChange(leg.state(), leg.heard_ms, leg.handle, leg.is_leaving, leg.key)
