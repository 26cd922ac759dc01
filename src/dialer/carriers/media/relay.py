"""The numbers of packets that a bridge passes on: order, distances and gaps stay as they were (RFC 3550 7.1)."""

from typing import Final, NamedTuple

from dialer.carriers.media.rtp import (
    FRAME_SAMPLES,
    SEQUENCES,
    TIMESTAMPS,
    RtpPacket,
    samples_between,
    sequences_between,
)

SOURCES_MAX: Final = 4
"""SSRCs of one side whose timestamps are known: one of sound, one of keys, and those before."""


class Numbered(NamedTuple):
    """The numbers of a packet that is passed on, and the highest numbers until now."""

    sequence: int
    timestamp: int
    last_sequence: int
    last_timestamp: int


class Renumbering:
    """Turns the numbers of another stream into those of our own."""

    def __init__(self) -> None:
        self._source: tuple[int, int] | None = None
        """The SSRC of the latest packet, and what is added to its sequence numbers."""
        self._shifts: dict[int, int] = {}
        """What is added to the timestamps of each SSRC."""

    def place(self, packet: RtpPacket, sequence: int, timestamp: int) -> Numbered:
        """Return the numbers of a packet, after those of the last one that was sent."""
        if self._source is None or self._source[0] != packet.ssrc:
            self._source = packet.ssrc, (sequence + 1 - packet.sequence) % SEQUENCES
        if packet.ssrc not in self._shifts:
            if len(self._shifts) >= SOURCES_MAX:
                self._shifts.clear()
            self._shifts[packet.ssrc] = (timestamp + FRAME_SAMPLES - packet.timestamp) % TIMESTAMPS
        own = (packet.sequence + self._source[1]) % SEQUENCES
        moment = (packet.timestamp + self._shifts[packet.ssrc]) % TIMESTAMPS
        return Numbered(
            own,
            moment,
            own if sequences_between(sequence, own) > 0 else sequence,
            moment if samples_between(timestamp, moment) > 0 else timestamp,
        )
