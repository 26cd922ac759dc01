"""A simulated callee at the other end of a line: it obeys orders, and says what is heard of its leg.

It draws from chance as the simulator's own conversation does, in the same order.
"""

from typing import Final

from msgspec import structs

from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Arriving,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Converse,
    Detect,
    Dialling,
    Done,
    Ended,
    Hold,
    LegReport,
    Order,
    Play,
    Receipt,
    Record,
    Ringing,
    Speech,
    Supervise,
    Tape,
    TextReceived,
)
from dialer.domain.survey.survey import INPUT_END
from dialer.domain.words.enums import Cause
from dialer.sim.callee import Callee
from dialer.sim.callee_line import AMD_MS, RECORDING_MS, RECORDING_MS_MAX, speech_ms
from dialer.sim.program_talk import talk_of

Said = tuple[int, LegReport]
"""Something that is heard, with its time."""


class _HungUp(Exception):  # noqa: N818 - an event, not an error
    pass


class Phone:
    """One leg. The names of recordings begin with their length in milliseconds."""

    def __init__(self, leg: Dialling, callee: Callee, dialled_ms: int, wanted: str | None = None) -> None:
        """Ring. The callee presses the `wanted` key when asked, unless a script says otherwise."""
        self._wanted: Final = wanted
        self._leg = leg
        self.callee: Final = callee
        self.turn = 0
        """Number of the last order."""
        self._cut_ms = 0
        self._began_ms: int | None = None
        """The start of the recording in progress."""
        self._coming = self._fate(dialled_ms)

    @property
    def next_ms(self) -> int | None:
        """The time of the next thing that is heard; None after the end."""
        return self._coming[0][0] if self._coming else None

    def take(self) -> Said:
        """Return the next thing that is heard."""
        at_ms, heard = self._coming.pop(0)
        match heard:
            case Answered():
                limit_ms, habit_ms = self._leg.talk_limit_ms, self.callee.hangs_up_after_ms
                self._cut_ms = at_ms + (limit_ms if habit_ms is None else min(habit_ms, limit_ms))
                self._coming = [self._end(self._cut_ms)]
            case Done():
                self._began_ms = None
                self._coming = [self._end(self._cut_ms)]
            case Arrived() | Ringing() | Ended() | Accepted() | Receipt() | TextReceived():
                pass
        return at_ms, heard

    def hang_up(self, now_ms: int) -> None:
        """Let the callee hang up."""
        self._coming = [self._end(now_ms)]

    def talk_until(self, at_ms: int) -> None:
        """Let the callee talk with another leg, and hang up then."""
        self._coming = [self._end(min(at_ms, self._cut_ms))]

    def part(self, now_ms: int) -> None:
        """End the talk with another leg, which is gone."""
        self._coming = [(now_ms, Done(self.turn, 0))]

    def perform(self, order: Order, now_ms: int) -> None:
        """Obey an order."""
        if not self._coming or isinstance(order, Tape):
            return
        self.turn = order.turn
        if isinstance(order, Clear):
            self._coming = [self._end(min(now_ms, self._cut_ms) if self._cut_ms else now_ms)]
            return
        try:
            at_ms, heard = self._obey(order, now_ms)
        except _HungUp as end:
            at_ms, heard = end.args[0], Ended(0, Cause.NORMAL_CLEARING)
        self._coming = [(at_ms, heard)] if at_ms < self._cut_ms else [self._end(self._cut_ms)]

    def _fate(self, dialled_ms: int) -> list[Said]:
        fate, limit_ms = self.callee.fate, self._leg.ring_limit_ms
        is_missed = fate.cause is Cause.NO_ANSWER or fate.after_ms >= limit_ms
        ends_ms = dialled_ms + (limit_ms if is_missed else fate.after_ms)
        rings_ms = dialled_ms + fate.signal_ms
        ringing: list[Said] = [(rings_ms, Ringing(0))] if rings_ms <= ends_ms else []
        if is_missed:
            return [*ringing, (ends_ms, Ended(0, Cause.NO_ANSWER))]
        if fate.cause is not None:
            return [*ringing, (ends_ms, Ended(0, fate.cause))]
        return [*ringing, (ends_ms, Answered(0, f"handle of {self._leg.key}"))]

    def _end(self, at_ms: int) -> Said:
        recording_ms = None if self._began_ms is None else at_ms - self._began_ms
        return at_ms, Ended(0, Cause.NORMAL_CLEARING, recording_ms)

    def _obey(self, order: Order, now_ms: int) -> Said:
        sound = self._end(self._cut_ms)
        match order:
            case Detect(turn):
                at_ms = self._until(now_ms + AMD_MS)
                sound = at_ms, Done(turn, 0, status=self.callee.detected_as())
            case AwaitBeep(turn):
                sound = now_ms, Done(turn, 0)
            case Play(turn, speeches):
                sound = self._play(speeches, now_ms), Done(turn, 0)
            case Ask(turn, speeches):
                keys, at_ms = self._listen(order, self._play(speeches, now_ms))
                sound = at_ms, Done(turn, 0, keys)
            case Record(turn):
                self._began_ms = now_ms
                length_ms = RECORDING_MS_MAX if self.callee.is_machine else RECORDING_MS
                sound = now_ms + length_ms, Done(turn, 0, recording_ms=length_ms)
            case Confer(turn):
                sound = now_ms + self.callee.talks_ms(), Done(turn, 0)
            case Converse():
                sound = self._converse(order, now_ms)
            case Hold() | Bridge() | Supervise() | Clear() | Tape():
                pass
        return sound

    def _converse(self, order: Converse, now_ms: int) -> Said:
        if order.ends_with:
            return now_ms, Done(order.turn, 0, branch=order.ends_with)
        at_ms = self._play(order.speeches, now_ms)
        talk_ms, branch = talk_of(self.callee.behaviour.conversation, self.callee.chance, order.limit_ms)
        at_ms = self._until(at_ms + talk_ms)
        return (at_ms, Done(order.turn, 0, branch=branch)) if branch else self._end(at_ms)

    def _play(self, speeches: tuple[Speech, ...], at_ms: int) -> int:
        for speech in speeches:
            length_ms = int(speech.file.partition("-")[0]) if speech.file else speech_ms(speech.text)
            if length_ms and not self.callee.listens:
                within_ms = self.callee.hangs_up_within(length_ms)
                if within_ms is not None:
                    raise _HungUp(self._until(at_ms + within_ms))
            at_ms = self._until(at_ms + length_ms)
        return at_ms

    def _listen(self, ask: Ask, at_ms: int) -> tuple[str, int]:
        keys, after_ms = self.callee.presses(self._wanted)
        if not keys or after_ms > ask.timeout_ms:
            return "", at_ms + ask.timeout_ms
        digits, end, _ = keys.partition(INPUT_END)
        is_ended = bool(end) or len(digits) >= ask.digits_max
        return keys, at_ms + after_ms + (0 if is_ended else ask.timeout_ms)

    def _until(self, at_ms: int) -> int:
        if at_ms >= self._cut_ms:
            raise _HungUp(self._cut_ms)
        return at_ms


