"""A board of legs whose clock ticks by hand, and packets that are made by hand."""

import struct
from typing import Final

from dialer.carriers.media.dtmf_events import KEYS
from dialer.carriers.media.rtcp import RtcpReport, read_reports
from dialer.carriers.media.rtp import RtpPacket, read_packet, write_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import (
    PHASES,
    OrderDone,
    SendSound,
    SoundLost,
    SoundOutput,
    SoundRouter,
    SoundTaped,
)
from dialer.carriers.sip.sdp import AgreedSound, Codec
from dialer.domain.sessions.leg_protocol import Order

PEER: Final = ("192.0.2.10", 30_000)
SOUND: Final = AgreedSound(PEER[0], PEER[1], Codec.PCMA, 8, 101)


class Studio:
    """A board of legs, and a clock that ticks by hand."""

    def __init__(self, *keys: str, sound: AgreedSound = SOUND, terms: SoundTerms | None = None) -> None:
        self.router = SoundRouter()
        self.now_ms = 0
        self._phase = 0
        self.done: list[OrderDone] = []
        self.lost: list[str] = []
        self.taped: list[SoundTaped] = []
        self.reports: list[RtcpReport] = []
        self.sent: dict[str, list[RtpPacket]] = {key: [] for key in keys}
        for key in keys:
            self.router.add(SoundLeg(key, 7 << 60, terms or SoundTerms()))
            self.leg(key).agree(self.now_ms, sound)

    def leg(self, key: str) -> SoundLeg:
        leg = self.router.leg(key)
        assert leg is not None
        return leg

    def run(self, length_ms: int) -> None:
        self.run_quarters(length_ms // 20 * PHASES)

    def run_quarters(self, count: int) -> None:
        """Let 5 ms pass so many times."""
        for _ in range(count):
            for output in self.router.tick(self.now_ms, self._phase):
                self._note(output)
            self._phase = (self._phase + 1) % PHASES
            self.now_ms += 20 // PHASES

    def _note(self, output: SoundOutput) -> None:
        if isinstance(output, OrderDone):
            self.done.append(output)
        elif isinstance(output, SoundLost):
            self.lost.append(output.key)
        elif isinstance(output, SoundTaped):
            self.taped.append(output)
        elif output.is_report:
            assert output.destination == (PEER[0], PEER[1] + 1)
            self.reports += read_reports(output.data)
        else:
            assert output.destination == PEER
            self.sent[output.key].append(read_packet(output.data))

    def say(self, key: str, *packets: RtpPacket) -> list[SendSound]:
        passed = [self.router.receive(self.now_ms, key, write_packet(packet), PEER) for packet in packets]
        return [one for one in passed if one is not None]

    def order(self, key: str, order: Order, prompt: bytes = b"") -> None:
        self.router.perform(key, order, prompt)


def sound_packet(number: int, data: bytes, payload: int = 8) -> RtpPacket:
    return RtpPacket(payload, number, 1_000 + 160 * number, 5, data)


def key_packets(key: str, sequence: int, timestamp: int, count: int = 5) -> list[RtpPacket]:
    """Return the packets of one key: its durations rise, and the last three end it."""
    found = []
    for number in range(count + 3):
        flags = 0x80 if number >= count else 0
        data = struct.pack("!BBH", KEYS.index(key), flags | 10, 160 * min(number + 1, count))
        found.append(RtpPacket(101, sequence + number, timestamp, 5, data))
    return found
