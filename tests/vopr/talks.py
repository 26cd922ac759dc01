"""Programs that talk badly: they connect late or never, hang, flood, close, tear and go on talking when told to stop.

The socket's own program runs on an event loop whose time goes by in frames, over a connection that only this file
knows. Meanwhile, callees hold, press keys and hang up, surveys go on, workers start again, and processes are killed.
"""

import asyncio
import base64
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosedError

from dialer.carriers.media.conversing import Conversing
from dialer.carriers.media.rtp import RtpPacket, write_packet
from dialer.carriers.media.sound_leg import SoundLeg, SoundTerms
from dialer.carriers.media.sound_router import PHASES, OrderDone, SendSound
from dialer.carriers.sip.sdp import AgreedSound, Codec, Direction
from dialer.carriers.voice import agent_socket
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Converse, Done, Play
from tests.vopr.dice import Dice

LEG: Final = "a"
PEER: Final = ("192.0.2.10", 30_000)
SOUND: Final = AgreedSound(*PEER, Codec.PCMU, 0, 101)
FRAME: Final = 160
FRAME_MS: Final = 20
CALLEE: Final = b"\x2a" * FRAME
DISCLOSURE: Final = 0x55
QUIET: Final = 0xFF
WORDS: Final = range(1, 0x20)
"""The sound that a program sends: another byte after each `clear`, so that old words are known."""
NEVER_MS: Final = 3_600_000
BUFFER: Final = 50
"""Messages that a connection takes for a program that reads nothing."""
LONG_SOUND: Final = 8_000 * 200
CALL: Final = "0a1b2c3d-0000-8000-8000-0123456789ab"
_HEADER: Final = 12
_SETTLED: Final = 6
"""Turns of the event loop without news after which nothing is left to do."""
Action: TypeAlias = tuple[Any, ...]
Draw: TypeAlias = Callable[[Dice], list[Action]]


class FrameLoop(asyncio.SelectorEventLoop):
    """An event loop whose time goes by as it is told."""

    now_s = 0.0

    def time(self) -> float:
        """Return the seconds that have gone by."""
        return self.now_s


class Program:
    """The other end of a connection: what it hears, and what it has said that is not read yet."""

    def __init__(self) -> None:
        self.reads = True
        self.heard: list[dict[str, Any]] = []
        self.unread: deque[str | bytes] = deque()
        self.closed_with: int | None = None
        self.is_closed = False
        self.left_by_itself = False
        self.moves = 0
        self._buffered = 0
        self._news, self._gone = asyncio.Event(), asyncio.Event()
        self.protocol = SimpleNamespace(close_rcvd=None)
        self.transport = SimpleNamespace(abort=self._close_with_nothing)

    def says(self, message: str | bytes) -> None:
        """Send a message to us."""
        if not self.is_closed:
            self.unread.append(message)
            self._news.set()

    def leave(self, code: int | None) -> None:
        """Close, with a close frame or without."""
        self.left_by_itself = True
        self._close_with(code)

    def _close_with_nothing(self) -> None:
        if not self.is_closed:
            self._close_with(None)

    def _close_with(self, code: int | None) -> None:
        self.is_closed, self.closed_with = True, code
        self._news.set()
        self._gone.set()

    async def recv(self) -> str | bytes:
        while not self.unread:
            if self.is_closed:
                self.moves += 1
                if self.closed_with is not None:
                    self.protocol.close_rcvd = SimpleNamespace(code=self.closed_with)
                raise ConnectionClosedError(None, None)
            self._news.clear()
            await self._news.wait()
        self.moves += 1
        return self.unread.popleft()

    async def send(self, message: str) -> None:
        if self.is_closed:
            raise ConnectionClosedError(None, None)
        if not self.reads:
            self._buffered += 1
            if self._buffered > BUFFER:
                await self._gone.wait()
            return
        self.moves += 1
        self.heard.append(json.loads(message))

    async def close(self, code: int) -> None:
        """Take our close. One that reads nothing does not answer it."""
        if not self.is_closed and not self.reads:
            await asyncio.sleep(agent_socket.CLOSE_S)
        if not self.is_closed:
            self._close_with(code)


