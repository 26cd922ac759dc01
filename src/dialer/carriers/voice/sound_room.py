"""The sound of all gateways of a process: one clock, and a socket for each leg."""

import secrets
import socket
from collections.abc import Callable
from typing import Final

from dialer.carriers.media.sound_leg import SoundLeg
from dialer.carriers.media.switchboard import OrderDone, SoundBoard
from dialer.carriers.sip.sdp import AgreedSound
from dialer.carriers.sip.wire import Address
from dialer.carriers.voice.clock import SoundClock, steady_ms
from dialer.carriers.voice.sockets import UdpSocket, bind_for_sound
from dialer.domain.line import Order


class SoundRoom:
    """The sound of all legs. The clock runs while there are any."""

    def __init__(self) -> None:
        self._board: Final = SoundBoard()
        self._sockets: dict[str, UdpSocket] = {}
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
        self._sockets[key] = UdpSocket(bound, lambda data, source: self._take(key, data, source))
        self._owners[key] = done
        self._board.add(SoundLeg(key, chance, is_symmetric=is_symmetric))
        self._clock.start()
        return self._sockets[key].port

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

    def _take(self, key: str, data: bytes, source: Address) -> None:
        passed = self._board.receive(steady_ms(), key, data, source)
        if passed is not None:
            self._sockets[passed.key].send(passed.data, passed.destination)

    def _tick(self, phase: int) -> None:
        for output in self._board.tick(steady_ms(), phase):
            if isinstance(output, OrderDone):
                self._owners[output.key](output)
            else:
                self._sockets[output.key].send(output.data, output.destination)