class CallingPhone(Phone):
    """The telephone of somebody who calls in. It rings until it is answered, or until its caller gives up."""

    def __init__(self, call: Dialling, callee: Callee, now_ms: int, patience_ms: int) -> None:
        """Call the number of `call`, whose other fields say nothing before the answer."""
        super().__init__(call, callee, now_ms)
        arrived = Arrived(call.number, call.callerid, f"INVITE of {call.key}")
        self._gives_up = (now_ms + patience_ms, Ended(0, Cause.NORMAL_CLEARING))
        self._coming = [(now_ms, arrived)]
        self.is_answered = False

    def take(self) -> Said:
        """Return the next thing that is heard."""
        if isinstance(self._coming[0][1], Arrived):
            said, self._coming = self._coming[0], [self._gives_up]
            return said
        return super().take()

    def answer(self, arriving: Arriving, now_ms: int) -> None:
        """Take the answer to the call."""
        self.is_answered = True
        self._leg = structs.replace(self._leg, talk_limit_ms=arriving.talk_limit_ms)
        self._coming = [(now_ms, Answered(0, f"handle of {arriving.key}"))]

    def perform(self, order: Order, now_ms: int) -> None:
        """Obey an order. Before the answer, the call can only be refused."""
        if self.is_answered:
            super().perform(order, now_ms)
        elif isinstance(order, Clear):
            self._coming = [(now_ms, Ended(0, order.cause))]


def aged(sound: Said, now_ms: int) -> LegReport:
    """Return something heard as it is told at `now_ms`."""
    at_ms, heard = sound
    return structs.replace(heard, age_ms=now_ms - at_ms) if hasattr(heard, "age_ms") else heard
