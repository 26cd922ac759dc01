"""Switchboard: the carrier of the live engine, which sends each call to the simulator or to the line of its gateway.

It works within a step. Orders for lines are collected, and given to them once the step is committed
(`dialer.runtime.lines`). So no line knows of anything that a rollback takes back.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Final

import msgspec
from sqlalchemy import Connection

from dialer.carriers.carrier import Carrier, Milestone, Taken
from dialer.carriers.port import Alive, Over, Unknown, Unplaced
from dialer.domain import events
from dialer.domain.enums import AmdStatus, Cause, MessageStatus
from dialer.domain.identity import leg_key
from dialer.domain.line import (
    Accepted,
    Answered,
    Arrived,
    Arriving,
    Clear,
    Dialling,
    Ended,
    Heard,
    Order,
    Receipt,
    Texting,
)
from dialer.domain.message_talk import MessageStanding, MessageTalk
from dialer.domain.plans import Call, CallOutcome, LegOutcome, Transfer
from dialer.domain.queueing.plans import AgentPlan
from dialer.domain.talk import Stage, Standing, Talk
from dialer.runtime.arrivals import Arrivals
from dialer.runtime.line_legs import HandOver, LegOrder, LineLeg, LineNews, LineSettings
from dialer.store.live_legs import (
    LegChange,
    LegRow,
    StoredLeg,
    add_legs,
    change_legs,
    delete_legs,
    message_named,
    name_part,
)

STARTING: Final = "it is starting"
"""The reason why a line does not work that has not said that it does."""
_FAILED: Final = Cause.TEMPORARY_FAILURE


class Switchboard:
    """The lines of one live engine, and the simulated carrier for all other gateways."""

    def __init__(self, simulated: Carrier, given: Mapping[str, int]) -> None:
        self._simulated: Final = simulated
        self._given: Final = given
        """The number of the last order that was given to each leg of this process, by key."""
        self.settings: Final[dict[int, LineSettings]] = {}
        """The lines that gateways need, by gateway id."""
        self.service_key: bytes | None = None
        """Key of the names of legs; None while no gateway needs a line."""
        self._legs: Final[dict[int, LineLeg]] = {}
        self._by_key: Final[dict[str, LineLeg]] = {}
        self._fresh: dict[str, LineLeg] = {}
        self._gone: list[str] = []
        self._orders: list[LegOrder] = []
        self._accepted: dict[tuple[int, str], int] = {}
        """The messages that carriers have named since the last step, by gateway and name."""
        self._stored: dict[int, StoredLeg] = {}
        """Legs from the rows whose calls are not restored yet."""
        self._to_follow_up: list[LineLeg] = []
        """Restored legs about which the engine has to be told something."""
        self._arrivals: Final = Arrivals()
        self._failed_ms: dict[int, int] = {}
        """The end of a B-leg that could not be placed, by call id."""

    # --- gateways and rows ------------------------------------------------------------------------------------------

    def open_gateway(self, gateway_id: int, parameters: str) -> None:
        """Simulate the callees of a gateway."""
        self.settings.pop(gateway_id, None)
        self._simulated.open_gateway(gateway_id, parameters)

    def open_line(self, gateway_id: int, settings: LineSettings) -> None:
        """Place the calls of a gateway over a line."""
        self.settings[gateway_id] = settings

    def close_line(self, gateway_id: int) -> None:
        """Close the line of a gateway that was deleted, if it has one."""
        self.settings.pop(gateway_id, None)

    def load(self, stored: Iterable[StoredLeg]) -> None:
        """Take the rows of the legs whose calls are about to be restored."""
        self._stored = {one.call_id: one for one in stored}

    def legs_over(self, gateway_id: int) -> list[LineLeg]:
        """Return the legs that were given to the line of a gateway."""
        return [leg for leg in self._legs.values() if leg.gateway_id == gateway_id and leg.handed_ms is not None]

    def legs_elsewhere(self, gateway_ids: Container[int]) -> list[LineLeg]:
        """Return the legs that were given to lines of other gateways than these, but for messages that have left."""
        elsewhere = (leg for leg in self._legs.values() if leg.gateway_id not in gateway_ids)
        return [leg for leg in elsewhere if leg.handed_ms is not None and not leg.has_left]

    def has_leg(self, key: str) -> bool:
        """Return whether a leg is in progress."""
        return key in self._by_key

    def write(self, connection: Connection) -> None:
        """Write what the step has changed."""
        fresh = [leg for leg in self._fresh.values() if leg.key in self._by_key]
        add_legs(connection, [_row(leg) for leg in fresh])
        changed = [leg for leg in self._legs.values() if leg.is_changed and leg.key not in self._fresh]
        change_legs(connection, [LegChange(leg.standing(), leg.heard_ms, leg.handle, leg.key) for leg in changed])
        for leg in changed:
            leg.is_changed = False
        for (gateway_id, name), message_id in self._accepted.items():
            if message_id in self._legs:
                name_part(connection, gateway_id, message_id, name)
        delete_legs(connection, [key for key in self._gone if key not in self._fresh])
        self._gone, self._accepted = [], {}

    def take_hand_over(self) -> HandOver:
        """Return what the lines are to be given after the commit, once."""
        over = HandOver([leg for leg in self._fresh.values() if leg.key in self._by_key], self._orders)
        self._fresh, self._orders = {}, []
        self._arrivals.clear()
        return over

    # --- orders of the engine ---------------------------------------------------------------------------------------

    def dial(self, call: Call) -> Milestone | None:
        """Place a call, send a message, or answer a call. A line does so after the commit, and tells of it."""
        if call.plan.gateway_id not in self.settings:
            return self._simulated.dial(call)
        came_in = call.is_inbound and not call.parts
        key = call.callid if came_in else leg_key(self.service_key or b"", f"{call.callid}:{call.id}")
        order = self._arrivals.order(call) if came_in else _order(key, call)
        talk = MessageTalk(call) if call.parts else Talk(call)
        self._fresh[key] = self._add(LineLeg(key, call, order, talk, call.started_ms))
        return None

    def turn_away(self, gateway_id: int, key: str, cause: Cause) -> None:
        """Let a line refuse a call that came in."""
        self._arrivals.refuse(key, cause)
        self._orders.append(LegOrder(gateway_id, key, Clear(1, cause)))

    def proceed(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call, as far as it is known."""
        leg = self._legs.get(call_id)
        if leg is None:
            return self._simulated.proceed(call_id)
        failed_ms = self._failed_ms.pop(call_id, None)
        if failed_ms is not None:
            return self._go_on(leg, failed_ms)
        return leg.milestones.popleft() if leg.milestones else None

    def wait(self, call_id: int) -> Milestone | None:
        """Return the next milestone of a call in a queue. A call over a line waits until its caller hangs up."""
        return None if call_id in self._legs else self._simulated.wait(call_id)

    def offer(self, call: Call, agent: AgentPlan, offered_ms: int) -> int | None:
        """Return when an agent takes a call, or None: a call over a line reaches no agent yet."""
        return None if call.id in self._legs else self._simulated.offer(call, agent, offered_ms)

    def connect(self, call_id: int, transfer: Transfer) -> Milestone | None:
        """Dial the B-leg of a transfer. Lines cannot place B-legs yet, so it fails at once."""
        if call_id not in self._legs:
            return self._simulated.connect(call_id, transfer)
        at_ms = self._failed_ms[call_id] = transfer.started_ms or transfer.joined_ms
        return Milestone(at_ms, events.LegEnded(call_id, LegOutcome(at_ms, _FAILED)))

    def resume(self, call_id: int, now_ms: int) -> Milestone | None:
        """Continue a call whose transfer reached nobody."""
        leg = self._legs.get(call_id)
        return self._simulated.resume(call_id, now_ms) if leg is None else self._go_on(leg, now_ms)

    def hang_up(self, call_id: int, now_ms: int) -> tuple[LegOutcome | None, CallOutcome] | None:
        """End a call. A leg that no line has been given yet is over at once; the end of any other is heard."""
        leg = self._legs.get(call_id)
        if leg is None:
            return self._simulated.hang_up(call_id, now_ms)
        if leg.handed_ms is None:
            if isinstance(leg.order, Arriving):
                self._give(leg, (Clear(leg.turn + 1),))
            self._remove(leg)
            status = MessageStatus.UNSENT if leg.call.parts else None
            return None, CallOutcome(now_ms, Cause.NORMAL_CLEARING, message_status=status)
        if isinstance(leg.talk, MessageTalk):
            self._remove(leg)
            return None, leg.talk.give_up(now_ms)
        self._give(leg, leg.talk.hang_up().orders)
        return None

    def forget(self, call_id: int) -> None:
        """Discard a call. If its line may still have it, end it there."""
        leg = self._legs.get(call_id)
        if leg is None:
            self._simulated.forget(call_id)
            return
        self._give(leg, (Clear(leg.turn + 1),))
        self._remove(leg)

    def take_up(self, call: Call, done_until_ms: int) -> Taken:
        """Take up a call that was in progress before this switchboard was made."""
        stored = self._stored.pop(call.id, None)
        if stored is None:
            return self._simulated.take_up(call, done_until_ms)
        leg = self._restored(call, stored)
        is_behind = leg.turn > self._given.get(leg.key, leg.turn)
        if leg.handed_ms is None or is_behind:
            self._to_follow_up.append(leg)
        if not isinstance(leg.talk, Talk):
            return Taken(events.CallRestored(call), None)
        standing = leg.talk.standing
        call.last_seq = standing.seq
        is_reported = standing.answered_ms is not None and standing.stage is not Stage.DETECTING
        answered_ms = standing.answered_ms if is_reported else None
        is_live = standing.amd_status is not AmdStatus.MACHINE
        return Taken(events.CallRestored(call, answered_ms, is_live), None)

    # --- what is heard ----------------------------------------------------------------------------------------------

    def follow_up(self, now_ms: int) -> list[events.Event]:
        """Return the events of restored legs: those that were never given to a line were never placed.

        A leg whose last order did not reach its line begins its section again.
        """
        told: list[events.Event] = []
        for leg in self._to_follow_up:
            if leg.handed_ms is None:
                told += self._never_placed(leg, now_ms)
            else:
                told += self._begin_again(leg, now_ms)
        self._to_follow_up = []
        return told

    def hear(self, connection: Connection, sound: LineNews, now_ms: int) -> list[events.Event] | None:
        """Return the events that follow from something heard; None if it concerns no leg of this worker."""
        if isinstance(sound.heard, Arrived):
            return self._arrived(connection, sound, sound.heard)
        leg = self._leg_of(connection, sound)
        if leg is None:
            return None
        return self._news_of(leg, sound, now_ms)

    def _arrived(self, connection: Connection, sound: LineNews, arrived: Arrived) -> list[events.Event]:
        if sound.key in self._by_key or sound.gateway_id not in self.settings:
            return []
        cause = self._arrivals.heard(connection, sound.key, arrived)
        if cause is None:
            return [events.CallReceived(sound.gateway_id, sound.key, arrived.called, arrived.caller)]
        self.turn_away(sound.gateway_id, sound.key, cause)
        return []

    def _news_of(self, leg: LineLeg, sound: LineNews, now_ms: int) -> list[events.Event]:
        at_ms = min(sound.told_ms, now_ms)
        match sound.heard:
            case Alive(answered):
                turn = leg.turn
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
        return self._heard(leg, sound.heard, at_ms)

    def _leg_of(self, connection: Connection, sound: LineNews) -> LineLeg | None:
        if not sound.key and isinstance(sound.heard, Receipt):
            name = sound.heard.name
            message_id = self._accepted.get((sound.gateway_id, name))
            if message_id is None:
                message_id = message_named(connection, sound.gateway_id, name)
            return None if message_id is None else self._legs.get(message_id)
        leg = self._by_key.get(sound.key)
        return leg if leg is not None and leg.gateway_id == sound.gateway_id else None

    def _heard(self, leg: LineLeg, heard: Heard, at_ms: int) -> list[events.Event]:
        reaction = leg.talk.hear(at_ms, heard)
        leg.heard_ms, leg.is_changed = at_ms, True
        if isinstance(heard, Answered):
            leg.handle = heard.handle
        elif isinstance(heard, Accepted):
            self._accepted.update({(leg.gateway_id, name): leg.call.id for name in heard.names})
        return self._follow(leg, reaction.orders, reaction.reports)

    def _begin_again(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        if not isinstance(leg.talk, Talk):
            return []
        reaction = leg.talk.resume(now_ms)
        return self._follow(leg, reaction.orders, reaction.reports)

    def _follow(self, leg: LineLeg, orders: Iterable[Order], reports: Iterable[events.Report]) -> list[events.Event]:
        self._give(leg, orders)
        told: list[events.Event] = list(reports)
        if any(isinstance(one, events.CallEnded) for one in told):
            self._remove(leg)
        return told

    def _never_placed(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        """Take an attempt back. A message of a call is not sent again, because its call goes on without it.

        A call that came in cannot be made again: it ends.
        """
        if isinstance(leg.order, Arriving):
            self._give(leg, (Clear(leg.turn + 1, _FAILED),))
            return self._heard(leg, Ended(0, _FAILED), now_ms)
        self._remove(leg)
        if leg.call.parent_id is None or not isinstance(leg.talk, MessageTalk):
            return [events.CallTakenBack(leg.call.id)]
        return [events.CallEnded(leg.call.id, leg.talk.never_sent(now_ms))]

    def _lost(self, leg: LineLeg, now_ms: int) -> list[events.Event]:
        """End a leg of which nobody can say anything. An answered call ended when it was heard of last."""
        if isinstance(leg.talk, MessageTalk):
            self._remove(leg)
            return [events.CallEnded(leg.call.id, leg.talk.give_up(now_ms))]
        self._give(leg, (Clear(leg.turn + 1),))
        ended_ms = now_ms if leg.answered_ms is None else leg.heard_ms or leg.answered_ms
        return self._heard(leg, Ended(now_ms - ended_ms, _FAILED), now_ms)

    def _go_on(self, leg: LineLeg, now_ms: int) -> Milestone | None:
        """Continue a call after its transfer. Reports that follow at once are milestones of this moment."""
        if isinstance(leg.talk, Talk):
            reaction = leg.talk.transfer_failed(now_ms)
            self._give(leg, reaction.orders)
            leg.milestones.extend(Milestone(now_ms, report) for report in reaction.reports)
        return leg.milestones.popleft() if leg.milestones else None

    # --- legs -------------------------------------------------------------------------------------------------------

    def _add(self, leg: LineLeg) -> LineLeg:
        leg.call.is_over_line = True
        self._legs[leg.call.id] = self._by_key[leg.key] = leg
        return leg

    def _remove(self, leg: LineLeg) -> None:
        del self._legs[leg.call.id], self._by_key[leg.key]
        self._failed_ms.pop(leg.call.id, None)
        self._gone.append(leg.key)
        if isinstance(leg.order, Arriving):
            self._arrivals.ended(leg.key)

    def _give(self, leg: LineLeg, orders: Iterable[Order]) -> None:
        for order in orders:
            self._orders.append(LegOrder(leg.gateway_id, leg.key, order))
            leg.is_changed = True

    def _restored(self, call: Call, stored: StoredLeg) -> LineLeg:
        talk: Talk | MessageTalk
        if isinstance(stored.order, Texting):
            talk = MessageTalk(call, msgspec.json.decode(stored.standing, type=MessageStanding))
        else:
            talk = Talk(call, msgspec.json.decode(stored.standing, type=Standing))
        leg = LineLeg(stored.key, call, stored.order, talk, stored.wanted_ms)
        leg.handed_ms, leg.heard_ms, leg.handle = stored.handed_ms, stored.heard_ms, stored.handle
        return self._add(leg)


def _order(key: str, call: Call) -> Dialling | Texting:
    if call.parts:
        return Texting(key, call.dialled, call.callerid, call.text, call.parts)
    return Dialling(key, call.dialled, call.callerid, call.ring_limit_ms, call.talk_limit_ms)


def _row(leg: LineLeg) -> LegRow:
    dialling = msgspec.json.encode(leg.order).decode()
    return LegRow(leg.key, leg.call.id, leg.gateway_id, dialling, leg.wanted_ms, leg.standing())
