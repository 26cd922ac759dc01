"""The sound of both sides of a leg, from its answer on, in blocks of half a second."""

from collections.abc import Sequence
from typing import Final, Protocol

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import FRAME_SAMPLES
from dialer.carriers.media.rtp_frames import LATE_SAMPLES, Timeline
from dialer.domain.calls.call_recording import lasts, silent_spans
from dialer.domain.formats.sealed_sound import BLOCK_BYTES, CHANNELS, SIDE_BYTES

AHEAD_SAMPLES: Final = 2 * SIDE_BYTES
"""Sound that is further ahead of the clock, a second, is dropped: timestamps can say anything."""
LOST_SAMPLES: Final = 4 * FRAME_SAMPLES
"""Time in which nothing but packets came whose places are gone, 80 ms, after which their timestamps have begun anew:
the delay of a side has changed for good, or its clock is another one. A burst after a pause is shorter."""
_QUIET: Final = bytes([g711.SILENCE])
QUIET_BLOCK: Final = _QUIET * BLOCK_BYTES


class Spool(Protocol):
    """The place of the blocks of a tape, which moves with it to other processes."""

    def open(self) -> None:
        """Make it ready.

        Raises:
            OSError: nothing can be written there.
        """

    def discard(self) -> None:
        """Delete what was written.

        Raises:
            OSError: it cannot be deleted.
        """

    def write(self, blocks: Sequence[bytes]) -> None:
        """Write the next blocks.

        Raises:
            OSError: they cannot be written.
        """


class _Side:
    """The sound of one side that is not in a finished block yet, where its timestamps say."""

    def __init__(self) -> None:
        self._timeline = Timeline()
        self._sound = bytearray()
        self._lost_from: int | None = None
        """The moment of the first of the packets that were dropped last; None if the last one was kept."""

    @property
    def now(self) -> int:
        """Samples since the tape began, by the clock."""
        return self._timeline.now

    def tick(self) -> None:
        self._timeline.tick()

    def put(self, begin: int, timestamp: int, sound: bytes, *, is_kept: bool) -> None:
        """Put sound in its place, of which what is before `begin` or too far ahead of the clock is lost.

        Sound that is not to be kept only tells where the sound after it belongs.
        """
        start, _ = self._timeline.place(timestamp, len(sound))
        if start + len(sound) <= begin or start > self.now + AHEAD_SAMPLES:
            if self._lost_from is None:
                self._lost_from = self.now
            if self.now - self._lost_from < LOST_SAMPLES:
                return
            self._begin_anew()
            start, _ = self._timeline.place(timestamp, len(sound))
        self._lost_from = None
        if not is_kept:
            return
        place = start - begin
        if place < 0:
            sound, place = sound[-place:], 0
        if place > len(self._sound):
            self._sound += _QUIET * (place - len(self._sound))
        self._sound[place : place + len(sound)] = sound

    def _begin_anew(self) -> None:
        """Let the next timestamp be that of this moment, whatever came before."""
        now = self.now
        self._timeline = Timeline()
        self._timeline.now = now

    def take(self, samples: int) -> bytes:
        """Return the next samples, with silence where nothing came, and forget them."""
        taken = bytes(self._sound[:samples])
        del self._sound[:samples]
        return taken + _QUIET * (samples - len(taken))


class CallTape:
    """The recording of a leg in progress. Its time is counted in ticks of the clock that sends packets.

    It moves with its leg to other processes, so it can be pickled.
    """

    def __init__(self, spool: Spool, *, is_silent: bool = False) -> None:
        """Begin it. The room of the sound writes its blocks into `spool`: the tape itself writes nothing."""
        self.spool: Final = spool
        self._silences: list[int] = [0] if is_silent else []
        """The moments in samples at which silence began and ended, in turns, since the last block."""
        self._callee: Final = _Side()
        self._ours: Final = _Side()
        self._begin = 0
        """Samples in the blocks that were taken."""

    def tick(self, frames: int = 1) -> None:
        """Let 20 ms pass, or so many of them."""
        for _ in range(frames):
            self._callee.tick()
            self._ours.tick()

    def hear(self, timestamp: int, sound: bytes) -> None:
        """Keep µ-law of the callee, unless silence is kept now."""
        self._callee.put(self._begin, timestamp, sound, is_kept=not lasts(self._silences))

    def say(self, timestamp: int, sound: bytes) -> None:
        """Keep µ-law that the callee hears, unless silence is kept now."""
        self._ours.put(self._begin, timestamp, sound, is_kept=not lasts(self._silences))

    def silence(self, *, is_silent: bool) -> None:
        """Keep silence from now on, or sound again.

        Silence begins with what is not in a block yet and may still be under way: its order has been under way, too.
        Sound of a silence that comes after its end is none either, because its place is silent.
        """
        if is_silent == lasts(self._silences):
            return
        now = self._ours.now
        self._silences.append(max(self._begin, now - LATE_SAMPLES) if is_silent else now)

    @property
    def has_block(self) -> bool:
        """True once nothing that belongs to the next block can be under way any more."""
        return self._ours.now - self._begin >= SIDE_BYTES + LATE_SAMPLES

    def take_block(self) -> bytes:
        """Return the next block, whose samples alternate between the sides, and forget it."""
        return self._take(SIDE_BYTES)

    def rest(self) -> list[bytes]:
        """Return what is left up to this moment, in blocks, of which the last one may be shorter."""
        left = self._ours.now - self._begin
        return [self._take(min(SIDE_BYTES, left - at)) for at in range(0, left, SIDE_BYTES)]

    def _take(self, samples: int) -> bytes:
        block = bytearray(samples * CHANNELS)
        block[0::CHANNELS] = self._callee.take(samples)
        block[1::CHANNELS] = self._ours.take(samples)
        end = self._begin + samples
        for first, last in silent_spans([self._silences], self._begin, end):
            block[first * CHANNELS : last * CHANNELS] = _QUIET * ((last - first) * CHANNELS)
        self._begin = end
        while len(self._silences) > 1 and self._silences[1] <= end:
            del self._silences[:2]
        return bytes(block)