class TalkWorld:
    """A call with a program, and everything that happens to both, frame by frame."""

    def __init__(self, seed: int) -> None:
        dice = self._dice = Dice(seed, "talks")
        self.connect_ms = dice.pick((0, 0, 0, 60, 900, 3_000, 4_900, 5_200, NEVER_MS))
        self.is_refused = dice.happens(8)
        self.disclosure = bytes([DISCLOSURE]) * (8 * dice.pick((0, 0, 200, 710, 2_000)))
        self.order = Converse(
            1,
            (),
            "wss://agent.example/",
            dice.pick((1_000, 2_000, 4_000)),
            dice.pick((1_500, 3_000, 8_000)),
            CALL,
            {"campaign": "1"},
            addresses=("192.0.2.1",),
        )
        self.does: Final = {} if dice.happens(15) else _timed(dice, 8, 350, _ACTIONS)
        self.happens: Final = _timed(dice, 2, 600, _EVENTS)
        self.frame = 0
        self.program: Program | None = None
        self.frames: list[bytes] = []
        """The sound that the callee has heard, frame by frame; empty where nothing was sent."""
        self.heard_by: list[int] = []
        """Messages that the program had heard before each frame."""
        self.done: Done | None = None
        self.over_at: int | None = None
        """The frame from which the call goes on without the program, which it no longer may hear."""
        self.killed = False
        self.epoch = 0
        self.clears: list[tuple[int, int]] = []
        """The frames at which words were dropped, and the first word after."""
        self.marks: list[str] = []
        self.said: list[tuple[int, Action]] = []
        """The acts of the program while it was connected, with the frames."""
        self.completed_at: int | None = None
        self.sockets_left = 0
        """Connections that are still there at the end."""
        self._turn = 1
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._room = SoundRoom()
        self._router = self._room._router  # noqa: SLF001 - without sockets and clock
        self._leg = SoundLeg(LEG, 7 << 60, SoundTerms())
        self._router.add(self._leg)
        self._leg.agree(0, SOUND)

    @property
    def is_quiet(self) -> bool:
        """Return whether nothing but the program and keys has disturbed the conversation."""
        return {event for events in self.happens.values() for event, *_ in events} <= {"key"}

    async def open(self, talk: Conversing) -> Program:
        """Connect, as the network of this world does."""
        del talk
        await asyncio.sleep(self.connect_ms / 1_000)
        if self.is_refused:
            raise OSError("refused")
        self.program = Program()
        return self.program

    async def play(self, frames: int) -> None:
        """Let the call happen."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, FrameLoop)
        self._room.perform(LEG, self.order, self.disclosure)
        began = None
        while self.frame < frames:
            if self.program is not None:
                began = self.frame if began is None else began
                for action in self.does.get(self.frame - began, ()):
                    self._do(self.program, action)
            for event in self.happens.get(self.frame, ()):
                self._happen(event)
            await self._settle()
            self._next_frame()
            self.frame += 1
            loop.now_s += FRAME_MS / 1_000
        self.sockets_left = len(self._room._agents or ())  # noqa: SLF001 - as above
        self._room.close()
        await self._settle()

    async def _settle(self) -> None:
        quiet, before = 0, -1
        while quiet < _SETTLED:
            await asyncio.sleep(0)
            moves = 0 if self.program is None else self.program.moves
            quiet, before = (quiet + 1 if moves == before else 0), moves

    def _next_frame(self) -> None:
        self._number += 1
        voice = RtpPacket(0, self._number % 65_536, FRAME * self._number, 9, CALLEE)
        self._leg.receive(self.frame * FRAME_MS, write_packet(voice), PEER)
        self.heard_by.append(0 if self.program is None else len(self.program.heard))
        frame = b""
        for phase in range(PHASES):
            for output in self._router.tick(self.frame * FRAME_MS, phase):
                if isinstance(output, SendSound) and not output.is_report:
                    frame = output.data[_HEADER:]
                elif isinstance(output, OrderDone) and self.done is None and self.over_at is None:
                    self.done, self.over_at = output.done, self.frame
            if self._room._agents:  # noqa: SLF001 - as the room's own clock
                self._room._agents.tick(self._room._activity_of)  # noqa: SLF001 - as above
        self.frames.append(frame)

    def _do(self, program: Program, action: Action) -> None:
        """Let the program do something. It does not care whether it was told to stop."""
        if program.is_closed:
            return
        self.said.append((self.frame, action))
        match action:
            case "close", code:
                program.leave(code)
            case ("hang",):
                program.reads = False
            case _:
                for message in self._messages(action):
                    program.says(message)

    def _messages(self, action: Action) -> Iterator[str | bytes]:
        """Yield the messages of something that the program says."""
        word = bytes([WORDS[self.epoch % len(WORDS)]])
        match action:
            case "say", count:
                yield _message("media", payload=base64.b64encode(word * count).decode())
            case "pause", count:
                yield _message("media", payload=base64.b64encode(bytes([QUIET]) * count).decode())
            case ("mark",):
                self.marks.append(f"m{len(self.marks)}")
                yield _message("mark", name=self.marks[-1])
            case ("clear",):
                self.epoch += 1
                self.clears.append((self.frame, self.epoch))
                yield _message("clear")
            case "end", branch:
                yield _message("end", **({"branch": branch} if branch else {}))
            case "nonsense", count:
                yield from ("{" if self._dice.happens(50) else b"\0" for _ in range(count))
            case _:
                raise ValueError(action)

    def _happen(self, event: Action) -> None:
        match event:
            case ("key",):
                self._leg.activity.take_key(self.frame * FRAME_MS, "5")
            case "skip", count:
                self._leg.skip(count)
            case ("hold",):
                self._leg.agree(0, replace(SOUND, direction=Direction.RECVONLY))
            case ("resume",):
                self._leg.agree(0, SOUND)
            case ("other",):
                self._leave()
                self._room.perform(LEG, Play(self._next_turn(), ()), b"")
            case ("hang up",):
                self._leave()
                self._room._disconnect(LEG)  # noqa: SLF001 - as the end of a leg
                self._router.remove(LEG)
            case _:
                self._start_again(event)

    def _start_again(self, event: Action) -> None:
        """Let a worker give the order anew: after its start, to complete the call, or elsewhere."""
        match event:
            case ("restart",):
                self._go_on(replace(self.order, goes_on=True))
            case "completed", branch:
                if self.over_at is None and self.completed_at is None:
                    self.completed_at = self.frame
                self._go_on(replace(self.order, goes_on=True, ends_with=branch))
            case ("kill",):
                self.killed |= self.over_at is None
                if self._room._agents is not None:  # noqa: SLF001 - its sockets end with it
                    self._room._agents.close()  # noqa: SLF001 - as above
                self._begin()
                self._go_on(replace(self.order, goes_on=True))
            case _:
                raise ValueError(event)

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _go_on(self, order: Converse) -> None:
        """Give the order anew, as a worker that starts again does as long as it knows of no end."""
        if self.over_at is None:
            self._room.perform(LEG, replace(order, turn=self._next_turn()), b"")

    def _leave(self) -> None:
        if self.over_at is None:
            self.over_at = self.frame


def _message(event: str, **body: object) -> str:
    return json.dumps({"event": event, event: body})


def _timed(dice: Dice, most: int, until: int, draws: Sequence[Draw]) -> dict[int, list[Action]]:
    """Draw what happens at which frames."""
    found: dict[int, list[Action]] = {}
    for _ in range(dice.between(0, most)):
        at = dice.between(0, dice.pick((5, 100, until)))
        gap = dice.between(0, 40)
        for number, action in enumerate(dice.pick(draws)(dice)):
            found.setdefault(at + number * gap, []).append(action)
    return found


def _says_much(dice: Dice) -> list[Action]:
    return [("say", LONG_SOUND if dice.happens(20) else 16_000), ("mark",), ("clear",)]


def _says_and_pauses(dice: Dice) -> list[Action]:
    ends = [("end", "4")] if dice.happens(50) else []
    return [("say", 3_000), ("mark",), ("pause", 16_000), ("mark",), *ends]


_SAYS: Final[Draw] = lambda dice: [("say", dice.pick((1, 80, 160, 1_100, 8_000, 40_000)))]  # noqa: E731 - a row
_ENDS: Final[Draw] = lambda dice: [("end", dice.pick(("2", "7", "")))]  # noqa: E731 - as above
_ACTIONS: Final[tuple[Draw, ...]] = (
    _SAYS,
    _SAYS,
    _SAYS,
    _says_much,
    _says_and_pauses,
    _says_and_pauses,
    lambda _: [("clear",), ("say", 1_600)],
    lambda _: [("say", 8_000 * 20), ("end", "3")],
    _ENDS,
    _ENDS,
    lambda dice: [("close", dice.pick((1_000, 1_001, 1_011, None)))],
    lambda dice: [("nonsense", dice.pick((3, 101, 600)))],
    lambda _: [("hang",)],
)
_EVENTS: Final[tuple[Draw, ...]] = (
    lambda _: [("key",)],
    lambda dice: [("skip", dice.pick((1, 7, 60)))],
    lambda _: [("hold",), ("resume",)],
    lambda _: [("hold",), ("resume",)],
    lambda _: [("restart",)],
    lambda _: [("restart",)],
    lambda dice: [("completed", dice.pick(("0", "hangup")))],
    lambda _: [("other",)],
    lambda _: [("hang up",)],
    lambda _: [("kill",)],
)


def happened(seed: int, frames_of: Callable[[TalkWorld], int]) -> TalkWorld:
    """Return the world of a seed after everything has happened."""
    loop = FrameLoop()

    async def run() -> TalkWorld:
        world = TalkWorld(seed)
        opened: Callable[[Conversing], Awaitable[Program]] = world.open
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(agent_socket, "_open", opened)
            await world.play(frames_of(world))
        return world

    try:
        return loop.run_until_complete(run())
    finally:
        loop.close()
