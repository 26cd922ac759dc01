"""The talk of one call with a program, from the connection to the branch: no sockets, no clock.

Times are milliseconds of the line's steady clock. The holder of the socket tells what happens to it, and sends what is
in `to_send`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from dialer.carriers.media.agent_messages import (
    Cleared,
    MarkSet,
    MessageWriter,
    SoundSaid,
    TalkEnded,
    read_agent_message,
)
from dialer.carriers.media.agent_playout import SILENCE, Playout
from dialer.domain.survey.survey import BRANCH_DONE, BRANCH_INVALID, BRANCH_TIMEOUT

CONNECT_MS: Final = 5_000
"""The longest time until a program is connected."""
START_BEFORE_MS: Final = 1_000
"""Time before the end of the disclosure at which the program is told of the call."""
BAD_MESSAGES_MAX: Final = 100
"""Messages of a second that are none. One more ends the conversation."""
EARLY_MARKS_MAX: Final = 1_000
"""Marks that a program may set before it is told of the call."""
_SECOND_MS: Final = 1_000
_RIGHT_CODES: Final = frozenset({1_000, 1_001})
"""Codes with which a program closes that is done."""


class TalkTerms(msgspec.Struct, frozen=True):
    """The limits of a conversation in milliseconds, and what the program is told of the call."""

    patience_ms: int
    limit_ms: int
    parameters: Mapping[str, str] = {}


class AgentStream:
    """The stream of one conversation, which begins before the callee has heard the disclosure."""

    def __init__(self, now_ms: int, terms: TalkTerms, writer: MessageWriter) -> None:
        self._terms: Final = terms
        self._writer: Final = writer
        self.playout: Final = Playout()
        self._began_ms: Final = now_ms
        self._heard_from_ms: int | None = None
        """The moment from which the callee hears the program; None during the disclosure."""
        self.to_send: list[str] = []
        """Messages for the program, in their order."""
        self._is_connected = False
        self.start_ms: int | None = None
        """The moment of `start`; None before the program is told of the call."""
        self._early_marks: list[str] = []
        """Marks to give back once the program has been told of the call: nothing goes out before that."""
        self._has_spoken = False
        self._bad: list[int] = []
        """The moments of the bad messages of the last second."""
        self.bad_messages = 0
        self.end: TalkEnded | None = None
        """The end of the conversation; None while it goes on. Words may still be played."""
        self.why = ""
        """The cause of the end, for the trace of the call."""
        self.is_over = False
        """True once the call may go on."""
        self._stopped = False

    # --- the socket -------------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """Take the connection with the program."""
        self._is_connected = True

    def refused(self, why: str) -> None:
        """Take that no connection could be made."""
        self._fail(f"no connection: {why}")

    def take(self, now_ms: int, raw: str | bytes) -> None:
        """Take a message of the program. After the end, nothing counts any more."""
        if self.end is not None:
            return
        message = read_agent_message(raw)
        self._has_spoken = self._has_spoken or message is not None
        match message:
            case SoundSaid(sound):
                self.playout.add(sound)
            case MarkSet(name) if len(self._early_marks) < EARLY_MARKS_MAX and self.playout.mark(name):
                self._give_back_marks()
            case Cleared():
                self._give_back(self.playout.clear())
            case TalkEnded():
                self._finish(message, "the program said so")
            case _:
                self._count_bad(now_ms)

    def completed(self, branch: str) -> None:
        """Take the order of the program, over another way, to end the call with a branch."""
        if self.end is None:
            self._finish(TalkEnded(branch), "the program completed the call")

    def stalled(self) -> None:
        """Take that the program reads nothing of what it is sent."""
        self._fail("the program reads nothing")

    def closed(self, code: int | None) -> None:
        """Take the end of the connection, with its code; None if there was none.

        A program that was told to stop may close as it likes.
        """
        self._is_connected = False
        if self.end is not None:
            return
        if code in _RIGHT_CODES and self._has_spoken:
            self._finish(TalkEnded(BRANCH_DONE), f"the program closed with {code}")
        else:
            shown = "without a close frame" if code is None else f"with {code}"
            before = "" if self._has_spoken else ", before it said anything"
            self._finish(TalkEnded(BRANCH_INVALID), f"the connection was closed {shown}{before}")

    def stop(self) -> None:
        """Take that the call goes on without the program, such as when the callee hangs up."""
        if self.end is None:
            self.end, self.why = TalkEnded(BRANCH_INVALID), "the call went on without the program"
        self._end_stream()

    # --- the call ---------------------------------------------------------------------------------------------------

    def tick(self, now_ms: int, frame: bytes, disclosure_ms: int = 0) -> bytes:
        """Take 20 ms of the callee's sound, and return the next 20 ms of the program's.

        Until nothing is left of the disclosure, neither hears the other.
        """
        is_heard = disclosure_ms <= 0
        if is_heard and self._heard_from_ms is None:
            self._heard_from_ms = now_ms
        if disclosure_ms <= START_BEFORE_MS:
            self._start(now_ms)
        self._look(now_ms)
        if self.end is None and self.start_ms is not None:
            self._give_back_marks()
            self._send(self._writer.media(now_ms - self.start_ms, frame if is_heard else SILENCE))
        if not is_heard:
            return SILENCE
        if self.end is not None:
            self._give_back_marks()
            if not self.playout:
                self._end_stream()
                return SILENCE
        return self.playout.frame()

    def press(self, key: str) -> None:
        """Take a key of the callee."""
        if self.end is None and self.start_ms is not None:
            self._send(self._writer.key(key))

    def _start(self, now_ms: int) -> None:
        if self._is_connected and self.start_ms is None and self.end is None:
            self.start_ms = now_ms
            self._send(self._writer.connected())
            self._send(self._writer.start(self._terms.parameters))
            early, self._early_marks = self._early_marks, []
            self._give_back(early)

    def _look(self, now_ms: int) -> None:
        """End the conversation at each of its limits."""
        if self.end is not None:
            return
        if not self._is_connected and now_ms - self._began_ms >= CONNECT_MS:
            self._fail(f"no connection in {CONNECT_MS // _SECOND_MS} s")
        elif self._heard_from_ms is not None and now_ms - self._heard_from_ms >= self._terms.limit_ms:
            self.end, self.why = TalkEnded(BRANCH_TIMEOUT), "it lasted for as long as it may"
            self.playout.clear()
        elif self._is_too_quiet(now_ms):
            self._fail(f"nothing came from the program in {self._terms.patience_ms // _SECOND_MS} s")

    def _is_too_quiet(self, now_ms: int) -> bool:
        """Return whether nothing came from a program that hears the callee, and that the callee would hear."""
        if self._has_spoken or self.start_ms is None or self._heard_from_ms is None:
            return False
        return now_ms - max(self.start_ms, self._heard_from_ms) >= self._terms.patience_ms

    # --- the end ----------------------------------------------------------------------------------------------------

    def _finish(self, end: TalkEnded, why: str) -> None:
        """End the conversation once the words that wait were played."""
        self.end = msgspec.structs.replace(end, branch=end.branch or BRANCH_DONE)
        self.why = why
        self.playout.end()

    def _fail(self, why: str) -> None:
        if self.end is None:
            self.end, self.why = TalkEnded(BRANCH_INVALID), why
            self.playout.clear()

    def _end_stream(self) -> None:
        self.is_over = True
        if not self._stopped:
            self._stopped = True
            if self._is_connected and self.start_ms is not None:
                self.to_send.append(self._writer.stop())

    def _count_bad(self, now_ms: int) -> None:
        self.bad_messages += 1
        self._bad = [*(at_ms for at_ms in self._bad if now_ms - at_ms < _SECOND_MS), now_ms]
        if len(self._bad) > BAD_MESSAGES_MAX:
            self._fail(f"more than {BAD_MESSAGES_MAX} messages of a second made no sense")

    def _give_back_marks(self) -> None:
        self._give_back(self.playout.reached())

    def _give_back(self, names: list[str]) -> None:
        if self.start_ms is None:
            self._early_marks += names
            return
        for name in names:
            self._send(self._writer.mark(name))

    def _send(self, message: str) -> None:
        if self._is_connected and not self._stopped:
            self.to_send.append(message)
