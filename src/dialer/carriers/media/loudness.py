"""The loudness of frames, and the places of those that are voice: louder than the floor and than what is behind."""

import re
from bisect import bisect_left, insort
from collections import deque
from typing import Final

LEVEL_MIN: Final = 45.0
"""Level below which a frame is silence, in a line without any noise."""
OVER_FLOOR: Final = 2.2
"""A voice is this many times louder than the floor."""
FLOOR_SHARE: Final = 10
"""The floor is the level below which one frame in ten lies: even fast speech has so many pauses."""
FRAMES_KEPT_MAX: Final = 500
"""Frames that are remembered, 10 s, and from which the floor is worked out."""
CLICK_FRAMES: Final = 2
"""Frames in a row that are no voice, if there are not more of them."""
PEAK_FRAMES: Final = 4
"""The loudest voice is the level that so many frames reach."""
_LOUD: Final = b"\x01"
_VOICES: Final = re.compile(rb"\x01{%d,}" % (CLICK_FRAMES + 1))
"""Loud frames in a row, which are 1 in a row of frames."""


class Loudness:
    """The loudness of the latest frames of sound, and the level above which a frame counts as voice."""

    def __init__(self) -> None:
        self.levels: Final = deque[float](maxlen=FRAMES_KEPT_MAX)
        self._heard: Final[list[float]] = []
        """The levels that count for the floor, in their order."""
        self.rewritten = 0
        """Times that earlier levels have changed, or were forgotten."""

    def keep(self, level: float, *, is_heard: bool = True) -> None:
        """Add a frame; one that was not heard does not count for the floor."""
        if len(self.levels) == FRAMES_KEPT_MAX:
            self._forget(self.levels[0])
            self.rewritten += 1
        self.levels.append(level)
        if is_heard:
            insort(self._heard, level)

    def silence_last(self, frames: int) -> None:
        """Take the last frames for silence."""
        self.rewritten += 1
        for place in range(-min(frames, len(self.levels)), 0):
            self._forget(self.levels[place])
            self.levels[place] = 0.0

    def _forget(self, level: float) -> None:
        place = bisect_left(self._heard, level)
        if place < len(self._heard) and self._heard[place] == level:
            del self._heard[place]

    def least(self, under_peak: float) -> float:
        """Return the level above which a frame counts as voice: at least a share of the loudest voice so far."""
        if not self._heard:
            return LEVEL_MIN
        floor = self._heard[len(self._heard) // FLOOR_SHARE]
        peak = self._heard[-min(PEAK_FRAMES, len(self._heard))]
        return max(LEVEL_MIN, floor * OVER_FLOOR, peak * under_peak)


class VoiceRuns:
    """The places of loud frames that follow each other, which are voice.

    As long as no limit moves and no earlier level changes, only new frames are judged.
    """

    def __init__(self, whole: Loudness, middle: Loudness, under_peak: float) -> None:
        self._whole: Final = whole
        self._middle: Final = middle
        self._under_peak: Final = under_peak
        self._judged_by: tuple[float, float, int] | None = None
        self._frames = 0
        """Number of frames that are judged."""
        self._loud = 0
        """Number of loud frames in a row at their end."""
        self._runs: list[range] = []

    def places(self) -> list[range]:
        """Return the places. Do not change the list."""
        least, middle_least = self._whole.least(self._under_peak), self._middle.least(self._under_peak)
        judged_by = (least, middle_least, self._whole.rewritten)
        if judged_by != self._judged_by:
            self._judged_by = judged_by
            self._judge_all(least, middle_least)
        levels, middle_levels = self._whole.levels, self._middle.levels
        for place in range(self._frames, len(levels)):
            self._judge_next(is_loud=levels[place] > least or middle_levels[place] > middle_least)
        return self._runs

    def _judge_all(self, least: float, middle_least: float) -> None:
        levels = zip(self._whole.levels, self._middle.levels, strict=True)
        is_loud = bytes([level > least or middle > middle_least for level, middle in levels])
        self._runs = [range(*voice.span()) for voice in _VOICES.finditer(is_loud)]
        self._frames, self._loud = len(is_loud), len(is_loud) - len(is_loud.rstrip(_LOUD))

    def _judge_next(self, *, is_loud: bool) -> None:
        self._frames += 1
        self._loud = self._loud + 1 if is_loud else 0
        run = range(self._frames - self._loud, self._frames)
        if len(run) == CLICK_FRAMES + 1:
            self._runs.append(run)
        elif len(run) > CLICK_FRAMES:
            self._runs[-1] = run
