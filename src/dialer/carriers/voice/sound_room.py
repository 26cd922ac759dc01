"""The sound of all gateways of a process: one clock, and two sockets for each leg, for sound and for reports.

The sockets are read at the ticks of the clock, all at once: being woken by each packet costs more than reading it.
"""

import secrets
import selectors
import socket
from collections.abc import Callable
from typing import Final

from dialer.carriers.media.rtp import PACKET_BYTES_MAX
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import OrderDone, SendSound, SoundLost, SoundRouter
from dialer.carriers.voice.clock import SoundClock, steady_ms
from dialer.carriers.voice.sockets import bind_for_reports, bind_for_sound
from dialer.domain.sessions.leg_protocol import Order

STRANGERS_MAX: Final = 256
"""Datagrams of strangers that one tick takes out of all sockets. Each costs a look at its source."""
REPORTS_MAX: Final = 8
"""Reports that one tick takes out of a socket."""

_READ_BYTES: Final = PACKET_BYTES_MAX + 1
_IPV4: Final = 2
"""Parts of an IPv4 address and its port. Those of IPv6 have more."""

Hear = Callable[[OrderDone | SoundLost], None]


class SoundRoom:
    """The sound of all legs. The clock runs while there are any."""

    def __init__(self) -> None:
        self._router: Final = SoundRouter()
        self._sockets: dict[str, socket.socket] = {}
        self._reports: dict[str, socket.socket] = {}
        self._arrivals: Final = selectors.DefaultSelector()
        self._owners: dict[str, Hear] = {}
        self._clock: Final = SoundClock(self._tick, self._router.skip)

    def add(self, key: str, place: tuple[socket.AddressFamily, range | None], hear: Hear, terms: SoundTerms) -> int:
        """Open a socket for a leg, in a family and a range of ports, and return its port.

        Raises:
            OSError: no port is free.
        """
        chance = secrets.randbits(96)
        bound = bind_for_sound(*place, chance)
        self._sockets[key] = bound
        self._arrivals.register(bound, selectors.EVENT_READ, (key, False))
        port = int(bound.getsockname()[1])
        reports = bind_for_reports(place[0], port + 1)
        if reports is not None:
            self._reports[key] = reports
            self._arrivals.register(reports, selectors.EVENT_READ, (key, True))
        self._owners[key] = hear
        self._router.add(SoundLeg(key, chance, terms))
        self._clock.start()
        return port

    def leg(self, key: str) -> SoundLeg | None:
        """Return the sound of a leg; None if it is gone."""
        return self._router.leg(key)

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Begin an order of sound."""
        self._router.perform(key, order, prompt)

    def remove(self, key: str) -> tuple[str, bytes] | None:
        """Close the socket of a leg. Return the recording that was in progress, its name and its sound, if any."""
        for bound in (self._sockets.pop(key, None), self._reports.pop(key, None)):
            if bound is not None:
                self._arrivals.unregister(bound)
                bound.close()
        self._owners.pop(key, None)
        recording = self._router.remove(key)
        if not self._sockets:
            self._clock.stop()
        return recording

    def close(self) -> None:
        """Close all sockets."""
        for key in list(self._sockets):
            self.remove(key)
        self._arrivals.close()

    def _tick(self, phase: int) -> None:
        now_ms = steady_ms()
        for output in self._router.tick(now_ms, phase):
            if isinstance(output, SendSound):
                self._send(output)
            else:
                self._owners[output.key](output)
        # One packet of each leg: a tick is a quarter of a packet's time, and whoever sends more loses it.
        spare = STRANGERS_MAX
        for arrived, _ in self._arrivals.select(0):
            key, is_report = arrived.data
            if is_report:
                self._read_report(now_ms, key)
            else:
                spare = self._read(now_ms, key, spare)

    def _read(self, now_ms: int, key: str, spare: int) -> int:
        """Take the next packet of the other side, and throw away those of strangers before it.

        At most `spare` of these are thrown away. Return the number that is left.
        """
        router, bound = self._router, self._sockets.get(key)
        if bound is None:
            return spare
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
        bound, leg = self._reports.get(key), self._router.leg(key)
        if bound is None or leg is None:
            return
        for _ in range(REPORTS_MAX):
            try:
                data, source = bound.recvfrom(_READ_BYTES)
            except OSError:
                return
            leg.take_report(now_ms, data, (source[0], source[1]))

    def _send(self, packet: SendSound) -> None:
        bound = (self._reports if packet.is_report else self._sockets).get(packet.key)
        if bound is None:
            return
        # A full buffer or an unreachable network loses it, as a network may.
        try:
            bound.sendto(packet.data, packet.destination)
        except (OSError, OverflowError):
            return
