"""Switchboard: the carrier of all calls over real lines. It drives their sessions, and keeps their legs.

It works within a step. Orders for lines are collected, and given to them once the step is committed
(`dialer.runtime.lines.lines`). So no line knows of anything that a rollback takes back.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection

from dialer.carriers.engine_port import Milestone, Taken
from dialer.carriers.line_port import Alive, Over, Unknown, Unplaced
from dialer.domain.calls import call_events, events
from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import SIP, Call, CallOutcome, GatewayKey
from dialer.domain.queueing.plans import AgentPlan, Preview
from dialer.domain.sessions.b_leg_session import BLegSession
from dialer.domain.sessions.ivr_session import IvrSession
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Arriving,
    Clear,
    Dialling,
    Done,
    Ended,
    LegReport,
    Receipt,
)
from dialer.domain.sessions.message_session import MessageSession
from dialer.domain.sessions.session_state import Stage
from dialer.domain.sessions.supervisor_session import SupervisorSession
from dialer.domain.words.enums import AmdStatus, Cause, MessageStatus
from dialer.runtime.lines.consult_legs import ConsultLegs
from dialer.runtime.lines.first_legs import FirstLegs
from dialer.runtime.lines.line_leg import Leaving, LineLeg, b_leg_of, session_of
from dialer.runtime.lines.line_legs import HandOver, LegNames, LineLegs
from dialer.runtime.lines.line_reports import LineReport, LineSettings
from dialer.runtime.lines.restored_legs import restored
from dialer.runtime.lines.second_legs import SecondLegs
from dialer.runtime.lines.supervisor_legs import SupervisorLegs
from dialer.store.media.call_recordings import resealed
from dialer.store.rows.live_legs import StoredLeg, message_named

_FAILED: Final = Cause.TEMPORARY_FAILURE


class Switchboard:
    """The sessions of the calls over real lines, of one live engine."""

    def __init__(self, given: Mapping[str, int]) -> None:
        self._given: Final = given
        """The number of the last order that was given to each leg of this process, by key."""
        self.settings: Final[dict[GatewayKey, LineSettings]] = {}
        """The lines that gateways need, by gateway id."""
        self.leg_names: Final = LegNames()
        self._legs: Final = LineLegs()
        self.first_leg: Final = self._legs.first
        """Return the leg of a call or a message; None if it is not over a line."""
        self.legs_over: Final = self._legs.over
        """Return the legs that were given to the line of a gateway."""
        self.legs_elsewhere: Final = self._legs.elsewhere
        """Return the legs that were given to lines of other gateways than these, but for messages that have left."""
        self.write: Final = self._legs.write
        """Write the rows of new, changed and removed legs."""
        self._firsts: Final = FirstLegs(self._legs, self.leg_names, self._records)
        self.turn_away: Final = self._firsts.turn_away
        """Refuse an incoming call over its line."""
        self.proceed: Final = self._firsts.proceed
        """Return the next milestone of a call, as far as it is known."""
        self.resume: Final = self._firsts.resume
        """Continue a call whose transfer reached nobody. Return its next milestone."""
        self.forget: Final = self._firsts.forget
        """Discard a call. If its line may still have it, end it there."""
        self._seconds: Final = SecondLegs(self._legs, self._firsts, self.leg_names)
        self.offer: Final = self._seconds.offer
        """Let an agent's telephone ring. An agent without a telephone misses the call at the next step."""
        self.withdraw: Final = self._seconds.withdraw
        """Stop the ringing of an agent's telephone, unless the agent has taken the call."""
        self.connect: Final = self._seconds.connect
        """Connect a call with the agent who took it, or return when the B-leg of its transfer is to be dialled."""
        self.dial_leg: Final = self._seconds.dial
        """Dial the B-leg of a transfer, whose turn on the gateway has come."""
        self.hold: Final = self._seconds.hold
        """Separate a callee from their agent for a hold, or connect them again."""
        self.part: Final = self._seconds.part
        """End the leg of the agent who talks in a call, and return the outcome of the leg."""
        self._consulted: Final = ConsultLegs(self._legs, self._firsts, self._seconds, self.leg_names)
        # Orders about third persons whom agents consult, as `CallPlacer` describes them.
        self.consult: Final = self._consulted.consult
        self.talk_with: Final = self._consulted.talk_with
        self.end_consultation: Final = self._consulted.end_consultation
        self.hand_over: Final = self._consulted.hand_over
        self._supervisors: Final = SupervisorLegs(self._legs, self.leg_names)
        self.supervise: Final = self._supervisors.supervise
        """Make the supervision of a call what is wanted. Return False if there is nobody to hear."""
        self._stored: defaultdict[int, list[StoredLeg]] = defaultdict(list)
        """Legs from the rows whose calls are not restored yet."""
        self._to_follow_up: list[LineLeg] = []
        """Restored legs about which the engine has to be told something."""
        self._recorded: list[LineLeg] = []
        """Restored legs that are recorded."""

    # --- gateways and rows ------------------------------------------------------------------------------------------

    def open_gateway(self, gateway_id: GatewayKey, parameters: str) -> None:
        """Do nothing: the settings of a line come with its protocol (`open_line`)."""

    def open_line(self, gateway_id: GatewayKey, settings: LineSettings) -> None:
        """Place the calls of a gateway over a line."""
        self.settings[gateway_id] = settings

    def _records(self, gateway_id: GatewayKey) -> bool:
        """Return whether calls of a gateway can be recorded: FreeSWITCH has their sound, and not we."""
        settings = self.settings.get(gateway_id)
        return settings is not None and settings.protocol == SIP

    def close_line(self, gateway_id: GatewayKey) -> None:
        """Close the line of a gateway that was deleted or is simulated, if it has one."""
        self.settings.pop(gateway_id, None)

    def load(self, stored: Iterable[StoredLeg], leaving: Iterable[StoredLeg]) -> None:
        """Take the rows of the legs whose calls are about to be restored, and of those that are leaving."""
        for one in stored:
            self._stored[one.call_id].append(one)
        for one in leaving:
            self._legs.add_leaving(one)

    def has_stored(self, call_id: int) -> bool:
        """Return whether a call that is about to be restored has the row of its leg."""
        return any(not stored.place for stored in self._stored.get(call_id, [])[:1])

    def has_leg(self, key: str) -> bool:
        """Return whether a leg is in progress."""
        return self._legs.by_key(key) is not None

    def take_hand_over(self) -> HandOver:
        """Return the new legs and orders for the lines, which get them after the commit. A second call returns none."""
        self._firsts.arrivals.clear()
        return self._legs.take_hand_over()

    # --- orders of the engine ---------------------------------------------------------------------------------------

    def dial(self, call: Call) -> Milestone | None:
        """Place a call, send a message, or answer a call. A line does so after the commit, and reports on it."""
        self._firsts.dial(call)
        return None

    def wait(self, call_id: int) -> Milestone | None:
        """Return None: a call in a queue waits until its caller hangs up."""

    def preview(self, gateway_id: GatewayKey, agent: AgentPlan, preview: Preview) -> None:
        """Do nothing: the agents of a line decide at their desks."""

    def tape(self, call_id: int) -> None:
        """Let the recording of a call become as it is wanted by now, and end a talk whose program has completed it."""
        first = self._firsts.of(call_id)
        session = first.session
        self._legs.give(first, session.complete_conversation() if isinstance(session, IvrSession) else ())

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome] | None:
        """End a call. A leg that no line has been given yet is over at once; the end of any other is heard."""
        first = self._firsts.of(call_id)
        if first.handed_ms is None:
            if isinstance(first.order, Arriving):
                self._legs.give(first, (Clear(first.turn + 1),))
            self._firsts.remove(first)
            status = MessageStatus.UNSENT if isinstance(first.session, MessageSession) else None
            return None, CallOutcome(now_ms, Cause.NORMAL_CLEARING, message_status=status)
        if isinstance(first.session, MessageSession):
            self._firsts.remove(first)
            return None, first.session.give_up(now_ms)
        self._legs.give(first, session_of(first).hang_up().orders)
        self._seconds.hang_up(call_id)
        self._supervisors.stop(call_id)
        return None

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Continue a call that was in progress before this switchboard was made."""
        call.is_over_line = True
        first, *seconds = [self._legs.add(restored(stored, call)) for stored in self._stored.pop(call.id)]
        due = [leg for leg in seconds if leg.is_due_after(done_until_ms)]
        for leg in (first, *seconds):
            leg.is_in_doubt = leg.handed_ms is not None and leg.key not in self._given
            is_behind = leg.turn > self._given.get(leg.key, leg.turn)
            if leg.is_odd or (leg not in due and (leg.handed_ms is None or is_behind)):
                self._to_follow_up.append(leg)
        if isinstance(first.order, Dialling | Arriving) and first.order.sound_store is not None:
            call.sound_store = resealed(first.order.sound_store)
            self._recorded.append(first)
        session = first.session
        if not isinstance(session, IvrSession):
            return Taken(call_events.CallRestored(call), None)
        call.last_seq = session.seq
        answered_ms = None if session.stage is Stage.DETECTING else session.answered_ms
        is_live = session.amd_status is not AmdStatus.MACHINE
        milestones = [Milestone(leg.wanted_ms, call_events.LegDue(call.id, b_leg_of(leg).state.place)) for leg in due]
        return Taken(call_events.CallRestored(call, answered_ms, is_live), milestones[0] if milestones else None)

    # --- what is heard ----------------------------------------------------------------------------------------------

    def follow_up(self, now_ms: int) -> list[events.Event]:
        """Return the events of restored legs: those that were never given to a line were never placed.

        A leg whose last order did not reach its line begins its section again.
        """
        told: list[events.Event] = [*self._seconds.take_missed()]
        for leg in self._recorded:
            # An order of the last engine may not have reached the line.
            self._legs.give(leg, ())
        self._recorded = []
        for leg in self._to_follow_up:
            if not self.has_leg(leg.key):
                continue
            if leg.is_odd:
                told += self.end(leg.gateway_id, leg.key, now_ms)
            elif leg.handed_ms is None:
                told += self._never_placed(leg, now_ms)
            else:
                told += self._begin_again(leg, now_ms)
        self._to_follow_up = []
        return told

    def hear(self, connection: Connection, sound: LineReport, now_ms: int) -> list[events.Event] | None:
        """Return the events that follow from a line's report; None if its leg belongs to no call of this worker."""
        if isinstance(sound.heard, Arrived):
            return self._arrived(connection, sound, sound.heard)
        leg = self._leg_of(connection, sound)
        if leg is None:
            return None
        if leg.is_leaving:
            return self._legs.hear_leaving(leg, sound.heard)
        was_in_doubt, leg.is_in_doubt = leg.is_in_doubt, False
        told = self._news_of(leg, sound, now_ms)
        return [*told, *self._seconds.found(leg)] if was_in_doubt and self.has_leg(leg.key) else told

    def end(self, gateway_id: GatewayKey, key: str, now_ms: int) -> list[events.Event]:
        """Return the events that end a leg whose reports cannot be handled any more."""
        leg = self._legs.by_key(key)
        if leg is None or leg.gateway_id != gateway_id or leg.has_left:
            return []
        if leg.is_leaving:
            return self._legs.hear_leaving(leg, Alive())
        told = self._lost(leg, now_ms)
        self._legs.linger(leg)
        return told

    def _arrived(self, connection: Connection, sound: LineReport, arrived: Arrived) -> list[events.Event]:
        if self.has_leg(sound.key) or sound.gateway_id not in self.settings:
            return []
        if (cause := self._firsts.arrivals.heard(connection, sound.key, arrived)) is None:
            return [call_events.CallReceived(sound.gateway_id, sound.key, arrived.called, arrived.caller)]
        self.turn_away(sound.gateway_id, sound.key, cause)
        return []

    def _news_of(self, leg: LineLeg, sound: LineReport, now_ms: int) -> list[events.Event]:
        at_ms = min(sound.told_ms, now_ms)
        match sound.heard:
            case Alive(answered):
                turn, leg.tape = leg.turn, None  # Another process may have it, with what was wanted a moment ago.
                told = [] if answered is None else self._heard(leg, answered, at_ms)
                # An answer that is news has given its first order.
                return told if leg.turn != turn else [*told, *self._begin_again(leg, now_ms)]
            case Over(ended, answered):
                told = [] if answered is None else self._heard(leg, answered, at_ms)
                return told + self._heard(leg, ended, at_ms)
            case Unknown() | Unplaced() if leg.has_left:
                return []
            case Unplaced() if leg.answered_ms is None:
                return self._never_placed(leg, now_ms)
            case Unknown() | Unplaced():
                return self._lost(leg, now_ms)
            case heard:
                return self._heard(leg, heard, at_ms)

    def _leg_of(self, connection: Connection, sound: LineReport) -> LineLeg | None:
        if not sound.key and isinstance(sound.heard, Receipt):
            name = sound.heard.name
            message_id = self._legs.accepted.get((sound.gateway_id, name))
            if message_id is None:
                message_id = message_named(connection, sound.gateway_id, name)
            return None if message_id is None else self._legs.first(message_id)
        leg = self._legs.by_key(sound.key)
        return leg if leg is not None and leg.gateway_id == sound.gateway_id else None

    def _heard(self, leg: LineLeg, heard: LegReport, at_ms: int) -> list[events.Event]:
        leg.heard_ms, leg.is_changed = at_ms, True
        if isinstance(heard, Answered):
            leg.handle = heard.handle
        elif isinstance(heard, Accepted):
            self._legs.accepted.update({(leg.gateway_id, name): leg.call_id for name in heard.names})
        session = leg.session
        if isinstance(session, BLegSession):
            return self._seconds.follow(leg, session.hear(at_ms, heard))
        if isinstance(session, SupervisorSession):
            return self._supervisors.hear(leg, session, heard, at_ms)
        if _is_end_of_bridge(session, heard):
            self._seconds.clear_all(leg.call_id)
        return [] if isinstance(session, Leaving) else self._firsts.follow(leg, session.hear(at_ms, heard))

    def _begin_again(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        session = leg.session
        if isinstance(session, BLegSession):
            told = self._seconds.follow(leg, session.resume())
            for third in self._seconds.consulted_by(leg):
                told += self._seconds.follow(third, b_leg_of(third).resume())
            return told
        if isinstance(session, SupervisorSession):
            self._legs.give(leg, session.resume())
            return []
        return self._firsts.follow(leg, session.resume(now_ms)) if isinstance(session, IvrSession) else []

    def _never_placed(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        """Take an attempt back. A message of a call is never sent, and a call that came in ends."""
        if isinstance(leg.order, Arriving):
            self._legs.give(leg, (Clear(leg.turn + 1, _FAILED),))
            return self._heard(leg, Ended(0, _FAILED), now_ms)
        session = leg.session
        if isinstance(session, SupervisorSession):
            return self._supervisors.hear(leg, session, Ended(0, _FAILED), now_ms)
        if isinstance(session, BLegSession):
            return self._seconds.over(leg, LegOutcome(session.state.began_ms, _FAILED))
        self._firsts.remove(leg)
        if isinstance(session, MessageSession) and session.message.parent_id is not None:
            return [call_events.CallEnded(leg.call_id, session.never_sent(now_ms))]
        return [call_events.CallTakenBack(leg.call_id)]

    def _lost(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        """End a leg of which nobody can say anything. An answered call ended when it was heard of last."""
        if isinstance(leg.session, MessageSession):
            self._firsts.remove(leg)
            return [call_events.CallEnded(leg.call_id, leg.session.give_up(now_ms))]
        self._legs.give(leg, (Clear(leg.turn + 1),))
        ended_ms = now_ms if leg.answered_ms is None else leg.heard_ms or leg.answered_ms
        received_ms = leg.session.state.received_ms if isinstance(leg.session, BLegSession) else None
        if received_ms is not None:
            # The third person got the callee, though the line said nothing since then.
            ended_ms = max(ended_ms, received_ms + 1)
        is_cut_off = isinstance(leg.order, Dialling) and leg.answered_ms is None
        return self._heard(leg, Ended(now_ms - ended_ms, _FAILED, is_cut_off=is_cut_off), now_ms)


def _is_end_of_bridge(session: IvrSession | MessageSession | Leaving, heard: LegReport) -> bool:
    if not (isinstance(session, IvrSession) and isinstance(heard, Done)):
        return False
    return heard.turn == session.turn and session.stage is Stage.BRIDGED
