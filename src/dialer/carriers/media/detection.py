"""Person or machine, and the beep of a machine, from the energy and the zero crossings of frames."""

from collections import deque
from itertools import pairwise
from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.domain.enums import AmdStatus

MACHINE_VOICE_MS: Final = 1_800
"""A greeting of this length without a pause is a machine's: people say hello, and wait."""
PAUSE_MS: Final = 800
"""Silence after a voice after which a person waits for an answer."""
NOTHING_MS: Final = 2_500
"""Silence from the answer on after which detection gives up."""
DECIDE_MS: Final = 5_000
LEVEL_MIN: Final = 100.0
"""Mean amplitude below which a frame is silence, in a line without any noise."""
OVER_FLOOR: Final = 3.0
"""A voice is this many times louder than the floor."""
FLOOR_SHARE: Final = 10
"""The floor is the level below which one frame in ten lies: even fast speech has so many pauses."""
FRAMES_KEPT_MAX: Final = 500
"""Frames that are remembered, 10 s, and from which the floor is worked out."""
BEEP_MS: Final = 160
BEEP_SPREAD_MAX: Final = 2
"""Most by which the zero crossings of two frames of a tone differ."""
BEEP_CROSSINGS: Final = range(12, 81)
"""Zero crossings of a frame of 20 ms of a beep: 300 Hz to 2,000 Hz."""
BEEP_LEVEL_MIN: Final = 400.0


class GreetingJudge:
    """Listens to the first seconds after the answer, or to a recording.

    A frame is voice if it is louder than the floor. The floor is known better with each frame, so earlier frames are
    judged again: a noisy line does not begin with a voice.
    """

    def __init__(self) -> None:
        self._levels: deque[float] = deque(maxlen=FRAMES_KEPT_MAX)

    def take_frame(self, frame: bytes) -> None:
        """Listen to a frame of µ-law."""
        self._levels.append(level_of(frame))

    def verdict(self, since_answer_ms: int) -> AmdStatus | None:
        """Return the decision; None if it is still to come."""
        voice_ms, silence_ms = self._heard()
        if voice_ms >= MACHINE_VOICE_MS:
            return AmdStatus.MACHINE
        if voice_ms and silence_ms >= PAUSE_MS:
            return AmdStatus.PERSON
        is_late = since_answer_ms >= DECIDE_MS or (not voice_ms and since_answer_ms >= NOTHING_MS)
        return AmdStatus.UNSURE if is_late else None

    @property
    def silence_ms(self) -> int:
        """The length of the silence at the end of what was heard."""
        return self._heard()[1]

    def _heard(self) -> tuple[int, int]:
        """Return the lengths of the voice, with the short pauses in it, and of the silence after it."""
        if not self._levels:
            return 0, 0
        floor = sorted(self._levels)[len(self._levels) // FLOOR_SHARE]
        least = max(LEVEL_MIN, floor * OVER_FLOOR)
        voice_ms = silence_ms = 0
        for level in self._levels:
            if level <= least:
                silence_ms += FRAME_MS
            else:
                voice_ms += FRAME_MS + (silence_ms if voice_ms else 0)
                silence_ms = 0
        return voice_ms, silence_ms


class BeepFinder:
    """Finds a tone of one frequency, which no voice holds for so long."""

    def __init__(self) -> None:
        self._crossings: list[int] = []
        self._has_beeped = False
        self.is_over = False
        """True if a beep was heard, and has ended."""

    def take_frame(self, frame: bytes) -> None:
        """Listen to a frame of µ-law."""
        samples = g711.decode(frame)
        crossings = sum((one < 0) != (two < 0) for one, two in pairwise(samples))
        is_tone = level_of(frame) >= BEEP_LEVEL_MIN and crossings in BEEP_CROSSINGS
        together = [*self._crossings, crossings]
        is_even = is_tone and max(together) - min(together) <= BEEP_SPREAD_MAX
        if self._has_beeped and not is_even:
            self.is_over = True
        self._crossings = together[-(BEEP_MS // FRAME_MS) :] if is_even else [crossings] if is_tone else []
        self._has_beeped = self._has_beeped or len(self._crossings) * FRAME_MS >= BEEP_MS


def level_of(frame: bytes) -> float:
    """Return the mean amplitude of a frame of µ-law."""
    return sum(map(_AMPLITUDES.__getitem__, frame)) / max(len(frame), FRAME_SAMPLES)


_AMPLITUDES: Final = tuple(abs(sample) for sample in g711.decode(bytes(range(256))))
