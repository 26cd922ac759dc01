"""Beeps and other steady tones in frames of 20 ms, which no voice holds for so long."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.media.frequencies import correlations_of, narrow_hz, tone_hz
from dialer.carriers.media.incoming_sound import HeardFrame
from dialer.carriers.media.rtp import FRAME_MS

BEEP_MS: Final = 180
"""Shortest tone that counts as a beep."""
NETWORK_HZ_MAX: Final = 510
"""Highest tone that may be ringing or busy. ITU-T E.180 recommends 400 to 450 Hz, and accepts up to 500.

The frequency of a frame is known to a few Hz.
"""
SPREAD_MAX: Final = 1.03
"""Largest ratio of the frequencies of two frames of a tone."""
NARROW_SPREAD_MAX: Final = 1.08
"""Largest ratio of the frequencies of two frames of tones that are close to each other."""
LEVEL_MIN: Final = 60.0
LEVELS_RATIO_MAX: Final = 2.0
"""Most by which the levels of two frames of a beep differ. Its first frame may be cut."""


class SteadyRun:
    """Frames in a row of about the same frequency."""

    def __init__(self, spread_max: float) -> None:
        self._spread_max: Final = spread_max
        self._least = self._most = 0.0
        self.frames = 0

    @property
    def hz(self) -> float:
        """The middle of their frequencies."""
        return (self._least + self._most) / 2

    def take(self, hz: float | None, *, is_even: bool = True) -> None:
        """Count a frame that continues the tone. Any other frame begins a new run."""
        if hz is None:
            self.frames = 0
            return
        least, most = (min(self._least, hz), max(self._most, hz)) if self.frames else (hz, hz)
        if not is_even or most > self._spread_max * least:
            least, most, self.frames = hz, hz, 0
        self._least, self._most = least, most
        self.frames += 1


class BeepFinder:
    """Finds a tone of one frequency. Tones that begin in the first `deaf_ms` are remains of ringing.

    A tone as low as those of networks is a beep only if `may_beep_low` returns True: it may be ringing or busy.
    """

    def __init__(self, deaf_ms: int, may_beep_low: Callable[[], bool]) -> None:
        self._deaf_frames: Final = deaf_ms // FRAME_MS
        self._may_beep_low: Final = may_beep_low
        self._frames = 0
        self._tone: Final = SteadyRun(SPREAD_MAX)
        self._narrow: Final = SteadyRun(NARROW_SPREAD_MAX)
        self._level = 0.0
        self.has_begun = False
        """True if a beep was heard."""
        self.is_over = False
        """True if a beep was heard, and has ended."""

    @property
    def tone_frames(self) -> int:
        """Number of frames of the tone, or of the tones close to each other, that are heard at present."""
        return max(self._tone.frames, self._narrow.frames)

    def take_frame(self, heard: HeardFrame) -> None:
        """Look for a beep in the next frame."""
        self._frames += 1
        before, self._level = self._level, heard.level
        ratio_max = LEVELS_RATIO_MAX
        is_even = self._tone.frames <= 1 or before <= ratio_max * heard.level <= ratio_max * ratio_max * before
        hz = narrow = None
        if heard.level >= LEVEL_MIN:
            sums = correlations_of(heard.samples, heard.energy, heard.middle_energy)
            hz, narrow = tone_hz(heard.samples, sums), narrow_hz(sums.middle)
        self._tone.take(hz, is_even=is_even)
        self._narrow.take(narrow)
        is_beep = self._tone.frames * FRAME_MS >= BEEP_MS and self._is_beep()
        self.is_over = self.is_over or (self.has_begun and not is_beep)
        self.has_begun = self.has_begun or is_beep

    def _is_beep(self) -> bool:
        """Return whether a tone that is long enough is a beep."""
        is_heard = self._frames - self._tone.frames >= self._deaf_frames
        return is_heard and (self._tone.hz > NETWORK_HZ_MAX or self._may_beep_low())
