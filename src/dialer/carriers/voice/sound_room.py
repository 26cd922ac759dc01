"""The sound of all gateways of a process: one clock, and two sockets for each leg, for sound and for reports.

The sockets are read at the ticks of the clock, all at once: being woken by each packet costs more than reading it.
"""

import secrets
import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec
import structlog

from dialer.carriers.media.call_tape import CallTape
from dialer.carriers.media.conversing import Conversing
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtp import PACKET_BYTES_MAX
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import OrderDone, SendSound, SoundLost, SoundRouter, SoundTaped
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.voice.clock import SoundClock, steady_ms
from dialer.carriers.voice.sealed_spool import SealedSpool
from dialer.carriers.voice.sockets import bind_for_reports, bind_for_sound
from dialer.carriers.voice.waiting_sockets import WaitingSockets
from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.sessions.leg_protocol import Converse, Order

if TYPE_CHECKING:
    from dialer.carriers.voice.agent_sockets import AgentSockets

STRANGERS_MAX: Final = 256
"""Datagrams of strangers that one tick takes out of all sockets. Each costs a look at its source."""
REPORTS_MAX: Final = 8
"""Reports that one tick takes out of a socket."""

_log = structlog.get_logger(__name__)
_READ_BYTES: Final = PACKET_BYTES_MAX + 1
_IPV4: Final = 2
"""Parts of an IPv4 address and its port. Those of IPv6 have more."""


class SoundFailed(msgspec.Struct, frozen=True):
    """The process that carried the sound of a leg has ended."""

    key: str


class SoundOver(NamedTuple):
    """The sound of a leg after its end: its quality, also in words, and the recording that was in progress, if any."""

    quality: str = ""
    recording: tuple[str, bytes] | None = None
    figures: SoundQuality | None = None


class LegSockets(NamedTuple):
    """The sockets of a leg."""

    sound: socket.socket
    reports: socket.socket | None
    """The one for reports; None if its port was taken."""

    @classmethod
    def open(cls, family: socket.AddressFamily, ports: range | None, chance: int) -> "LegSockets":
        """Bind sockets to free ports, beginning with one that is chosen by `chance`.

        Raises:
            OSError: no port is free.
        """
        sound = bind_for_sound(family, ports, chance)
        return cls(sound, bind_for_reports(family, int(sound.getsockname()[1]) + 1))

    @property
    def port(self) -> int:
        """The port of the sound."""
        return int(self.sound.getsockname()[1])

    def close(self) -> None:
        """Close the sockets of the leg, for sound and for reports."""
        self.sound.close()
        if self.reports is not None:
            self.reports.close()


SoundNews: TypeAlias = OrderDone | SoundLost | SoundFailed
Hear: TypeAlias = Callable[[SoundNews], None]
Finish: TypeAlias = Callable[[SoundOver], None]


