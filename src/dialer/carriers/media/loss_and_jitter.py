"""The quality of what is heard: lost packets and jitter (RFC 3550 A.1, A.3, A.8)."""

from typing import Final

from dialer.carriers.media.rtp import RATE_HZ, SEQUENCES, TIMESTAMPS, RtpPacket

_MISORDER_MAX: Final = 100
_DROPOUT_MAX: Final = 3_000
_SAMPLES_A_MS: Final = RATE_HZ // 1_000
_SMOOTH: Final = 16
_HALF: Final = SEQUENCES // 2
_HALF_TIME: Final = TIMESTAMPS // 2


class Reception:
    """The figures of what is heard of one leg. Another SSRC, or numbers that begin anew, are added to them."""

    def __init__(self) -> None:
        self.received = 0
        self.ssrc: int | None = None
        self.highest = 0
        """The highest sequence number, with the rounds that it has gone."""
        self.jitter = 0.0
        """Smoothed difference of the distances of packets, in samples."""
        self._base = 0
        self._expected_before = 0
        self._expected_reported = self._received_reported = 0
        self._transit: int | None = None

    @property
    def expected(self) -> int:
        """The number of packets that the other side has sent, from their sequence numbers."""
        return self._expected_before + (0 if self.ssrc is None else self.highest - self._base + 1)

    @property
    def lost(self) -> int:
        """Packets that were sent, and did not come. Doubled ones count against it."""
        return max(0, self.expected - self.received)

    @property
    def jitter_ms(self) -> int:
        """The jitter of the received packets, in milliseconds."""
        return round(self.jitter / _SAMPLES_A_MS)

    def take(self, now_ms: int, packet: RtpPacket, *, is_sound: bool) -> None:
        """Count a received packet. Packets of keys do not count towards the jitter."""
        step = packet.sequence - self.highest
        if step != 1:
            step = (step + _HALF) % SEQUENCES - _HALF
        if packet.ssrc != self.ssrc or not -_MISORDER_MAX <= step <= _DROPOUT_MAX:
            self._expected_before = self.expected
            self.ssrc, self._base, self.highest = packet.ssrc, packet.sequence, packet.sequence
            self._transit = None
        elif step > 0:
            self.highest += step
        self.received += 1
        if is_sound:
            transit = now_ms * _SAMPLES_A_MS - packet.timestamp
            if self._transit is not None:
                change = (transit - self._transit + _HALF_TIME) % TIMESTAMPS - _HALF_TIME
                self.jitter += (abs(change) - self.jitter) / _SMOOTH
            self._transit = transit

    def lost_since(self) -> float:
        """Return the share of packets that were lost since the last report, from 0 to 1."""
        expected = self.expected - self._expected_reported
        received = self.received - self._received_reported
        self._expected_reported, self._received_reported = self.expected, self.received
        return max(0.0, (expected - received) / expected) if expected > 0 else 0.0
