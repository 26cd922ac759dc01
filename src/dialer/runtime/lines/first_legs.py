"""FirstLegs: the legs of calls and messages themselves, and the milestones that they have told of."""

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Final

from dialer.carriers.engine_port import Milestone
from dialer.domain.calls import call_events, events
from dialer.domain.calls.identity import leg_name
from dialer.domain.calls.plans import Call, GatewayKey
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import Arriving, Clear
from dialer.domain.sessions.message_session import MessageSession
from dialer.domain.sessions.session_state import Reaction
from dialer.domain.words.enums import Cause
from dialer.runtime.lines.inbound_calls import Arrivals
from dialer.runtime.lines.line_leg import LineLeg, b_leg_of, order_of, session_of
from dialer.runtime.lines.line_legs import LegNames, LineLegs
from dialer.store.media.call_recordings import new_store


class FirstLegs:
    """The first legs among all legs of one live engine: one for each call, and for each message."""

    def __init__(self, legs: LineLegs, names: LegNames, records: Callable[[GatewayKey], bool]) -> None:
        """Prepare them. `records` says whether the line of a gateway can record calls."""
        self._records: Final = records
        self._legs: Final = legs
        self._names: Final = names
        self.arrivals: Final = Arrivals()
        self._milestones: Final[defaultdict[int, deque[Milestone]]] = defaultdict(deque)
        """Reports of this moment that the kernel has not asked for yet, by call id."""

    def of(self, call_id: int) -> LineLeg:
        """Return the leg of a call in progress.

        Raises:
            KeyError: the call has no leg here.
        """
        leg = self._legs.first(call_id)
        if leg is None:
            raise KeyError(call_id)
        return leg

    def dial(self, call: Call) -> None:
        """Place a call, send a message, or answer a call. A line does so after the commit, and reports on it."""
        gateway_id = call.plan.gateway_id
        came_in = call.is_inbound and not call.parts
        if not call.parts and self._records(gateway_id):
            state = call.plan.recording.state_at_dial(call.callid)
            call.sound_store = None if state is None else new_store(state)
        key = call.callid if came_in else self._names.key(leg_name(call.callid, call.id))
        order = self.arrivals.order(call) if came_in else order_of(key, call)
        session = MessageSession(call) if call.parts else IvrSession(call)
        call.is_over_line = True
        self._legs.dial(self._legs.add_new(LineLeg(key, call.id, gateway_id, order, session, call.started_ms)))

    def turn_away(self, gateway_id: GatewayKey, key: str, cause: Cause) -> None:
        """Refuse an incoming call over its line."""
        self.arrivals.refuse(key, cause)
        self._legs.turn_away(gateway_id, key, Clear(1, cause))

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call, as far as it is known."""
        waiting = self._milestones.pop(call_id, deque())
        found = waiting.popleft() if waiting else None
        if waiting:
            self._milestones[call_id] = waiting
        return found

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Continue a call after a transfer that reached nobody."""
        first = self.of(call_id)
        reaction = session_of(first).transfer_over(now_ms, is_connected=False)
        self._legs.give(first, reaction.orders)
        self._milestones[call_id].extend(Milestone(now_ms, event) for event in reaction.engine_events)
        return self.proceed(call_id)

    def forget(self, call_id: int) -> None:
        """Discard a call. If its line may still have it, end it there."""
        first = self.of(call_id)
        self._legs.give(first, (Clear(first.turn + 1),))
        self._legs.leave_others(call_id)
        self.remove(first)

    def follow(self, leg: LineLeg, reaction: Reaction) -> list[events.Event]:
        """Return the events of the leg of a call. Before its end, its second legs end."""
        self._legs.give(leg, reaction.orders)
        following: list[events.Event] = []
        for event in reaction.engine_events:
            if isinstance(event, call_events.CallEnded):
                following += self._end_others(leg.call_id, event.outcome.ended_ms)
                self.remove(leg)
            following.append(event)
        return following

    def _end_others(self, call_id: int, ended_ms: int) -> list[events.Event]:
        """End all other legs of a call that is over, and return the ends of its second legs."""
        told: list[events.Event] = []
        for leg in self._legs.seconds(call_id):
            session = b_leg_of(leg)
            if session.state.is_taken and leg.handed_ms is not None:
                place = session.state.place if session.state.consulted_by else None
                told.append(call_events.LegEnded(call_id, session.cut(ended_ms), place=place))
        self._legs.leave_others(call_id)
        return told

    def remove(self, leg: LineLeg) -> None:
        """Remove the leg of a call that is over, or was never given to its line."""
        self._legs.remove(leg)
        self._milestones.pop(leg.call_id, None)
        if isinstance(leg.order, Arriving):
            self.arrivals.ended(leg.key)
