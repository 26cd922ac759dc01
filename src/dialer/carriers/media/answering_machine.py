"""Person or machine, from the lengths of what is spoken after the answer, of its pauses, and from a beep.

A person who answers says a few words, and waits. A machine talks on, or beeps. The limits are a compromise:
`benchmarks.detecting` counts their errors.
"""

import re
from bisect import bisect_left, insort
from collections import deque
from statistics import median
from typing import Final, NamedTuple

from dialer.carriers.media.beeps import BeepFinder
from dialer.carriers.media.incoming_sound import FrameCutter
from dialer.carriers.media.rtp import FRAME_MS
from dialer.domain.words.enums import AmdSensitivity, AmdStatus

NOTHING_MS: Final = 2_500
"""Silence from the answer on after which detection gives up."""
DECIDE_MS: Final = 7_000
"""Time from the answer on after which detection gives up in any case."""
LEVEL_MIN: Final = 45.0
"""Level below which a frame is silence, in a line without any noise."""
OVER_FLOOR: Final = 2.2
"""A voice is this many times louder than the floor."""
UNDER_PEAK: Final = 0.25
"""Frames that are quieter than this share of the loudest voice belong to its surroundings."""
NEAR_UNDER_PEAK: Final = 0.33
"""Voices behind the callee's may reach `UNDER_PEAK`, and hardly this share."""
NEAR_PAUSE_MS: Final = 1_300
"""Time in which no frame is as loud as that, after which the callee waits for an answer, whoever speaks behind."""
NEAR_MS_MIN: Final = 60
"""Voice as loud as that, at least. It is shorter than all voice."""
RECORDED_UNDER_PEAK: Final = 0.04
"""This share in a recording, whose speaker may turn away from the telephone."""
FLOOR_SHARE: Final = 10
"""The floor is the level below which one frame in ten lies: even fast speech has so many pauses."""
FRAMES_KEPT_MAX: Final = 500
"""Frames that are remembered, 10 s, and from which the floor is worked out."""
TONE_FRAMES_MIN: Final = 5
"""Frames of a steady tone, 100 ms, that are no voice."""
VOICE_MS_MIN: Final = 100
"""Voice that is shorter is a click."""
CLICK_FRAMES: Final = 2
"""Frames in a row that are no voice, if there are not more of them."""
REMAINS_MS: Final = 300
"""A tone that begins so soon after the answer is what remains of the ringing, not a beep."""
CUT_BEGIN_FRAMES: Final = 3
"""A sound that begins within these frames was there before the answer."""
CUT_FRAMES_MAX: Final = 40
"""Longest sound, 800 ms, that may be music of the ringing."""
CUT_SHARE_MIN: Final = 0.7
"""Such a sound that keeps this share of its median level until its end was cut off: a voice fades."""
LOST_FRAMES_MAX: Final = 3
"""Missing frames in a row that were lost. More of them are silence for which nothing was sent."""
PEAK_FRAMES: Final = 4
"""The loudest voice is the level that so many frames reach."""
_VOICES: Final = re.compile(rb"\x01{%d,}" % (CLICK_FRAMES + 1))
"""Loud frames in a row, which are 1 in a row of frames."""


class GreetingLimits(NamedTuple):
    """The lengths by which a greeting is a machine's or a person's, in milliseconds."""

    machine: int
    """A greeting of this length is a machine's."""
    short: int
    """A greeting that is not longer is short."""
    short_pause: int
    """Silence after a short greeting, in which a person waits for an answer."""
    pause: int
    """Silence after a longer greeting: machines pause too, or beep."""


LIMITS: Final = {
    AmdSensitivity.CAUTIOUS: GreetingLimits(4_000, 1_000, 440, 900),
    AmdSensitivity.BALANCED: GreetingLimits(2_900, 800, 480, 1_200),
    AmdSensitivity.EAGER: GreetingLimits(2_200, 750, 480, 1_300),
}


class Greeting(NamedTuple):
    """The lengths of a greeting, in milliseconds."""

    length: int
    """From the begin of the first voice to the end of the last."""
    voice: int
    """Its length without pauses."""
    silence: int
    """The silence after it."""


class Loudness:
    """The loudness of the latest frames of sound, and the level above which a frame counts as voice."""

    def __init__(self) -> None:
        self.levels: Final = deque[float](maxlen=FRAMES_KEPT_MAX)
        self._heard: Final[list[float]] = []
        """The levels that count for the floor, in their order."""

    def keep(self, level: float, *, is_heard: bool = True) -> None:
        """Add a frame; one that was not heard does not count for the floor."""
        if len(self.levels) == FRAMES_KEPT_MAX:
            self._forget(self.levels[0])
        self.levels.append(level)
        if is_heard:
            insort(self._heard, level)

    def silence_last(self, frames: int) -> None:
        """Take the last frames for silence."""
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


