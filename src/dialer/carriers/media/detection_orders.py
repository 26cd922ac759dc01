"""Orders that listen to the callee: person or machine, and the wait for the beep of a machine."""

from typing import Final

from dialer.carriers.media.answering_machine import AnsweringMachineDetector
from dialer.carriers.media.incoming_sound import PacketClock
from dialer.carriers.media.orders_in_progress import Activity
from dialer.domain.sessions.leg_protocol import Done
from dialer.domain.words.enums import AmdSensitivity, AmdStatus

BEEP_WAIT_MS: Final = 30_000
"""The longest wait for the beep of an answering machine."""
NO_BEEP_MS: Final = 5_000
"""Silence after which no beep is waited for."""


class Listening(Activity):
    """The time after detection, in which a machine may beep."""

    hears_sound = True

    def __init__(self, turn: int, judge: AnsweringMachineDetector, clock: PacketClock) -> None:
        super().__init__(turn)
        self.judge: Final = judge
        self.clock: Final = clock

    def next_frame(self) -> bytes:
        """Return a frame of silence to send, and count 20 ms, even if the other side sends no packets."""
        if self.clock.pass_frame():
            self.judge.hear_nothing()
        return super().next_frame()

    def take_frame(self, timestamp: int, frame: bytes) -> None:
        """Listen to a packet, after those that were lost before it."""
        missing = self.clock.missing_before(timestamp, len(frame))
        if missing is not None:
            self.judge.miss_frames(missing)
            self.judge.take_frame(frame)


class Detecting(Listening):
    """The question whether a person or a machine answered."""

    def __init__(self, turn: int, sensitivity: AmdSensitivity = AmdSensitivity.BALANCED) -> None:
        super().__init__(turn, AnsweringMachineDetector(sensitivity), PacketClock())

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return the decision between person and machine; None while the detector is undecided."""
        status = self.judge.verdict(self.clock.now_ms)
        return None if status is None else Done(self.turn, 0, status=status)

    def rest(self, turn: int) -> Activity:
        """Return the activity until the leg's next order: the leg still listens for the beep of a machine."""
        return Listening(turn, self.judge, self.clock)


class AwaitingBeep(Listening):
    """The wait for the end of a machine's greeting. `before` has heard a part of it, perhaps its beep."""

    def __init__(self, turn: int, before: Activity | None = None) -> None:
        listening = (
            before if isinstance(before, Listening) else Listening(turn, AnsweringMachineDetector(), PacketClock())
        )
        super().__init__(turn, listening.judge, listening.clock)
        self.judge.expect_beep()
        self._begin_ms: Final = self.clock.now_ms

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return the end of the wait, once the beep is over or no beep has come; None before."""
        waited_ms = self.clock.now_ms - self._begin_ms
        quiet_ms = min(waited_ms, self.judge.pause_ms)
        is_over = self.judge.beeps.is_over or quiet_ms >= NO_BEEP_MS or waited_ms >= BEEP_WAIT_MS
        return Done(self.turn, 0, status=AmdStatus.MACHINE) if is_over else None
