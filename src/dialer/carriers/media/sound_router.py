"""The sound of all legs of a process: orders, bridges and rooms."""

from collections.abc import Iterator
from typing import Final, TypeAlias, assert_never

import msgspec

from dialer.carriers.media.conference_rooms import MEMBERS_MAX, Conferring, mix
from dialer.carriers.media.conversing import Conversing
from dialer.carriers.media.detection_orders import AwaitingBeep, Detecting
from dialer.carriers.media.media_address import Address, Rank
from dialer.carriers.media.orders_in_progress import (
    Activity,
    Asking,
    Bridging,
    Playing,
    PlayingHoldSound,
    Unanswered,
)
from dialer.carriers.media.recording import Recording
from dialer.carriers.media.rtp import FRAME_SAMPLES
from dialer.carriers.media.sound_leg import SoundLeg
from dialer.carriers.media.supervision import Supervising
from dialer.domain.sessions.leg_protocol import (
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Converse,
    Detect,
    Done,
    Hold,
    Order,
    Play,
    Record,
    Supervise,
    Tape,
)

PHASES: Final = 4
"""A tick is a quarter of a frame, and belongs to a quarter of the legs."""
_SAMPLES_A_TICK: Final = FRAME_SAMPLES // PHASES


class SendSound(msgspec.Struct, frozen=True, gc=False):
    """A packet to send from the socket of a leg."""

    key: str
    data: bytes
    destination: Address
    is_report: bool = False
    """True if it leaves from the socket for reports."""


class SoundLost(msgspec.Struct, frozen=True):
    """The other side of a leg has sent no sound for too long."""

    key: str


class OrderDone(msgspec.Struct, frozen=True):
    """An order of a leg is done. The recording is complete if there is one: its name and its sound as µ-law."""

    key: str
    done: Done
    recording: tuple[str, bytes] | None = None


class SoundTaped(msgspec.Struct, frozen=True, gc=False):
    """The next block of the recording of both sides of a leg."""

    key: str
    block: bytes


SoundOutput: TypeAlias = SendSound | OrderDone | SoundLost | SoundTaped