class AnsweringMachineDetector:
    """Listens to the first seconds after the answer, or to a recording.

    A frame is voice if it is louder than the floor. The floor is known better with each frame, so earlier frames are
    judged again: a noisy line does not begin with a voice.
    """

    def __init__(
        self, sensitivity: AmdSensitivity = AmdSensitivity.BALANCED, *, tones_are_silence: bool = True
    ) -> None:
        """Prepare it. Finding tones, so that they are silence, takes most of the time of listening."""
        self._tones_are_silence: Final = tones_are_silence
        self._limits: Final = LIMITS[sensitivity]
        self._whole: Final = Loudness()
        self._middle: Final = Loudness()
        self._cutter: Final = FrameCutter()
        self.beeps: Final = BeepFinder(REMAINS_MS)

    def take_frame(self, frame: bytes) -> None:
        """Listen to a packet of µ-law of any length."""
        for heard in self._cutter.frames_of(frame):
            if self._tones_are_silence:
                self.beeps.take_frame(heard)
            self._whole.keep(heard.level)
            self._middle.keep(heard.middle_level)
            if self.beeps.tone_frames >= TONE_FRAMES_MIN:
                self._whole.silence_last(self.beeps.tone_frames)
                self._middle.silence_last(self.beeps.tone_frames)

    def miss_frames(self, count: int) -> None:
        """Take note of frames that were not sent, or were lost. A few of them sound like the last one."""
        is_loss = count <= LOST_FRAMES_MAX
        for loudness in (self._whole, self._middle):
            level = loudness.levels[-1] if loudness.levels and is_loss else 0.0
            for _ in range(min(count, FRAMES_KEPT_MAX)):
                loudness.keep(level, is_heard=not is_loss)

    def hear_nothing(self) -> None:
        """Count a frame of silence during which the other side sent no packet."""
        self._whole.keep(0.0)
        self._middle.keep(0.0)

    def verdict(self, since_answer_ms: int) -> AmdStatus | None:
        """Return the decision; None if it is still to come."""
        heard, limits = self._heard(UNDER_PEAK), self._limits
        if self.beeps.has_begun or heard.length >= limits.machine:
            return AmdStatus.MACHINE
        is_voice = heard.voice >= VOICE_MS_MIN
        if is_voice and heard.silence >= (limits.short_pause if heard.length <= limits.short else limits.pause):
            return AmdStatus.PERSON
        if is_voice and heard.length >= NEAR_PAUSE_MS and self._is_near_voice_over():
            return AmdStatus.PERSON
        is_late = since_answer_ms >= DECIDE_MS or (not is_voice and since_answer_ms >= NOTHING_MS)
        return AmdStatus.UNSURE if is_late else None

    def _is_near_voice_over(self) -> bool:
        """Return whether only the callee's surroundings are heard, and for so long that a person waits."""
        near = self._heard(NEAR_UNDER_PEAK)
        return near.voice >= NEAR_MS_MIN and near.silence >= NEAR_PAUSE_MS

    @property
    def pause_ms(self) -> int:
        """The length of the silence at the end of a greeting."""
        return self._heard(UNDER_PEAK).silence

    @property
    def silence_ms(self) -> int:
        """The length of the silence at the end of a recording."""
        voices = self._voices(RECORDED_UNDER_PEAK)
        return (len(self._whole.levels) - (voices[-1].stop if voices else 0)) * FRAME_MS

    def _heard(self, under_peak: float) -> Greeting:
        """Return the length of the voice, with the pauses in it, and of the silence after it."""
        runs = self._voices(under_peak)
        if runs and self._is_cut_off(runs[0]):
            del runs[0]
        frames = len(self._whole.levels)
        if not runs:
            return Greeting(0, 0, frames * FRAME_MS)
        begin, end = runs[0].start, runs[-1].stop
        return Greeting((end - begin) * FRAME_MS, sum(map(len, runs)) * FRAME_MS, (frames - end) * FRAME_MS)

    def _voices(self, under_peak: float) -> list[range]:
        """Return the places of loud frames that follow each other."""
        least, middle_least = self._whole.least(under_peak), self._middle.least(under_peak)
        levels = zip(self._whole.levels, self._middle.levels, strict=True)
        is_loud = bytes([level > least or middle > middle_least for level, middle in levels])
        return [range(*voice.span()) for voice in _VOICES.finditer(is_loud)]

    def _is_cut_off(self, run: range) -> bool:
        """Return whether a sound is there from the first moment on, and ends without fading: music of the ringing."""
        if run.start > CUT_BEGIN_FRAMES or len(run) > CUT_FRAMES_MAX or run.stop >= len(self._whole.levels):
            return False
        levels = [self._whole.levels[place] for place in run]
        return max(levels[-2:]) >= CUT_SHARE_MIN * median(levels)
