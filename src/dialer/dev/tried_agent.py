"""A talk with a program that talks, from the terminal: its sound is measured, and no telephone rings."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Final

import msgspec

from dialer.carriers.media.agent_messages import Cleared, MarkSet, MessageWriter, SoundSaid, read_agent_message
from dialer.carriers.media.agent_stream import AgentStream, TalkTerms
from dialer.carriers.media.conversing import Conversing
from dialer.carriers.media.rtp import FRAME_MS, FRAME_SAMPLES
from dialer.carriers.voice.agent_socket import AgentSocket
from dialer.domain.sessions.leg_protocol import Converse

KEY_EVERY_MS: Final = 1_000
KEYS_FROM_MS: Final = 2_000
"""The moment of the first key, after the program was told of the call."""
HOLE_MS_MAX: Final = 200
"""The longest silence between two sounds that is a hole: a longer one is a pause."""
MESSAGES_KEPT_MAX: Final = 100_000
_BYTES_A_MS: Final = 8
_PER_CENT: Final = 100


class TriedAgent(msgspec.Struct):
    """The findings about a program, as `dialer try` reports them."""

    branch: str = ""
    """The branch by which the survey would go on."""
    why: str = ""
    """The end of the talk, in words."""
    length_ms: int = 0
    first_message_ms: int | None = None
    """Time from the begin to the program's first message; None if none came."""
    first_word_ms: int | None = None
    """Time from the begin to its first sound that the callee hears."""
    messages: int = 0
    """Messages with sound."""
    message_bytes: int = 0
    """The usual size of one: half of them are shorter."""
    sound_ms: int = 0
    """The length of all sound that came."""
    pace: int = 0
    """Its speed in per cent of real time, between its first and its last message; 0 if it came at once."""
    holes: int = 0
    """Silences of up to 200 ms within its sound, because the next piece came late."""
    marks: int = 0
    clears: int = 0
    unread: int = 0
    """Messages that made no sense."""
    result: str = ""
    summary: str = ""


class _Observed(AgentStream):
    """The stream of a talk, whose messages are noted until its end."""

    def __init__(
        self, note: Callable[[int, str | bytes], None], now_ms: int, terms: TalkTerms, writer: MessageWriter
    ) -> None:
        super().__init__(now_ms, terms, writer)
        self._note: Final = note

    def take(self, now_ms: int, raw: str | bytes) -> None:
        """Note a message, and take it."""
        if self.end is None:
            self._note(now_ms, raw)
        super().take(now_ms, raw)


class AgentTrial:
    """One talk with a program, measured frame by frame."""

    def __init__(self, order: Converse, voice: bytes = b"", keys: str = "") -> None:
        """`voice`, µ-law, is what the callee says from `start` on. `keys` are pressed one by one."""
        self.talk: Final = Conversing(order, b"", partial(_Observed, self._note))
        self.seen: Final = TriedAgent()
        self.heard: Final = bytearray()
        """The sound that the callee has heard, as µ-law."""
        self._voice: Final = voice
        self._keys: Final = keys
        self._sizes: list[tuple[int, int]] = []
        """The moments and sizes of messages with sound."""
        self._quiet_ms: int | None = None
        """The time since the last sound; None before the first."""

    def frame(self) -> bool:
        """Let 20 ms pass. Return whether the talk goes on."""
        talk, seen, at = self.talk, self.seen, self.talk.now_ms
        if talk.stream.start_ms is not None:
            self._speak(at, at - talk.stream.start_ms - FRAME_MS)
        waiting = len(talk.stream.playout)
        self.heard.extend(talk.next_frame())
        if len(talk.stream.playout) < waiting:
            seen.first_word_ms = at if seen.first_word_ms is None else seen.first_word_ms
            seen.holes += self._quiet_ms is not None and 0 < self._quiet_ms <= HOLE_MS_MAX
            self._quiet_ms = 0
        elif self._quiet_ms is not None:
            self._quiet_ms += FRAME_MS
        return talk.done(at) is None

    def _speak(self, now_ms: int, since_ms: int) -> None:
        """Say and press what is due some time after the program was told of the call: before, it would hear nothing."""
        position = since_ms * _BYTES_A_MS
        self.talk.take_frame(position, self._voice[position : position + FRAME_SAMPLES])
        number, rest = divmod(since_ms - KEYS_FROM_MS, KEY_EVERY_MS)
        if rest == 0 and 0 <= number < len(self._keys):
            self.talk.take_key(now_ms, self._keys[number])

    def _note(self, now_ms: int, raw: str | bytes) -> None:
        seen, message = self.seen, read_agent_message(raw)
        if message is not None and seen.first_message_ms is None:
            seen.first_message_ms = now_ms
        match message:
            case SoundSaid(sound):
                seen.messages += 1
                seen.sound_ms += len(sound) // _BYTES_A_MS
                if len(self._sizes) < MESSAGES_KEPT_MAX:
                    self._sizes.append((now_ms, len(sound)))
            case MarkSet():
                seen.marks += 1
            case Cleared():
                seen.clears += 1
            case _:
                pass

    def report(self) -> TriedAgent:
        """Return what was seen, once the talk is over."""
        seen, stream, done = self.seen, self.talk.stream, self.talk.done(0)
        seen.why, seen.length_ms, seen.unread = stream.why, self.talk.now_ms, stream.bad_messages
        if done is not None:
            seen.branch, seen.result, seen.summary = done.branch, done.answer, done.summary
        if self._sizes:
            seen.message_bytes = round(median(size for _, size in self._sizes))
            took_ms = self._sizes[-1][0] - self._sizes[0][0]
            before_ms = sum(size for _, size in self._sizes[:-1]) // _BYTES_A_MS
            seen.pace = before_ms * _PER_CENT // took_ms if took_ms else 0
        return seen


async def try_agent(trial: AgentTrial) -> TriedAgent:
    """Connect a program, let it talk in real time up to its end, and return what was seen."""
    loop = asyncio.get_running_loop()
    socket = AgentSocket(trial.talk)
    due_s, goes_on = loop.time(), True
    try:
        while goes_on:
            goes_on = trial.frame()
            socket.flush()
            due_s += FRAME_MS / 1_000
            await asyncio.sleep(max(0.0, due_s - loop.time()))
        socket.stop()
        await socket.ended()
    finally:
        socket.cancel()
    return trial.report()


def lines_of(seen: TriedAgent) -> Sequence[str]:
    """Return a report in words, a line for each thing that was seen."""
    lines = [f"The call goes on by the branch {seen.branch}: {seen.why}."]
    if seen.first_message_ms is None:
        return [*lines, "Nothing came from the program."]
    lines.append(f"Its first message came after {_s(seen.first_message_ms)}.")
    if seen.messages:
        pace = "at once" if not seen.pace else f"at {seen.pace} % of real time"
        lines.append(
            f"It sent {_s(seen.sound_ms)} of sound in {seen.messages} messages of usually {seen.message_bytes} bytes,"
            f" {pace}."
        )
    if seen.first_word_ms is not None:
        lines.append(f"Its first word was heard after {_s(seen.first_word_ms)}. Holes within its sound: {seen.holes}.")
    lines.append(f"Marks: {seen.marks}. Interruptions by clear: {seen.clears}. Messages without sense: {seen.unread}.")
    lines += [f"Result: {seen.result}"] if seen.result else []
    lines += [f"Summary: {seen.summary}"] if seen.summary else []
    if "without a close frame" in seen.why:
        lines.append("uvicorn closes so when the function of a program returns, or fails, without close().")
    return lines


def _s(time_ms: int) -> str:
    return f"{time_ms / 1_000:.2f} s"