class SoundRoom:
    """The sound of all legs. The clock runs while there are any."""

    def __init__(self) -> None:
        self._router: Final = SoundRouter()
        self._sockets: dict[str, LegSockets] = {}
        self._waiting: Final = WaitingSockets()
        self._owners: dict[str, Hear] = {}
        self._agents: AgentSockets | None = None
        """The programs that talk; None until one is needed."""
        self._clock: Final = SoundClock(self._tick, self._router.skip)

    def add(self, key: str, place: tuple[socket.AddressFamily, range | None], hear: Hear, terms: SoundTerms) -> int:
        """Open a socket for a leg, in a family and a range of ports, and return its port.

        Raises:
            OSError: no port is free.
        """
        chance = secrets.randbits(96)
        sockets = LegSockets.open(*place, chance)
        self.hold(SoundLeg(key, chance, terms), sockets, hear)
        return sockets.port

    @property
    def calls_here(self) -> int:
        """The number of calls whose sound this process carries."""
        return len(self._sockets)

    def hold(self, leg: SoundLeg, sockets: LegSockets, hear: Hear) -> None:
        """Carry the sound of a leg, which may have begun elsewhere."""
        self._sockets[leg.key] = sockets
        self._waiting.register(sockets.sound, (leg.key, False))
        if sockets.reports is not None:
            self._waiting.register(sockets.reports, (leg.key, True))
        self._owners[leg.key] = hear
        self._router.add(leg)
        self._clock.start()

    def release(self, key: str) -> tuple[SoundLeg, LegSockets, Hear] | None:
        """Stop carrying the sound of a leg, which goes on elsewhere; return None if it is gone."""
        leg = self._router.release(key)
        if leg is not None and isinstance(leg.activity, Conversing):
            self._disconnect(key)
            leg.begin(Activity(leg.activity.turn))
        return None if leg is None else (leg, *self._forget(key))

    def _forget(self, key: str) -> tuple[LegSockets, Hear]:
        sockets = self._sockets.pop(key)
        for bound in sockets:
            if bound is not None:
                self._waiting.unregister(bound)
        if not self._sockets:
            self._clock.stop()
        return sockets, self._owners.pop(key)

    def agree(self, key: str, sound: AgreedSound) -> None:
        """Send to and hear from the place of a description from now on."""
        if (leg := self._router.leg(key)) is not None:
            leg.agree(steady_ms(), sound)

    def watch(self, key: str) -> None:
        """Start to report silence of the other side of a leg."""
        if (leg := self._router.leg(key)) is not None:
            leg.watch(steady_ms())

    def record(self, key: str, store: SoundStore) -> None:
        """Record both sides of a leg from now on. If its file cannot be written, the call goes on without."""
        if (leg := self._router.leg(key)) is not None and leg.tape is None:
            leg.tape = CallTape(SealedSpool(store), is_silent=store.state is TapeState.SILENT)
            self._keep(leg, leg.tape.spool.open)

    def silence(self, key: str, *, is_silent: bool) -> None:
        """Keep silence in the recording of a leg from now on, or sound again."""
        if (leg := self._router.leg(key)) is not None and leg.tape is not None:
            leg.tape.silence(is_silent=is_silent)

    def discard(self, key: str, store: SoundStore | None = None) -> None:
        """Throw away what was recorded of a leg, here or into `store` by another process, and record no more."""
        leg = self._router.leg(key)
        tape = None if leg is None else leg.tape
        if leg is not None:
            leg.tape = None
        spool = SealedSpool(store) if store is not None else None if tape is None else tape.spool
        if spool is not None:
            try:
                spool.discard()
            except OSError as error:
                _log.warning("recording_not_discarded", key=key, reason=error.strerror)

    def _keep(self, leg: SoundLeg, write: Callable[[], None]) -> None:
        """Write what was recorded. The recording ends where its file cannot be written."""
        try:
            write()
        except OSError as error:
            leg.tape = None
            _log.warning("call_not_recorded", key=leg.key, reason=error.strerror)

    def press(self, key: str, digit: str) -> None:
        """Take a key of the telephone that came without sound."""
        if (leg := self._router.leg(key)) is not None:
            leg.activity.take_key(steady_ms(), digit)

    def leg(self, key: str) -> SoundLeg | None:
        """Return the sound of a leg; None if it is gone."""
        return self._router.leg(key)

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Begin an order of sound."""
        self._router.perform(key, order, prompt)
        leg = self._router.leg(key)
        begins = isinstance(order, Converse) and not order.goes_on
        if begins and leg is not None and isinstance(leg.activity, Conversing):
            self._connect(key, leg.activity)

    def _connect(self, key: str, talk: Conversing) -> None:
        """Connect the program of a conversation, if it is not connected yet."""
        if self._agents is None:
            from dialer.carriers.voice.agent_sockets import AgentSockets  # noqa: PLC0415 - most rooms need none

            self._agents = AgentSockets()
        self._agents.begin(key, talk)

    def _disconnect(self, key: str) -> None:
        """Stop the conversation of a leg with a program, which cannot move elsewhere."""
        if self._agents is not None:
            self._agents.end(key)

    def finish(self, key: str, then: Finish) -> None:
        """Close the sockets of a leg, and tell `then` what is left of its sound, even if it is gone."""
        leg = self._router.leg(key)
        then(SoundOver() if leg is None else SoundOver(leg.quality_in_words(), self._remove(key), leg.figures()))

    def remove(self, key: str) -> None:
        """Close the sockets of a leg. Sound that still waits is not sent."""
        if key in self._sockets:
            self._remove(key)

    def _write(self, taped: SoundTaped) -> None:
        leg = self._router.leg(taped.key)
        if leg is not None and leg.tape is not None:
            self._keep(leg, partial(leg.tape.spool.write, [taped.block]))

    def _remove(self, key: str) -> tuple[str, bytes] | None:
        leg = self._router.leg(key)
        if leg is not None and leg.tape is not None:
            self._keep(leg, partial(leg.tape.spool.write, leg.tape.rest()))
        self._disconnect(key)
        sockets, _ = self._forget(key)
        sockets.close()
        return self._router.remove(key)

    def close(self) -> None:
        """Close the sockets of all legs."""
        for key in list(self._sockets):
            self.remove(key)
        if self._agents is not None:
            self._agents.close()
        self._waiting.close()

    def _tick(self, phase: int) -> None:
        now_ms = steady_ms()
        for output in self._router.tick(now_ms, phase):
            if isinstance(output, SendSound):
                self._send(output)
            elif isinstance(output, SoundTaped):
                self._write(output)
            else:
                self._owners[output.key](output)
        if self._agents:
            self._agents.tick(self._activity_of)
        # One packet of each leg: a tick is a quarter of a packet's time, and whoever sends more loses it.
        spare = STRANGERS_MAX
        for key, is_report in self._waiting.ready():
            if is_report:
                self._read_report(now_ms, key)
            else:
                spare = self._read(now_ms, key, spare)

    def _activity_of(self, key: str) -> Activity | None:
        leg = self._router.leg(key)
        return None if leg is None else leg.activity

    def _read(self, now_ms: int, key: str, spare: int) -> int:
        """Take the next packet of the other side, and throw away those of strangers before it.

        At most `spare` of these are thrown away. Return the number that is left.
        """
        router, sockets = self._router, self._sockets.get(key)
        if sockets is None:
            return spare
        bound = sockets.sound
        while True:
            strangers = router.strangers
            try:
                data, source = bound.recvfrom(_READ_BYTES)
            except OSError:
                # There is none, or somebody's ICMP message about a datagram of ours.
                return spare
            passed = router.receive(now_ms, key, data, source if len(source) == _IPV4 else source[:_IPV4])
            if passed is not None:
                self._send(passed)
            if router.strangers == strangers or not spare:
                return spare
            spare -= 1

    def _read_report(self, now_ms: int, key: str) -> None:
        sockets, leg = self._sockets.get(key), self._router.leg(key)
        bound = None if sockets is None else sockets.reports
        if bound is None or leg is None:
            return
        for _ in range(REPORTS_MAX):
            try:
                data, source = bound.recvfrom(_READ_BYTES)
            except OSError:
                return
            leg.take_report(now_ms, data, (source[0], source[1]))

    def _send(self, packet: SendSound) -> None:
        sockets = self._sockets.get(packet.key)
        bound = None if sockets is None else sockets.reports if packet.is_report else sockets.sound
        if bound is None or not packet.data:
            return
        # A full buffer or an unreachable network loses it, as a network may.
        try:
            bound.sendto(packet.data, packet.destination)
        except (OSError, OverflowError):
            return
