"""The sound of a program on its way to the callee: joined, begun late enough to have no holes, with marks in order."""

from collections import deque
from typing import Final

from dialer.carriers.media.rtp import FRAME_SAMPLES, RATE_HZ

BEGINS_AT: Final = RATE_HZ * 160 // 1_000
"""Bytes that wait before a sound begins, 160 ms. Programs send in pieces, between which there would be holes."""
WAITING_MAX: Final = RATE_HZ * 300
"""Bytes that wait to be played, 300 s. Further ones are dropped."""
MARKS_MAX: Final = 100_000
MARK_CHARACTERS_MAX: Final = 4_194_304
LAST_WORDS_MAX: Final = RATE_HZ * 10
"""Bytes that are played after the end, 10 s."""
SILENCE: Final = b"\xff" * FRAME_SAMPLES
_QUIET_FROM: Final = 0x70
_QUIET: Final = bytes(byte for byte in range(256) if byte & 0x7F >= _QUIET_FROM)
"""The bytes of µ-law that nobody hears: they fall as the sound grows."""


class Playout:
    """The sound and the marks of a program that wait to be played. A frame is taken every 20 ms."""

    def __init__(self) -> None:
        self._sound = bytearray()
        self._marks: deque[tuple[int, str]] = deque()
        """Marks, each with the number of bytes that are played before it."""
        self._mark_characters = 0
        self._played = 0
        self._is_running = False
        self._waited = 0
        """Bytes that were not played since the first piece came."""
        self.dropped = 0
        """Bytes that found no room."""

    def __len__(self) -> int:
        return len(self._sound)

    def add(self, sound: bytes) -> None:
        """Take sound of any length, as far as there is room."""
        kept = sound[: max(0, WAITING_MAX - len(self._sound))]
        self.dropped += len(sound) - len(kept)
        self._sound += kept

    def mark(self, name: str) -> bool:
        """Take a mark. Return False if too many wait."""
        is_full = len(self._marks) >= MARKS_MAX or self._mark_characters + len(name) > MARK_CHARACTERS_MAX
        if not is_full:
            self._marks.append((self._played + len(self._sound), name))
            self._mark_characters += len(name)
        return not is_full

    def clear(self) -> list[str]:
        """Drop all sound that waits, and return the marks that waited, in order."""
        self._played += len(self._sound)
        self._sound.clear()
        self._is_running, self._waited = False, 0
        return self.reached()

    def reached(self) -> list[str]:
        """Return the marks before which nothing waits any more, in order."""
        names = []
        while self._marks and self._marks[0][0] <= self._played:
            _, name = self._marks.popleft()
            self._mark_characters -= len(name)
            names.append(name)
        return names

    def frame(self) -> bytes:
        """Return the next 20 ms: sound, or silence where none is due. A rest without a successor is filled up."""
        sound = self._sound
        if not sound:
            self._is_running, self._waited = False, 0
            return SILENCE
        if not self._is_running:
            self._is_running = len(sound) >= BEGINS_AT or self._waited >= BEGINS_AT or bool(self._marks)
            self._waited += FRAME_SAMPLES
            if not self._is_running:
                return SILENCE
        piece = bytes(sound[:FRAME_SAMPLES])
        del sound[:FRAME_SAMPLES]
        self._played += len(piece)
        if len(piece) < FRAME_SAMPLES or not sound:
            self._is_running, self._waited = bool(sound), 0
        return piece + SILENCE[len(piece) :]

    def end(self) -> None:
        """Leave only the last words: no silence behind them, and not for too long. They begin at once.

        Marks behind what is left come back with the last of it.
        """
        spoken = len(self._sound.rstrip(_QUIET))
        del self._sound[min(spoken, LAST_WORDS_MAX) :]
        last = self._played + len(self._sound)
        self._marks = deque((min(at, last), name) for at, name in self._marks)
        self._is_running = True
