"""The sound of all gateways of a process: one clock, and a socket for each leg.

The sockets are read at the ticks of the clock, all at once: being woken by each packet costs more than reading it.
"""

import secrets
import selectors
import socket
from collections.abc import Callable
from typing import Final

from dialer.carriers.media.rtp import PACKET_BYTES_MAX
from dialer.carriers.media.sound_leg import SoundLeg
from dialer.carriers.media.switchboard import OrderDone, SendSound, SoundBoard
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.voice.clock import SoundClock, steady_ms
from dialer.carriers.voice.sockets import bind_for_sound
from dialer.domain.line import Order


class SoundRoom:
    """The sound of all legs. The clock runs while there are any."""

    def __init__(self) -> None:
        self._board: Final = SoundBoard()
        self._sockets: dict[str, socket.socket] = {}
        self._arrivals: Final = selectors.DefaultSelector()
        self._owners: dict[str, Callable[[OrderDone], None]] = {}
        self._clock: Final = SoundClock(self._tick)

    def add(
        self,
        key: str,
        place: tuple[socket.AddressFamily, range | None],
        done: Callable[[OrderDone], None],
        *,
        is_symmetric: bool,
    ) -> int:
        """Open a socket for a leg, in a family and a range of ports, and return its port.

        Raises:
            OSError: no port is free.
        """
        chance = secrets.randbits(96)
        bound = bind_for_sound(*place, chance)
        self._sockets[key] = bound
        self._arrivals.register(bound, selectors.EVENT_READ, key)
        self._owners[key] = done
        self._board.add(SoundLeg(key, chance, is_symmetric=is_symmetric))
        self._clock.start()
        return int(bound.getsockname()[1])

    def agree(self, key: str, sound: AgreedSound) -> None:
        """Send to and hear from this place."""
        self._board.agree(key, sound)

    def perform(self, key: str, order: Order, prompt: bytes) -> None:
        """Begin an order of sound."""
        self._board.perform(key, order, prompt)

    def press(self, key: str, digit: str) -> None:
        """Tell a leg a key that came over SIP."""
        self._board.press(steady_ms(), key, digit)

    def remove(self, key: str) -> tuple[str, bytes] | None:
        """Close the socket of a leg. Return the recording that was in progress, its name and its sound, if any."""
        bound = self._sockets.pop(key, None)
        if bound is not None:
            self._arrivals.unregister(bound)
            bound.close()
        self._owners.pop(key, None)
        recording = self._board.remove(key)
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
        for output in self._board.tick(now_ms, phase):
            if isinstance(output, OrderDone):
                self._owners[output.key](output)
            else:
                self._send(output)
        # One packet of each leg: a tick is a quarter of a packet's time, and whoever sends more loses it.
        for arrived, _ in self._arrivals.select(0):
            self._read(now_ms, arrived.data)

    def _read(self, now_ms: int, key: str) -> None:
        try:
            data, source = self._sockets[key].recvfrom(PACKET_BYTES_MAX + 1)
        except OSError:
            # Somebody's ICMP message about a datagram of ours.
            return
        passed = self._board.receive(now_ms, key, data, (source[0], source[1]))
        if passed is not None:
            self._send(passed)

    def _send(self, packet: SendSound) -> None:
        # A full buffer or an unreachable network loses it, as a network may.
        try:
            self._sockets[packet.key].sendto(packet.data, packet.destination)
        except OSError:
            return
