"""Conference rooms: everybody hears the others."""

from array import array
from collections import deque
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.activities import Activity
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.carriers.media.tones import silence

MEMBERS_MAX: Final = 16
BUFFER_FRAMES_MAX: Final = 3
"""Frames of a member that wait to be mixed: 60 ms. Older ones are dropped."""
_QUIET: Final = silence(FRAME_MS)
_LOUDEST: Final = 32_767


class Conferring(Activity):
    """One member of a room."""

    hears_sound = True

    def __init__(self, turn: int, room: str) -> None:
        super().__init__(turn)
        self.room: Final = room
        self.waiting: deque[bytes] = deque(maxlen=BUFFER_FRAMES_MAX)
        self.mixed = _QUIET

    def next_frame(self) -> bytes:
        """Return the sound of the others."""
        return self.mixed

    def take_frame(self, timestamp: int, frame: bytes) -> None:  # noqa: ARG002 - it is mixed as it comes
        """Keep a frame until it is mixed."""
        if len(frame) == FRAME_SAMPLES:
            self.waiting.append(frame)


def mix(members: list[Conferring]) -> None:
    """Mix the next 20 ms of a room: each member hears the sum of the others."""
    decoded = [g711.decode(one.waiting.popleft()) if one.waiting else None for one in members]
    spoken = [samples for samples in decoded if samples is not None]
    total = [sum(each) for each in zip(*spoken, strict=True)] if spoken else []
    for member, own in zip(members, decoded, strict=True):
        if not spoken or (own is not None and len(spoken) == 1):
            member.mixed = _QUIET
            continue
        heard = total if own is None else [one - mine for one, mine in zip(total, own, strict=True)]
        member.mixed = g711.encode(array("h", [max(-_LOUDEST, min(_LOUDEST, one)) for one in heard]))