class SoundRouter:
    """The sound of all legs of one process, without sockets and clock."""

    def __init__(self) -> None:
        self._phases: list[dict[str, SoundLeg]] = [{} for _ in range(PHASES)]
        self._legs: dict[str, SoundLeg] = {}
        self._ends: list[OrderDone] = []
        self._ticks = 0
        self._later: dict[int, list[SendSound]] = {}
        """Pieces of packets for those who take short ones only, by the tick at which they are sent."""
        self.strangers = 0
        """Datagrams that were thrown away for their source alone."""

    def add(self, leg: SoundLeg) -> None:
        """Add a leg, whose packets are sent from now on."""
        self._legs[leg.key] = leg
        min(self._phases, key=len)[leg.key] = leg

    def release(self, key: str) -> SoundLeg | None:
        """Remove a leg without its bridge, and return it for another router; None if it is gone.

        It is silent until its next order, if it played music: that may be long, and would go along.
        """
        leg = self._take_out(key)
        if leg is not None:
            if isinstance(leg.activity, PlayingHoldSound):
                leg.begin(Activity(leg.activity.turn))
            self._unbridge(leg)
            self._end_supervision(leg)
        return leg

    def _take_out(self, key: str) -> SoundLeg | None:
        for phase in self._phases:
            phase.pop(key, None)
        return self._legs.pop(key, None)

    def remove(self, key: str) -> tuple[str, bytes] | None:
        """Forget a leg. Return the recording that was in progress, its name and its sound, if any."""
        leg = self._take_out(key)
        if leg is None:
            return None
        self._part(leg)
        self._end_supervision(leg)
        activity = leg.activity
        return (activity.name, activity.sound) if isinstance(activity, Recording) else None

    def leg(self, key: str) -> SoundLeg | None:
        """Return the sound of a leg by its key; None if the leg is gone."""
        return self._legs.get(key)

    def perform(self, key: str, order: Order, prompt: bytes = b"") -> None:
        """Begin an order; `prompt` is its sound as µ-law. An order that is not of sound is ignored."""
        leg = self._legs.get(key)
        if leg is None or isinstance(order, Clear | Tape) or order.turn <= leg.activity.turn:
            return
        if isinstance(order, Converse) and order.goes_on and isinstance(leg.activity, Conversing):
            leg.activity.continue_as(order)
            return
        self._unbridge(leg)
        self._unlink(leg.activity)
        if isinstance(order, Confer) and len(self._members(order.room)) >= MEMBERS_MAX:
            leg.begin(Playing(order.turn, b""))
        elif isinstance(order, Bridge):
            self._bridge(leg, order)
        elif isinstance(order, Supervise):
            self._supervise(leg, order)
        else:
            leg.begin(_activity(order, prompt, leg.activity))

    def _bridge(self, leg: SoundLeg, order: Bridge) -> None:
        """Pass on the sound of two legs to each other. Without the other leg, the order is done at once."""
        other = self._legs.get(order.other)
        if other is None or other is leg:
            leg.begin(Playing(order.turn, b""))
            return
        self._unbridge(other)
        leg.begin(Bridging(order.turn))
        if not isinstance(other.activity, Bridging):
            other.begin(Activity(other.activity.turn))
        leg.join(other)
        other.join(leg)

    def _supervise(self, leg: SoundLeg, order: Supervise) -> None:
        """Let a leg hear two others. Without both of them, the order is done at once."""
        talkers = [self._legs.get(key) for key in {order.callee, order.agent} - {leg.key}]
        supervising = Supervising(order)
        leg.begin(supervising)
        supervising.is_over = len(talkers) < len(supervising.talkers) or None in talkers
        for talker in talkers:
            if talker is not None and not supervising.is_over:
                self._end_supervision(talker)
                talker.supervision = supervising

    def _end_supervision(self, leg: SoundLeg) -> None:
        """End the supervision of a leg, or by it."""
        for supervising in (leg.supervision, leg.activity):
            if isinstance(supervising, Supervising):
                supervising.is_over = True
                self._unlink(supervising)
        leg.supervision = None

    def _unlink(self, activity: Activity) -> None:
        """Let nobody hear a supervisor any more whose order is over."""
        if isinstance(activity, Supervising):
            for key in activity.talkers:
                talker = self._legs.get(key)
                if talker is not None and talker.supervision is activity:
                    talker.supervision = None

    def _unbridge(self, leg: SoundLeg) -> None:
        other = leg.bridged
        if other is not None:
            leg.join(None)
            other.join(None)

    def receive(self, now_ms: int, key: str, data: bytes, source: Address) -> SendSound | None:
        """Take a datagram of a leg. Return the packet that passes it on, if the leg is bridged."""
        leg = self._legs.get(key)
        if leg is None or (source != leg.peer.heard and leg.peer.rank_of(source) is Rank.STRANGER):
            self.strangers += 1
            return None
        packet, other = leg.receive(now_ms, data, source), leg.bridged
        if packet is None or other is None:
            return None
        is_key = leg.is_key(packet)
        if leg.supervision is not None and not is_key:
            leg.supervision.overhear(leg.key, packet)
        passed = other.relay(packet, is_key=is_key)
        if other.rest:
            self._send_later(other)
        return None if passed is None else SendSound(other.key, *passed)

    def skip(self, frames: int) -> None:
        """Leave out frames of all legs for which there was no time."""
        for leg in self._legs.values():
            leg.skip(frames)

    def tick(self, now_ms: int, phase: int) -> Iterator[SoundOutput]:
        """Yield the packets of a quarter of the legs, and the orders that are done."""
        if phase == 0:
            self._mix()
        ends, self._ends = self._ends, []
        yield from ends
        self._ticks += 1
        yield from (piece for piece in self._later.pop(self._ticks, ()) if piece.key in self._legs)
        for leg in list(self._phases[phase].values()):
            packet = leg.next_packet()
            if packet is not None:
                yield SendSound(leg.key, *packet)
                if leg.rest:
                    self._send_later(leg)
            done = leg.activity.done(now_ms)
            if done is not None:
                yield self._finish(leg, done)
            tape = leg.tape
            if tape is not None and tape.has_block:
                yield SoundTaped(leg.key, tape.take_block())
            if now_ms >= leg.look_ms:
                yield from _look(leg, now_ms)

    def _send_later(self, leg: SoundLeg) -> None:
        """Send each other piece of a packet at its time."""
        for samples, piece, destination in leg.rest:
            tick = self._ticks + max(1, samples // _SAMPLES_A_TICK)
            self._later.setdefault(tick, []).append(SendSound(leg.key, piece, destination))
        leg.rest = []

    def __len__(self) -> int:
        return len(self._legs)

    def _finish(self, leg: SoundLeg, done: Done) -> OrderDone:
        activity = leg.activity
        leg.begin(activity.rest(done.turn))
        recording = (activity.name, activity.sound) if isinstance(activity, Recording) else None
        return OrderDone(leg.key, done, recording)

    def _part(self, gone: SoundLeg) -> None:
        """End the bridge of a leg that is gone."""
        other = gone.bridged
        if other is not None:
            self._unbridge(gone)
            if isinstance(other.activity, Bridging):
                self._ends.append(self._finish(other, Done(other.activity.turn, 0)))

    def _members(self, room: str) -> list[Conferring]:
        activities = (leg.activity for leg in self._legs.values())
        return [activity for activity in activities if isinstance(activity, Conferring) and activity.room == room]

    def _mix(self) -> None:
        rooms: dict[str, list[Conferring]] = {}
        for leg in self._legs.values():
            if isinstance(leg.activity, Conferring):
                rooms.setdefault(leg.activity.room, []).append(leg.activity)
        for members in rooms.values():
            mix(members)


def _look(leg: SoundLeg, now_ms: int) -> Iterator[SoundOutput]:
    report = leg.look(now_ms)
    if report is not None:
        yield SendSound(leg.key, *report, is_report=True)
    if leg.is_gone(now_ms):
        yield SoundLost(leg.key)


def _activity(
    order: Detect | AwaitBeep | Play | Ask | Record | Confer | Converse | Hold, prompt: bytes, before: Activity
) -> Activity:
    """Return the activity that an order begins after another one."""
    match order:
        case Ask():
            begun: Activity = Asking(order, prompt)
        case Play():
            begun = Playing(order.turn, prompt)
        case Record():
            begun = Recording(order.turn, order.name)
        case Confer():
            begun = Conferring(order.turn, order.room)
        case Converse():
            begun = Unanswered(order) if order.goes_on else Conversing(order, prompt)
        case Hold():
            begun = Activity(order.turn) if order.is_silent else PlayingHoldSound(order.turn, prompt)
        case Detect():
            begun = Detecting(order.turn, order.sensitivity)
        case AwaitBeep():
            begun = AwaitingBeep(order.turn, before)
        case _:
            assert_never(order)
    return begun
