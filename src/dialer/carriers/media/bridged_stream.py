"""The numbers of a stream that a bridge passes on: order, distances and gaps stay as they were (RFC 3550 7.1)."""

from typing import Final

from dialer.carriers.media.rtp import FRAME_SAMPLES, SEQUENCES, TIMESTAMPS, RtpPacket

SOURCES_MAX: Final = 4
"""SSRCs of one side whose timestamps are known: one of sound, one of keys, and those before."""


class Numbers:
    """The highest RTP numbers that a leg has sent. Packets of another leg that it passes on are numbered after them."""

    def __init__(self, sequence: int, timestamp: int) -> None:
        self.sequence = sequence
        self.timestamp = timestamp
        self.is_first = True
        """True if the next packet begins a sound, which its marker tells."""
        self._source = -1
        """The SSRC of the latest packet that was passed on."""
        self._ahead = 0
        """The number that is added to its sequence numbers."""
        self._shifts: dict[int, int] = {}
        """The numbers that are added to the timestamps of each SSRC."""

    def begin(self) -> None:
        """Start a new bridge, without the sources of the last one."""
        self._source = -1
        self._shifts.clear()

    def move_on(self, packets: int) -> None:
        """Leave out sequence numbers, which the pieces of the latest packet have."""
        self.sequence = (self.sequence + packets) % SEQUENCES
        self._ahead = (self._ahead + packets) % SEQUENCES

    def place(self, packet: RtpPacket) -> tuple[int, int]:
        """Return the sequence number and the timestamp with which a packet is passed on."""
        if packet.ssrc != self._source:
            self._begin_with(packet)
        sequence = (packet.sequence + self._ahead) % SEQUENCES
        if 0 < (sequence - self.sequence) % SEQUENCES < SEQUENCES // 2:
            self.sequence = sequence
        timestamp = (packet.timestamp + self._shifts[packet.ssrc]) % TIMESTAMPS
        if 0 < (timestamp - self.timestamp) % TIMESTAMPS < TIMESTAMPS // 2:
            self.timestamp = timestamp
        return sequence, timestamp

    def _begin_with(self, packet: RtpPacket) -> None:
        self._source = packet.ssrc
        self._ahead = (self.sequence + 1 - packet.sequence) % SEQUENCES
        if packet.ssrc not in self._shifts:
            if len(self._shifts) >= SOURCES_MAX:
                self._shifts.clear()
            self._shifts[packet.ssrc] = (self.timestamp + FRAME_SAMPLES - packet.timestamp) % TIMESTAMPS
