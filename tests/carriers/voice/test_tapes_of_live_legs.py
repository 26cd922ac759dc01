"""Tests of what becomes of the sound in recordings of calls that a line takes up while it is being opened."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from dialer.carriers.line_port import Alive, LiveLeg
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.calls.call_recording import SoundStore, TapeState
from dialer.domain.sessions.leg_protocol import Answered, Clear, Dialling, Tape
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import Watch, Worker
from tests.carriers.voice.carrier import SmallCarrier

WAITING, KEEPING, SILENT = TapeState.WAITING, TapeState.KEEPING, TapeState.SILENT
STORE: Final = SoundStore("a.call", "7b" * 32, age_ms=6_000)
CALL: Final = Dialling("call", "1", "", 60_000, 600_000)


class StoresNoted(SoundRoom):
    """The sound of legs, of which recordings are noted and not written."""

    def __init__(self) -> None:
        """Prepare it, with no recording."""
        super().__init__()
        self.begun: Final[list[tuple[TapeState, int]]] = []
        """The states with which recordings began, and the age of their sound."""

    def record(self, _key: str, store: SoundStore) -> None:
        """Note how a recording begins."""
        self.begun.append((store.state, store.age_ms))

    def silence(self, _key: str, *, is_silent: bool) -> None:
        """Note a pause of a recording that has begun."""
        self.begun.append((SILENT if is_silent else KEEPING, 0))


class Restart:
    """A call whose process has ended, and the process that takes it up."""

    def __init__(self, folder: Path) -> None:
        """Prepare it, with no call."""
        self._files: Final = SoundFiles(FolderMedia(folder))
        self.watch: Final = Watch()
        self._again: Final = Worker(self.watch)
        self.room: Final = StoresNoted()
        self.line: SipLine
        self._handle = self._parameters = ""

    async def begin(self, carrier: SmallCarrier) -> None:
        """Answer the call, and end its process."""
        self._parameters = json.dumps({"server": f"127.0.0.1:{carrier.port}", "session_expires": 0})
        worker = Worker(self.watch)
        line = SipLine(self._parameters, worker, SoundRoom(), self._files)
        await self.watch.until(lambda: not worker.why_not)
        line.dial(CALL)
        await self.watch.until(lambda: ("call", "Answered") in worker.kinds)
        answered = worker.first(Answered)
        assert isinstance(answered, Answered)
        self._handle = answered.handle
        line.settled(worker.heard_of[-1][0])
        await line.close()

    def open(self) -> None:
        """Begin to open another line."""
        self.line = SipLine(self._parameters, self._again, self.room, self._files)

    async def opened(self) -> None:
        """Wait until the line is open."""
        await self.watch.until(lambda: not self._again.why_not)

    def live(self, state: TapeState) -> LiveLeg:
        """Return the call with the state of its recording."""
        store = SoundStore(STORE.file, STORE.key, STORE.age_ms, state)
        order = Dialling("call", "1", "", 60_000, 600_000, sound_store=store)
        return LiveLeg(order, 10**6, 6_000, self._handle)

    async def end(self) -> None:
        """Hang up."""
        self.line.perform("call", Clear(9))
        await self.watch.until(lambda: ("call", "Ended") in self._again.kinds)
        await self.line.close()


@pytest.fixture
async def restart(tmp_path: Path) -> AsyncIterator[Restart]:
    """Return a call whose process has ended."""
    scene = Restart(tmp_path)
    with SmallCarrier(scene.watch.touch) as carrier:
        await scene.begin(carrier)
        yield scene
        await scene.end()


async def test_an_order_from_before_a_leg_is_looked_for_is_older_than_its_state(restart: Restart) -> None:
    restart.open()
    restart.line.perform("call", Tape(1, KEEPING))
    await restart.opened()
    restart.line.perform("call", Tape(1, SILENT))
    assert await restart.line.find([restart.live(SILENT)]) == [Alive()]
    assert restart.room.begun == [(SILENT, 6_000)]


@pytest.mark.parametrize(("was", "age_ms"), [(KEEPING, 6_000), (WAITING, 0)])
async def test_an_order_while_a_leg_is_looked_for_is_newer_than_its_state(
    restart: Restart, was: TapeState, age_ms: int
) -> None:
    restart.open()
    finding = asyncio.ensure_future(restart.line.find([restart.live(was)]))
    await asyncio.sleep(0)
    restart.line.perform("call", Tape(1, SILENT))
    assert await finding == [Alive()]
    assert restart.room.begun == [(SILENT, age_ms)]
