"""Conference rooms: everybody hears the others."""

from array import array
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.dtmf_inband import silence
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, TIMESTAMPS, samples_between

MEMBERS_MAX: Final = 16
BUFFER_FRAMES: Final = 3
"""Frames of a member that are held back after silence, 60 ms: packets do not come as evenly as they were sent."""
BUFFER_FRAMES_MAX: Final = 10
"""Frames of a member that wait to be mixed. The oldest of more are dropped, as after a burst."""
_QUIET: Final = silence(FRAME_MS)
_LOUDEST: Final = 32_767


class JitterBuffer:
    """The frames of one member, in the order of their timestamps."""

    def __init__(self) -> None:
        self._frames: dict[int, bytes] = {}
        self._next: int | None = None
        """The timestamp of the next frame; None while frames are held back."""

    def put(self, timestamp: int, frame: bytes) -> None:
        """Keep a frame until it is mixed. A frame that is too late is dropped."""
        if self._next is not None and samples_between(self._next, timestamp) <= -FRAME_SAMPLES:
            # A frame that was sent later than all that wait is no late one: the timestamps have begun anew.
            if -samples_between(self._next, timestamp) <= BUFFER_FRAMES_MAX * FRAME_SAMPLES:
                return
            self._frames.clear()
            self._next = None
        self._frames[timestamp] = frame + _QUIET[len(frame) :]
        if len(self._frames) > BUFFER_FRAMES_MAX:
            while len(self._frames) > BUFFER_FRAMES:
                del self._frames[self._oldest()]
            self._next = self._oldest()

    def take(self) -> bytes | None:
        """Return the next frame; None if it is missing."""
        if not self._frames:
            self._next = None
            return None
        if self._next is None and len(self._frames) < BUFFER_FRAMES:
            return None
        oldest = self._oldest()
        wait = 0 if self._next is None else samples_between(self._next, oldest)
        if self._next is not None and FRAME_SAMPLES <= wait < BUFFER_FRAMES_MAX * FRAME_SAMPLES:
            self._next = (self._next + FRAME_SAMPLES) % TIMESTAMPS
            return None
        self._next = (oldest + FRAME_SAMPLES) % TIMESTAMPS
        return self._frames.pop(oldest)

    def __len__(self) -> int:
        return len(self._frames)

    def _oldest(self) -> int:
        first = next(iter(self._frames))
        return min(self._frames, key=lambda timestamp: samples_between(first, timestamp))


class Conferring(Activity):
    """The order of a leg that talks in a conference room."""

    hears_sound = True

    def __init__(self, turn: int, room: str) -> None:
        super().__init__(turn)
        self.room: Final = room
        self.waiting: Final = JitterBuffer()
        self.mixed = _QUIET

    def next_frame(self) -> bytes:
        """Return the mixed sound of the other members of the room."""
        return self.mixed

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Keep a frame of this member until the room is mixed."""
        self.waiting.put(timestamp, frame)


def mix(members: list[Conferring]) -> None:
    """Mix the next 20 ms of a room: each member hears the sum of the other members."""
    taken = [conferring.waiting.take() for conferring in members]
    decoded = [None if frame is None else g711.decode(frame) for frame in taken]
    spoken = [samples for samples in decoded if samples is not None]
    total = [sum(each) for each in zip(*spoken, strict=True)] if spoken else []
    for member, own in zip(members, decoded, strict=True):
        if not spoken or (own is not None and len(spoken) == 1):
            member.mixed = _QUIET
            continue
        heard = total if own is None else [sample - mine for sample, mine in zip(total, own, strict=True)]
        member.mixed = g711.encode(array("h", [max(-_LOUDEST, min(_LOUDEST, sample)) for sample in heard]))
