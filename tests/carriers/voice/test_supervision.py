"""Tests of a supervisor's telephone in a call over SIP: real sockets, and tones that are measured."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.media.rtp import FRAME_MS, RtpPacket, read_packet, write_packet
from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.voice import shared_room
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.shared_room import SharedRoom
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Answered, Bridge, Clear, Dialling, Hold, Supervise
from dialer.domain.words.enums import SupervisionMode
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.pitches import PITCHES, voice, voices_in
from tests.carriers.voice.carrier import SmallCarrier

LISTEN, WHISPER, JOIN = SupervisionMode.LISTEN, SupervisionMode.WHISPER, SupervisionMode.JOIN
LEGS: Final = {who: Dialling(who, "1", "", 60_000, 60_000) for who in PITCHES}
BOTH: Final = {"callee", "agent"}
HEARD: Final = {
    LISTEN: {"callee": {"agent"}, "agent": {"callee"}, "supervisor": BOTH},
    WHISPER: {"callee": {"agent"}, "agent": {"callee", "supervisor"}, "supervisor": BOTH},
    JOIN: {"callee": {"agent", "supervisor"}, "agent": {"callee", "supervisor"}, "supervisor": BOTH},
}
SPELL: Final = 5
"""Packets of 20 ms in which voices are told apart."""


class Telephone:
    """A telephone that says one tone without end, and knows whom it has heard last."""

    def __init__(self, who: str, bound: socket.socket, watch: Watch) -> None:
        self._voice = voice(who, 1)[0]
        self._bound, self._watch = bound, watch
        self._sent = 0
        self._heard: list[bytes] = []
        self.tasks = [asyncio.create_task(self._speak()), asyncio.create_task(self._listen())]

    @property
    def hears(self) -> set[str]:
        return voices_in(b"".join(self._heard[-SPELL:]))

    async def _speak(self) -> None:
        while True:
            self._sent += 1
            with contextlib.suppress(OSError):
                self._bound.send(write_packet(RtpPacket(0, self._sent % 65_536, 160 * self._sent, 7, self._voice)))
            await asyncio.sleep(FRAME_MS / 1_000)

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                packet = read_packet(await asyncio.get_running_loop().sock_recv(self._bound, 2_000))
                self._heard.append(packet.data)
                self._watch.touch()


class Scene:
    """A line, and the three telephones that it has called."""

    def __init__(self, folder: Path, stack: ExitStack, room: SoundRoom) -> None:
        self.watch = Watch()
        self.worker = Worker(self.watch)
        self.folder, self.room = folder, room
        self.carrier = stack.enter_context(SmallCarrier(self.watch.touch))
        self.parameters = json.dumps({"server": f"127.0.0.1:{self.carrier.port}", "session_expires": 0})
        self.line = self.new_line(self.worker, room)
        self.phones: dict[str, Telephone] = {}
        self._stack = stack
        self._turn = 0

    def new_line(self, worker: Worker, room: SoundRoom) -> SipLine:
        return SipLine(self.parameters, worker, room, SoundFiles(FolderMedia(self.folder)), t1_ms=100)

    async def connect(self, prepare: Callable[[str], None]) -> None:
        """Call the three, each after a preparation, and bridge the callee with the agent."""
        await self.watch.until(lambda: not self.worker.why_not)
        for who, leg in LEGS.items():
            prepare(who)
            self.line.dial(leg)
            await self.watch.until(partial(self.has_answered, who))
            bound = self._stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            bound.settimeout(0)
            bound.connect(("127.0.0.1", self.carrier.ports[-1]))
            self.phones[who] = Telephone(who, bound, self.watch)
        self.bridge(1)

    def has_answered(self, who: str) -> bool:
        return (who, "Answered") in self.worker.kinds

    def bridge(self, turn: int) -> None:
        self.line.perform("callee", Bridge(turn, "agent"))

    def supervise(self, mode: SupervisionMode) -> None:
        self._turn += 1
        self.line.perform("supervisor", Supervise(self._turn, "callee", "agent", mode))

    async def hear(self, expected: dict[str, set[str]]) -> None:
        """Wait until each hears those whom they are to hear."""
        await self.watch.until(lambda: {who: self.phones[who].hears for who in expected} == expected)

    async def end(self) -> None:
        for phone in self.phones.values():
            for task in phone.tasks:
                task.cancel()
        await self.line.close()

    def ended(self, worker: Worker) -> set[str]:
        return {key for key, kind in worker.kinds if kind == "Ended"}


@contextlib.asynccontextmanager
async def connected(
    folder: Path, room: SoundRoom | None = None, prepare: Callable[[str], None] = lambda _: None
) -> AsyncIterator[Scene]:
    with ExitStack() as stack:
        scene = Scene(folder, stack, room or SoundRoom())
        await scene.connect(prepare)
        await scene.hear({"callee": {"agent"}, "agent": {"callee"}})
        yield scene
        await scene.end()


async def test_a_supervisor_listens_whispers_and_joins_until_hanging_up(tmp_path: Path) -> None:
    async with connected(tmp_path) as scene:
        for mode in (LISTEN, WHISPER, JOIN, LISTEN, JOIN):
            scene.supervise(mode)
            await scene.hear(HEARD[mode])
        scene.line.perform("supervisor", Clear(99))
        await scene.watch.until(lambda: scene.ended(scene.worker) == {"supervisor"})
        await scene.hear({"callee": {"agent"}, "agent": {"callee"}})


@pytest.mark.parametrize("gone", ["callee", "agent"])
async def test_a_supervisor_without_a_call_is_reported_and_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    """Nobody steers the legs any more, so the line itself clears them."""
    async with connected(tmp_path) as scene:
        scene.supervise(JOIN)
        await scene.hear(HEARD[JOIN])
        scene.line.perform(gone, Clear(99))
        await scene.watch.until(lambda: ("supervisor", "Done") in scene.worker.kinds)
        monkeypatch.setattr("dialer.carriers.voice.line.NO_ORDER_MS", 0)
        scene.line.look()
        await scene.watch.until(lambda: scene.ended(scene.worker) >= {gone, "supervisor"})


async def test_a_supervisor_stays_while_the_callee_is_on_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(tmp_path) as scene:
        scene.supervise(JOIN)
        await scene.hear(HEARD[JOIN])
        scene.line.perform("callee", Hold(2))
        scene.line.perform("agent", Hold(1, is_silent=True))
        await scene.hear({"agent": set(), "supervisor": set()})
        monkeypatch.setattr("dialer.carriers.voice.line.NO_ORDER_MS", 0)
        scene.line.look()
        scene.bridge(3)
        await scene.hear(HEARD[JOIN])
        assert scene.ended(scene.worker) == set()


async def test_a_supervision_goes_on_in_the_next_process(tmp_path: Path) -> None:
    async with connected(tmp_path) as scene:
        scene.supervise(WHISPER)
        await scene.hear(HEARD[WHISPER])
        handles = {key: heard.handle for _, key, heard in scene.worker.heard_of if isinstance(heard, Answered)}
        scene.line.settled(scene.worker.heard_of[-1][0])
        await scene.line.close()
        again = Worker(scene.watch)
        scene.line = scene.new_line(again, SoundRoom())
        await scene.watch.until(lambda: not again.why_not)
        found = await scene.line.find([LiveLeg(leg, 10**6, 0, handles[key]) for key, leg in LEGS.items()])
        assert found == [Alive()] * len(LEGS)
        scene.supervise(WHISPER)
        scene.bridge(2)
        await scene.hear(HEARD[WHISPER])


@pytest.mark.parametrize("away", [{"supervisor"}, {"callee", "agent"}, {"agent"}, set(LEGS)])
async def test_the_sound_of_the_three_comes_together_in_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: set[str]
) -> None:
    """Some of the calls begin at a helper."""
    monkeypatch.setattr(shared_room, "START_EVERY_MS", 0)
    room, places = SharedRoom(1), (socket.AF_INET, None)

    def prepare(who: str) -> None:
        monkeypatch.setattr(shared_room, "CALLS_EACH", 1 if who in away else 99)

    for key in ("here", "starts it"):
        monkeypatch.setattr(shared_room, "CALLS_EACH", 1)
        room.add(key, places, lambda _: None, SoundTerms())
    await room.helpers[0].started.wait()
    async with connected(tmp_path, room, prepare) as scene:
        for mode in (LISTEN, WHISPER, JOIN):
            scene.supervise(mode)
            await scene.hear(HEARD[mode])
        assert len({key in room.helpers[0].legs for key in LEGS}) == 1
        await scene.end()
        await room.end()
