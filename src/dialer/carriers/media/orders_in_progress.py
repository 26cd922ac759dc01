"""Orders in progress: each says which frame is sent next, hears frames and keys, and knows when it is done."""

from typing import ClassVar, Final

from dialer.carriers.media.dtmf_inband import silence
from dialer.carriers.media.hold_sound import hold_sound
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.domain.sessions.leg_protocol import Ask, Converse, Done
from dialer.domain.survey.survey import BRANCH_INVALID

_QUIET: Final = silence(FRAME_MS)


class Activity:
    """An order in progress. By itself, it sends silence and is never done."""

    hears_keys: ClassVar[bool] = False
    """True if keys in the sound are looked for."""
    hears_sound: ClassVar[bool] = False

    def __init__(self, turn: int) -> None:
        self.turn = turn

    def next_frame(self) -> bytes:
        """Return the next 20 ms to send, as µ-law."""
        return _QUIET

    def pass_time(self) -> None:
        """Let 20 ms pass without sending a frame, as while the other side holds the call."""
        self.next_frame()

    def skip(self, frames: int) -> None:
        """Leave out what there was no time to send."""
        for _ in range(frames):
            self.pass_time()

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Handle a received frame of µ-law."""

    def take_key(self, now_ms: int, key: str) -> None:
        """Handle a key that the other side pressed."""

    def hold_key(self, now_ms: int) -> None:
        """Handle a packet that says that the latest key is still held."""

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - most wait for something
        """Return the outcome of the order; None while the order is in progress."""
        return None

    def rest(self, turn: int) -> "Activity":
        """Return the time after the order, until the next one."""
        return Activity(turn)


class Unanswered(Activity):
    """A conversation with a program that is no more connected."""

    def __init__(self, order: Converse) -> None:
        super().__init__(order.turn)
        self._branch: Final = order.ends_with or BRANCH_INVALID

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - it is done at once
        """Return that no program answers, or that it has completed the call."""
        return Done(self.turn, 0, branch=self._branch)


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

    def pass_time(self) -> None:
        """Let 20 ms pass without playing: the prompt waits."""

    def skip(self, frames: int) -> None:
        """Leave out a piece of the prompt, so that it ends in time."""
        self._position += frames * FRAME_SAMPLES

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return the end of the prompt once all its frames were sent; None before."""
        return Done(self.turn, 0) if self._position >= len(self._prompt) else None


class Asking(Playing):
    """A prompt that the first key stops, and the keys that follow."""

    hears_keys = True

    def __init__(self, ask: Ask, prompt: bytes) -> None:
        super().__init__(ask.turn, prompt)
        self._ask = ask
        self._keys = ""
        self._quiet_since_ms: int | None = None

    def take_key(self, now_ms: int, key: str) -> None:
        """Add a key to the digits of the input. Nothing is left of the prompt then."""
        if not self._is_full:
            self._prompt = b""
            self._keys += key
            self._quiet_since_ms = now_ms

    def hold_key(self, now_ms: int) -> None:
        """Wait for the next key from the end of this one."""
        if self._keys:
            self._quiet_since_ms = now_ms

    @property
    def _is_full(self) -> bool:
        return self._keys.endswith("#") or len(self._keys) >= self._ask.digits_max

    def done(self, now_ms: int) -> Done | None:
        """Return the keys once there are enough of them, or none comes any more."""
        # This is asked with each frame, and mostly while the prompt plays.
        if self._quiet_since_ms is None:
            if self._position < len(self._prompt):
                return None
            self._quiet_since_ms = now_ms
        is_late = now_ms - self._quiet_since_ms >= self._ask.timeout_ms
        return Done(self.turn, 0, answer=self._keys) if is_late or self._is_full else None


class PlayingHoldSound(Activity):
    """The sound for a callee who waits or is on hold, until the next order: some music, or else our own notes."""

    def __init__(self, turn: int, music: bytes) -> None:
        super().__init__(turn)
        self._sound: Final = music or hold_sound()
        self._position = 0

    def next_frame(self) -> bytes:
        """Return the next piece of the sound, which begins again after its end."""
        start = self._position
        frame = self._sound[start : start + FRAME_SAMPLES]
        self._position = start + FRAME_SAMPLES if start + FRAME_SAMPLES < len(self._sound) else 0
        return frame if len(frame) == FRAME_SAMPLES else frame + _QUIET[len(frame) :]


class Bridging(Activity):
    """The connection with another leg, until that leg is gone."""
