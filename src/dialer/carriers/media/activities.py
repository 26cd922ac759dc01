"""Orders in progress: each says which frame is sent next, hears frames and keys, and knows when it is done."""

from typing import ClassVar, Final

from dialer.carriers.media.detection import GreetingJudge
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES, RATE_HZ, TIMESTAMPS
from dialer.carriers.media.tones import silence, waiting_tone
from dialer.domain.line import Ask, Done

RECORDING_MS_MAX: Final = 120_000
RECORDING_SILENCE_MS: Final = 5_000
"""A recording ends after so much silence at its end."""
_LOOKS_EVERY_FRAMES: Final = 10
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

    def rest(self, turn: int) -> "Activity":
        """Return the time after the order, until the next one."""
        return Activity(turn)


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


class Bridging(Activity):
    """The connection with another leg, until that leg is gone."""
