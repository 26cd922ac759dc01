"""Person or machine, from the lengths of what is spoken after the answer, of its pauses, and from a beep.

A person who answers says a few words, and waits. A machine talks on, or beeps. The limits are a compromise:
`benchmarks.detecting` counts their errors.
"""

from statistics import median
from typing import Final, NamedTuple

from dialer.carriers.media.beeps import BeepFinder
from dialer.carriers.media.incoming_sound import FrameCutter
from dialer.carriers.media.loudness import FRAMES_KEPT_MAX, Loudness, VoiceRuns
from dialer.carriers.media.rtp import FRAME_MS
from dialer.domain.words.enums import AmdSensitivity, AmdStatus

NOTHING_MS: Final = 2_500
"""Silence from the answer on after which detection gives up."""
DECIDE_MS: Final = 7_000
"""Time from the answer on after which detection gives up in any case."""
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
UNDER_PEAKS: Final = (UNDER_PEAK, NEAR_UNDER_PEAK, RECORDED_UNDER_PEAK)
TONE_FRAMES_MIN: Final = 5
"""Frames of a steady tone, 100 ms, that are no voice."""
VOICE_MS_MIN: Final = 100
"""Voice that is shorter is a click."""
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
        self._voices: Final = {share: VoiceRuns(self._whole, self._middle, share) for share in UNDER_PEAKS}
        self._cutter: Final = FrameCutter()
        self._is_machine = False
        self.beeps: Final = BeepFinder(REMAINS_MS, self._may_beep_low)

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

    def expect_beep(self) -> None:
        """Take each tone for a beep from now on: a machine has answered."""
        self._is_machine = True

    def _may_beep_low(self) -> bool:
        """Return whether a tone may be a beep that sounds like ringing: somebody has spoken before it."""
        return self._is_machine or self._heard(UNDER_PEAK).voice >= VOICE_MS_MIN

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
        voices = self._voices[RECORDED_UNDER_PEAK].places()
        return (len(self._whole.levels) - (voices[-1].stop if voices else 0)) * FRAME_MS

    def _heard(self, under_peak: float) -> Greeting:
        """Return the length of the voice, with the pauses in it, and of the silence after it."""
        runs = self._voices[under_peak].places()
        if runs and self._is_cut_off(runs[0]):
            runs = runs[1:]
        frames = len(self._whole.levels)
        if not runs:
            return Greeting(0, 0, frames * FRAME_MS)
        begin, end = runs[0].start, runs[-1].stop
        return Greeting((end - begin) * FRAME_MS, sum(map(len, runs)) * FRAME_MS, (frames - end) * FRAME_MS)

    def _is_cut_off(self, run: range) -> bool:
        """Return whether a sound is there from the first moment on, and ends without fading: music of the ringing."""
        if run.start > CUT_BEGIN_FRAMES or len(run) > CUT_FRAMES_MAX or run.stop >= len(self._whole.levels):
            return False
        levels = [self._whole.levels[place] for place in run]
        return max(levels[-2:]) >= CUT_SHARE_MIN * median(levels)
