"""An order in progress that lets a program talk with the other side: its sound, keys and clock."""

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from dialer.carriers.media.agent_messages import MessageWriter
from dialer.carriers.media.agent_playout import SILENCE
from dialer.carriers.media.agent_stream import AgentStream, TalkTerms
from dialer.carriers.media.orders_in_progress import Activity
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.domain.sessions.leg_protocol import Converse, Done

WAITING_FRAMES_MAX: Final = 10
"""Frames of the other side that wait to be sent on, 200 ms. The oldest of more are dropped, as after a burst."""
KEPT_FRAMES: Final = 2
NewStream: TypeAlias = Callable[[int, TalkTerms, MessageWriter], AgentStream]


class Conversing(Activity):
    """The talk with a program, after the disclosure was played. Its clock counts frames, as the other side hears them.

    The holder of the program's socket reads and writes the messages of `stream`.
    """

    hears_keys = True
    hears_sound = True

    def __init__(self, order: Converse, disclosure: bytes, new_stream: NewStream = AgentStream) -> None:
        super().__init__(order.turn)
        self.order: Final = order
        self.now_ms = 0
        """Milliseconds since the order began."""
        self._disclosure: Final = disclosure
        self._position = 0
        self._waiting: deque[bytes] = deque()
        digits = order.callid.replace("-", "")
        terms = TalkTerms(order.patience_ms, order.limit_ms, order.parameters)
        self.stream: Final = new_stream(
            0, terms, MessageWriter(f"MZ{digits}", f"CA{digits}", order.account_sid or f"AC{0:032x}")
        )

    def continue_as(self, order: Converse) -> None:
        """Go on under the number of another order, or end as it says: the program has completed the call."""
        self.turn = order.turn
        if order.ends_with:
            self.stream.completed(order.ends_with)

    def next_frame(self) -> bytes:
        """Return the next piece of the disclosure, or else of what the program says."""
        left = self._disclosure[self._position : self._position + FRAME_SAMPLES]
        said = self._tick()
        self._position += len(left)
        return left + SILENCE[len(left) :] if left else said

    def pass_time(self) -> None:
        """Let 20 ms pass in which the other side hears nothing: the disclosure waits, and the program goes on."""
        self._tick()

    def _tick(self) -> bytes:
        """Let the stream go on by 20 ms, and return what the program says in them."""
        left_ms = (len(self._disclosure) - self._position) * FRAME_MS // FRAME_SAMPLES
        heard = self._waiting.popleft() if self._waiting else SILENCE
        said = self.stream.tick(self.now_ms, heard, left_ms)
        self.now_ms += FRAME_MS
        return said

    def skip(self, frames: int) -> None:
        """Leave out frames for which there was no time: what the program has said waits."""
        self.now_ms += frames * FRAME_MS

    def take_frame(self, timestamp: int, frame: bytes) -> None:  # noqa: ARG002 - the program has no other clock
        """Keep what the other side says for the next message."""
        self._waiting.append(frame + SILENCE[len(frame) :])
        if len(self._waiting) > WAITING_FRAMES_MAX:
            while len(self._waiting) > KEPT_FRAMES:
                self._waiting.popleft()

    def take_key(self, now_ms: int, key: str) -> None:  # noqa: ARG002 - as for frames
        """Tell the program of a key."""
        self.stream.press(key)

    def done(self, now_ms: int) -> Done | None:  # noqa: ARG002 - frames are counted, not time
        """Return the branch and what the program said of the talk; None while it goes on."""
        end = self.stream.end
        if end is None or not self.stream.is_over:
            return None
        return Done(self.turn, 0, answer=end.result, branch=end.branch, summary=end.summary)
