"""Person or machine, and the beep of a machine, from the energy and the zero crossings of frames."""

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
FLOOR_RISE: Final = 1.02
"""The floor rises by so much a frame: noise becomes the floor within seconds, speech does not."""
BEEP_MS: Final = 160
BEEP_SPREAD_MAX: Final = 2
"""Most by which the zero crossings of two frames of a tone differ."""
BEEP_CROSSINGS: Final = range(12, 81)
"""Zero crossings of a frame of 20 ms of a beep: 300 Hz to 2,000 Hz."""
BEEP_LEVEL_MIN: Final = 400.0


class GreetingJudge:
    """Listens to the first seconds after the answer, or to a recording."""

    def __init__(self) -> None:
        self._floor = LEVEL_MIN / OVER_FLOOR
        self._heard_ms = 0
        self._voice_ms = 0
        self._decision: AmdStatus | None = None
        self.silence_ms = 0
        """Length of the silence at the end of what was heard."""

    def take_frame(self, frame: bytes) -> None:
        """Listen to a frame of µ-law."""
        level = level_of(frame)
        self._heard_ms += FRAME_MS
        is_voice = level > max(LEVEL_MIN, self._floor * OVER_FLOOR)
        self._floor = min(self._floor * FLOOR_RISE, max(level, 1.0))
        if is_voice:
            # A pause shorter than the one after which people wait belongs to the greeting.
            self._voice_ms += FRAME_MS + (self.silence_ms if self._voice_ms else 0)
            self.silence_ms = 0
        else:
            self.silence_ms += FRAME_MS
        if self._decision is None and self._voice_ms >= MACHINE_VOICE_MS:
            self._decision = AmdStatus.MACHINE
        elif self._decision is None and self._voice_ms and self.silence_ms >= PAUSE_MS:
            self._decision = AmdStatus.PERSON

    def verdict(self, since_answer_ms: int) -> AmdStatus | None:
        """Return the decision; None if it is still to come."""
        if self._decision is not None:
            return self._decision
        is_late = since_answer_ms >= DECIDE_MS or (not self._voice_ms and since_answer_ms >= NOTHING_MS)
        return AmdStatus.UNSURE if is_late else None


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
