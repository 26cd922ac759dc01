"""A recording of the other side."""

from typing import Final

from dialer.carriers.media import g711
from dialer.carriers.media.answering_machine import AnsweringMachineDetector
from dialer.carriers.media.dtmf_inband import silence
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtp import FRAME_MS, RATE_HZ
from dialer.carriers.media.rtp_frames import Timeline
from dialer.domain.sessions.leg_protocol import Done

RECORDING_MS_MAX: Final = 120_000
RECORDING_SILENCE_MS: Final = 5_000
"""A recording ends after so much silence at its end."""
_SAMPLES_MAX: Final = RECORDING_MS_MAX * RATE_HZ // 1_000
_LOOKS_EVERY_FRAMES: Final = 10
_QUIET: Final = silence(FRAME_MS)


class Recording(Activity):
    """A recording in progress. `#`, silence or the maximum length ends it, and it begins with the first packet.

    Lost packets leave silence, and so does time without packets.
    """

    hears_keys = True
    hears_sound = True

    def __init__(self, turn: int, name: str) -> None:
        super().__init__(turn)
        self.name: Final = name
        self._timeline: Final = Timeline()
        self._frames = 0
        """Frames of 20 ms that have passed."""
        self._looked = 0
        """The frames that had passed at the last look for silence."""
        self._began: int | None = None
        self._sound = bytearray()
        self._judge: Final = AnsweringMachineDetector(tones_are_silence=False)
        self._is_ended = False

    def next_frame(self) -> bytes:
        """Return silence, and let the time pass, which does so without packets, too."""
        self._frames += 1
        if self._timeline.tick():
            self._judge.take_frame(_QUIET)
        return _QUIET

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Hear a frame, and before it the silence of a gap: packets are lost, or not sent in silence (RFC 3389)."""
        start, missing = self._timeline.place(timestamp, len(frame))
        for _ in range(missing):
            self._judge.take_frame(_QUIET)
        self._judge.take_frame(frame)
        self._keep(start, frame)

    def _keep(self, start: int, frame: bytes) -> None:
        """Put a frame where its timestamp says."""
        if self._began is None:
            self._began = start
        place = start - self._began
        if place < 0 or place + len(frame) > _SAMPLES_MAX:
            return
        if place > len(self._sound):
            self._sound += bytes([g711.SILENCE]) * (place - len(self._sound))
        self._sound[place : place + len(frame)] = frame

    def take_key(self, now_ms: int, key: str) -> None:  # noqa: ARG002 - the time of the key does not matter
        """End the recording if the key is `#`."""
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
        """Return the end of the recording after `#`, silence or the maximum length; None before."""
        # Several frames may pass at once, on a busy machine.
        looks = self._frames - self._looked >= _LOOKS_EVERY_FRAMES
        if looks:
            self._looked = self._frames
        is_silent = looks and self._judge.silence_ms >= RECORDING_SILENCE_MS
        # Without any packet, the clock tells the time.
        is_long = self._frames * FRAME_MS >= RECORDING_MS_MAX
        if not (self._is_ended or is_silent or is_long):
            return None
        return Done(self.turn, 0, recording_ms=self.length_ms)
