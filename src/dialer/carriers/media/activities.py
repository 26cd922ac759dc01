"""Orders in progress: each says which frame is sent next, hears frames and keys, and knows when it is done."""

from typing import ClassVar, Final

from dialer.carriers.media.beeps import BeepFinder
from dialer.carriers.media.detection import GreetingJudge
from dialer.carriers.media.hearing import FrameCutter, PacketClock
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ, TIMESTAMPS
from dialer.carriers.media.tones import silence, waiting_tone
from dialer.domain.enums import AmdSensitivity, AmdStatus
from dialer.domain.line import Ask, Done

RECORDING_MS_MAX: Final = 120_000
RECORDING_SILENCE_MS: Final = 5_000
"""A recording ends after so much silence at its end."""
_LOOKS_EVERY_FRAMES: Final = 10
BEEP_WAIT_MS: Final = 30_000
"""The longest wait for the beep of an answering machine."""
_QUIET: Final = silence(FRAME_MS)
_WAITING: Final = waiting_tone()


class Activity:
    """An order in progress. By itself, it sends silence and is never done."""

    hears_keys: ClassVar[bool] = False
    """True if keys in the sound are looked for."""
    hears_sound: ClassVar[bool] = False

    def __init__(self, turn: int) -> None:
        self.turn: Final = turn

    def next_frame(self) -> bytes:
        """Return the next 20 ms to send, as µ-law."""
        return _QUIET

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Hear a frame of µ-law."""

    def take_key(self, now_ms: int, key: str) -> None:
        """Hear a key."""

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - most wait for something
        """Return the outcome, or None if it goes on."""
        return None


class Playing(Activity):
    """A prompt, from its begin to its end."""

    def __init__(self, turn: int, prompt: bytes) -> None:
        super().__init__(turn)
        self._prompt = prompt
        self._position = 0

    @property
    def is_over(self) -> bool:
        """True if all of the prompt was sent."""
        return self._position >= len(self._prompt)

    def next_frame(self) -> bytes:
        """Return the next piece of the prompt. The last one is filled with silence."""
        start = self._position
        self._position = start + FRAME_SAMPLES
        frame = self._prompt[start : self._position]
        return frame if len(frame) == FRAME_SAMPLES else frame + _QUIET[len(frame) :]

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return that it is done once all was sent."""
        return Done(self.turn, 0) if self.is_over else None


class Asking(Playing):
    """A prompt that the first key stops, and the keys that follow."""

    hears_keys = True

    def __init__(self, ask: Ask, prompt: bytes) -> None:
        super().__init__(ask.turn, prompt)
        self._ask = ask
        self._keys = ""
        self._quiet_since_ms: int | None = None

    def next_frame(self) -> bytes:
        """Return the next piece of the prompt, or silence once a key was pressed."""
        return _QUIET if self._keys else super().next_frame()

    def take_key(self, now_ms: int, key: str) -> None:
        """Collect a key."""
        if not self._is_full:
            self._keys += key
            self._quiet_since_ms = now_ms

    @property
    def _is_full(self) -> bool:
        return self._keys.endswith("#") or len(self._keys) >= self._ask.digits_max

    def done(self, now_ms: int) -> Done | None:
        """Return the keys once there are enough of them, or none comes any more."""
        if self._quiet_since_ms is None and self.is_over:
            self._quiet_since_ms = now_ms
        is_late = self._quiet_since_ms is not None and now_ms - self._quiet_since_ms >= self._ask.timeout_ms
        return Done(self.turn, 0, keys=self._keys) if self._is_full or is_late else None


