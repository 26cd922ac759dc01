"""Supervision: a third leg that hears a callee and an agent, and is heard by the agent only, by both, or by nobody.

The two who talk stay bridged: their packets are passed on as they come. A packet to somebody who hears the supervisor
has the supervisor's voice added. So nothing of the supervisor can reach anybody else, and no packet waits for it.
"""

from array import array
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.conference_rooms import JitterBuffer
from dialer.carriers.media.dtmf_inband import silence
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RtpPacket
from dialer.carriers.media.rtp_frames import Framer
from dialer.domain.sessions.leg_protocol import Done, Supervise
from dialer.domain.words.enums import SupervisionMode

QUIET_FRAMES_MIN: Final = 5
"""Frames without a packet from the other side, 100 ms, after which the supervisor's voice is sent alone."""
_QUIET: Final = silence(FRAME_MS)
_LOUDEST: Final = 32_767


def add(one: bytes, other: bytes) -> bytes:
    """Return the mix of two pieces of µ-law, as long as the shorter one."""
    both = zip(g711.decode(one), g711.decode(other), strict=False)
    return g711.encode(array("h", [max(-_LOUDEST, min(_LOUDEST, mine + theirs)) for mine, theirs in both]))


class _Ear:
    """The sound of one of the two, on its way to the supervisor."""

    def __init__(self) -> None:
        self._framer: Final = Framer()
        self._waiting: Final = JitterBuffer()
        self.take: Final = self._waiting.take

    def put(self, packet: RtpPacket) -> None:
        """Keep a packet's sound until it is mixed for the supervisor."""
        for timestamp, frame in self._framer.frames(packet.timestamp, packet.data):
            self._waiting.put(timestamp, frame)


class _Voice:
    """The sound of the supervisor, on its way to one of the two."""

    def __init__(self) -> None:
        waiting = JitterBuffer()
        self.put: Final = waiting.put
        self._take: Final = waiting.take
        self._rest = b""

    def take(self, length: int) -> bytes:
        """Return the supervisor's next samples, padded with silence; no bytes if none wait."""
        while len(self._rest) < length:
            frame = self._take()
            if frame is None:
                break
            self._rest += frame
        taken, self._rest = self._rest[:length], self._rest[length:]
        return taken and taken.ljust(length, bytes([g711.SILENCE]))


class Supervising(Activity):
    """The order of a supervisor's leg, which hears a conversation. It is done when either talker is gone."""

    hears_sound = True

    def __init__(self, order: Supervise) -> None:
        super().__init__(order.turn)
        self.talkers: Final = (order.callee, order.agent)
        self.is_over = False
        """True once there is nobody to hear any more."""
        self._ears: Final = {key: _Ear() for key in self.talkers}
        hearers = {
            SupervisionMode.LISTEN: (),
            SupervisionMode.WHISPER: (order.agent,),
            SupervisionMode.JOIN: self.talkers,
        }
        self._voices: Final = {key: _Voice() for key in hearers[order.mode]}

    def overhear(self, key: str, packet: RtpPacket) -> None:
        """Add sound of one talker, as µ-law, to what the supervisor hears."""
        self._ears[key].put(packet)

    def voice_for(self, key: str, length: int = FRAME_SAMPLES) -> bytes:
        """Return the supervisor's next samples for one talker; no bytes if the talker is to hear none."""
        voice = self._voices.get(key)
        return b"" if voice is None else voice.take(length)

    def next_frame(self) -> bytes:
        """Return the sound of both."""
        first, second = (ear.take() for ear in self._ears.values())
        if first is None or second is None:
            return first or second or _QUIET
        return add(first, second)

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Keep a frame of the supervisor for everybody who hears it."""
        for voice in self._voices.values():
            voice.put(timestamp, frame)

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - the others decide
        """Return the end of the supervision once a talker is gone; None before."""
        return Done(self.turn, 0) if self.is_over else None
