"""Sound of packets of any length as frames of 20 ms, and the places of frames in time (RFC 3551 4.2, RFC 3550 5.1)."""

from typing import Final

from dialer.carriers.media.rtp import FRAME_SAMPLES, RATE_HZ, TIMESTAMPS, samples_between

LATE_SAMPLES: Final = RATE_HZ // 5
"""Time without a frame, 200 ms, after which the other side says nothing. Until then, a frame may be under way."""
JUMP_SAMPLES: Final = RATE_HZ
"""Difference between the clock and the timestamps, a second, that is no delay: the timestamps have begun anew."""
GAP_FRAMES_MAX: Final = 300
"""Frames of silence that are heard in one gap, 6 s, which is longer than any limit of silence."""


class Framer:
    """Cuts sound into frames of 20 ms, and joins what is shorter."""

    def __init__(self) -> None:
        self._rest = b""
        self._next = 0

    def frames(self, timestamp: int, data: bytes) -> list[tuple[int, bytes]]:
        """Return the frames that a packet completes, with their timestamps. Before a gap, one may be shorter."""
        if len(data) == FRAME_SAMPLES and not self._rest:
            return [(timestamp, data)]
        frames: list[tuple[int, bytes]] = []
        if self._rest:
            begun = (self._next - len(self._rest)) % TIMESTAMPS
            if timestamp == self._next:
                timestamp, data = begun, self._rest + data
            else:
                frames.append((begun, self._rest))
        whole = len(data) - len(data) % FRAME_SAMPLES
        places = range(0, whole, FRAME_SAMPLES)
        frames += [((timestamp + at) % TIMESTAMPS, data[at : at + FRAME_SAMPLES]) for at in places]
        self._rest, self._next = data[whole:], (timestamp + len(data)) % TIMESTAMPS
        return frames


class Timeline:
    """The time of an order in samples, and the place of each frame in it.

    Timestamps tell the place as long as they go with the clock. After a jump, they begin anew where the clock is.
    """

    def __init__(self) -> None:
        self.now = 0
        """Samples since the order began, by the clock."""
        self._origin: int | None = None
        """The timestamp of the place 0."""
        self._end = 0
        """The end of the latest frame."""
        self._heard = 0
        """The end of what was heard, with silence where nothing came."""
        self._came = 0
        """The moment of the latest frame."""

    def tick(self) -> bool:
        """Let 20 ms pass. Return whether a frame of silence replaces sound that has not come."""
        self.now += FRAME_SAMPLES
        if self.now - self._came <= LATE_SAMPLES:
            return False
        self._heard += FRAME_SAMPLES
        return True

    def place(self, timestamp: int, length: int) -> tuple[int, int]:
        """Return the place of a frame, and the number of frames of silence that are heard before it."""
        if self._origin is None:
            self._origin = (timestamp - self.now) % TIMESTAMPS
        start = samples_between(self._origin, timestamp)
        if abs(start - self.now) > JUMP_SAMPLES:
            start = max(self._end, self.now)
            self._origin = (timestamp - start) % TIMESTAMPS
        missing = max(0, start - self._heard) // FRAME_SAMPLES
        self._end = max(self._end, start + length)
        self._heard = max(self._heard, start + length)
        self._came = self.now
        return start, min(missing, GAP_FRAMES_MAX)