class Recording(Activity):
    """A recording. `#` ends it, and so do silence and its longest length. Lost packets leave silence."""

    hears_keys = True
    hears_sound = True

    def __init__(self, turn: int, name: str) -> None:
        super().__init__(turn)
        self.name: Final = name
        self._began: int | None = None
        self._sound = bytearray()
        self._judge: Final = GreetingJudge()
        self._is_ended = False
        self._frames_sent = 0

    def next_frame(self) -> bytes:
        """Return silence, and count the time."""
        self._frames_sent += 1
        return _QUIET

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Put a frame where its timestamp says."""
        if self._began is None:
            self._began = timestamp
        start = (timestamp - self._began) % TIMESTAMPS
        if start + len(frame) > RECORDING_MS_MAX * RATE_HZ // 1_000:
            return
        if start > len(self._sound):
            self._sound += b"\xff" * (start - len(self._sound))
        self._sound[start : start + len(frame)] = frame
        self._judge.take_frame(frame)

    def take_key(self, now_ms: int, key: str) -> None:  # noqa: ARG002 - the time of the key does not matter
        """End at `#`."""
        self._is_ended = self._is_ended or key == "#"

    @property
    def sound(self) -> bytes:
        """The recording until now, as µ-law."""
        return bytes(self._sound)

    @property
    def length_ms(self) -> int:
        """The length of the recording until now."""
        return len(self._sound) * 1_000 // RATE_HZ

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return that it is done after `#`, after silence, and after its longest length."""
        looks = self._frames_sent % _LOOKS_EVERY_FRAMES == 0
        is_silent = looks and self._judge.silence_ms >= RECORDING_SILENCE_MS
        # Without any packet the frames that were sent tell the time.
        is_long = self._frames_sent * FRAME_MS >= RECORDING_MS_MAX
        if not (self._is_ended or is_silent or is_long):
            return None
        return Done(self.turn, 0, recording_ms=self.length_ms)


class PlayingWaitingTone(Activity):
    """The tone of a caller who waits, until the next order."""

    def __init__(self, turn: int) -> None:
        super().__init__(turn)
        self._position = 0

    def next_frame(self) -> bytes:
        """Return the next piece of the tone, which begins again after its end."""
        start = self._position
        self._position = (start + FRAME_SAMPLES) % len(_WAITING)
        return _WAITING[start : start + FRAME_SAMPLES]


class Detecting(Activity):
    """The question whether a person or a machine answered."""

    hears_sound = True

    def __init__(self, turn: int, sensitivity: AmdSensitivity = AmdSensitivity.BALANCED) -> None:
        super().__init__(turn)
        self._judge: Final = GreetingJudge(sensitivity)
        self._clock = PacketClock()

    def next_frame(self) -> bytes:
        """Return silence, and count the time, which passes without packets of the other side, too."""
        self._clock.pass_frame()
        return _QUIET

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Listen to a packet, after those that were lost before it."""
        missing = self._clock.missing_before(timestamp, len(frame))
        if missing is not None:
            self._judge.miss_frames(missing)
            self._judge.take_frame(frame)

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return the decision once there is one."""
        status = self._judge.verdict(self._clock.now_ms, self._clock.unheard_ms)
        return None if status is None else Done(self.turn, 0, status=status)

    def after(self, turn: int) -> Activity:
        """Return the rest after the order, which goes on listening for the beep."""
        return Listening(turn, self._judge.beeps)


class Listening(Activity):
    """The time between two orders, in which a beep may come."""

    hears_sound = True

    def __init__(self, turn: int, beeps: BeepFinder) -> None:
        super().__init__(turn)
        self.beeps: Final = beeps
        self._cutter: Final = FrameCutter()

    def take_frame(self, timestamp: int, frame: bytes) -> None:  # noqa: ARG002 - what matters is the sound
        """Listen to a packet."""
        for heard in self._cutter.frames_of(frame):
            self.beeps.take_frame(heard)


class AwaitingBeep(Listening):
    """The wait for the end of a machine's greeting."""

    def __init__(self, turn: int, beeps: BeepFinder | None = None) -> None:
        super().__init__(turn, beeps or BeepFinder())
        self._frames_sent = 0

    def next_frame(self) -> bytes:
        """Return silence, and count the time."""
        self._frames_sent += 1
        return _QUIET

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return that it is done once the beep is over, or there is none."""
        is_late = self._frames_sent * FRAME_MS >= BEEP_WAIT_MS
        return Done(self.turn, 0, status=AmdStatus.MACHINE) if self.beeps.is_over or is_late else None


class Bridging(Activity):
    """The connection with another leg, until that leg is gone."""
