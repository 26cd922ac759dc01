"""Packets of sound as frames of 20 ms, whatever their length, and the time that passes with and without them."""

import math
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ, TIMESTAMPS

GAP_SAMPLES_MAX: Final = 5 * RATE_HZ
"""A timestamp that is further away is a new beginning, not a gap."""
UNHEARD_MS: Final = 60
"""Time without packets after which there is silence."""


class HeardFrame(NamedTuple):
    """A frame with two levels: as it is, and without its lowest and highest frequencies.

    So hum and hiss are each quiet in one.
    """

    samples: tuple[int, ...]
    level: float
    """Root of the mean square of `samples`."""
    middle_level: float
    """Root of the mean square of the differences of each sample and the last but one, halved for white noise."""

    @property
    def energy(self) -> int:
        """The sum of the squares of the samples, which is far too small for rounding to change it."""
        return round((self.level * _ROOT) ** 2)

    @property
    def middle_energy(self) -> int:
        """The sum of the squares of those differences."""
        return round((self.middle_level * _MIDDLE_ROOT) ** 2)


class FrameCutter:
    """Cuts packets into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def frames_of(self, packet: bytes) -> Iterator[HeardFrame]:
        """Yield the frames that a packet of µ-law completes."""
        sound = self._rest + packet
        whole = len(sound) - len(sound) % FRAME_SAMPLES
        self._rest = sound[whole:]
        for start in range(0, whole, FRAME_SAMPLES):
            samples = itemgetter(*sound[start : start + FRAME_SAMPLES])(_SAMPLES)
            middle_level = math.dist(samples[2:], samples[:-2]) / _MIDDLE_ROOT
            yield HeardFrame(samples, math.hypot(*samples) / _ROOT, middle_level)


_SAMPLES: Final = tuple(g711.decode(bytes(range(256))))
_ROOT: Final = math.sqrt(FRAME_SAMPLES)
# The mean of the squares of white noise is twice as high without its ends.
_MIDDLE_ROOT: Final = math.sqrt((FRAME_SAMPLES - 2) * 2)


class PacketClock:
    """The time of an order, counted in frames sent, beside the timestamps of the other side.

    Some senders send nothing in silence (RFC 3551 4.1).
    """

    def __init__(self) -> None:
        self.now_ms = 0
        self._heard_ms = 0
        self._expected: int | None = None
        self._missing = 0
        """Samples that are missing, and were not told yet. Negative if silence was told before its end."""

    def pass_frame(self) -> bool:
        """Count a sent frame. Return whether it is one of silence: the other side has sent no packet for a while."""
        self.now_ms += FRAME_MS
        is_silence = self._expected is not None and self.now_ms - self._heard_ms > UNHEARD_MS
        self._missing -= FRAME_SAMPLES * is_silence
        return is_silence

    def missing_before(self, timestamp: int, samples: int) -> int | None:
        """Return the number of frames that are missing before a packet; None for a packet that is too late."""
        expected, self._heard_ms = self._expected, self.now_ms
        gap = 0 if expected is None else (timestamp - expected + TIMESTAMPS // 2) % TIMESTAMPS - TIMESTAMPS // 2
        if -GAP_SAMPLES_MAX <= gap < 0:
            return None
        self._expected = (timestamp + samples) % TIMESTAMPS
        self._missing = max(0, self._missing + gap) if gap <= GAP_SAMPLES_MAX else 0
        frames, self._missing = divmod(self._missing, FRAME_SAMPLES)
        return frames
