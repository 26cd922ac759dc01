"""Our side of a call with a telephone: a line, and the words of a test for what it shall do and hear."""

import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, TypeVar

from dialer.carriers.line_port import Found
from dialer.carriers.voice.call_trace import Capture
from dialer.carriers.voice.line import SipLine
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import Arrived, Arriving, Ask, Clear, Dialling, Done, Ended, LegReport, Order
from dialer.store.media.folder import FolderMedia
from tests.carriers.listening import WAIT_S, Watch, Worker
from tests.carriers.sip.test_sipp import free_port

CALLER: Final = "+12025550150"
KEY: Final = "call"
RING_MS: Final = 20_000
TALK_MS: Final = 120_000
_CSEQ: Final = re.compile(rb"(?im)^CSeq:\s*(\d+)\s+(\w+)")
_Report = TypeVar("_Report", bound=LegReport)


class Messages(Capture):
    """The messages of the calls, instead of files."""

    def __init__(self, watch: Watch) -> None:
        self.all: Final[list[tuple[bool, bytes]]] = []
        """The bytes of each message, and whether it was sent."""
        self._watch = watch

    def note(self, key: str, data: bytes, *, is_sent: bool) -> None:  # noqa: ARG002 - there is one call
        self.all.append((is_sent, data))
        self._watch.touch()

    def remark(self, key: str, text: str) -> None:
        """Ignore what is said of the sound."""


class Trunk(Worker):
    """A line to one telephone, and everything that it hears. Reports are settled at once."""

    def __init__(self, parameters: dict[str, object], folder: Path) -> None:
        self.watch: Final = Watch()
        super().__init__(self.watch)
        self.port: Final = free_port()
        """The port that the telephone calls."""
        self._turn = 0
        given = {"session_expires": 0, "local_port": self.port, **parameters}
        self.messages: Final = Messages(self.watch)
        files, room = SoundFiles(FolderMedia(folder)), SoundRoom()
        self.line: Final = SipLine(json.dumps(given), self, room, files, capture=self.messages)

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        super().heard(number, key, heard)
        self.line.settled(number)

    async def is_open(self) -> None:
        """Wait until the line is up."""
        await self.watch.until(lambda: not self.why_not)

    def dial(self, number: str, ring_ms: int = RING_MS) -> None:
        """Call a number."""
        self.line.dial(Dialling(KEY, number, CALLER, ring_ms, TALK_MS))

    async def take(self) -> Arrived:
        """Wait for a call that comes in, and answer it."""
        arrived = await self.hears(Arrived)
        key = next(key for _, key, heard in self.heard_of if heard is arrived)
        self.line.dial(Arriving(key, arrived.caller, TALK_MS, arrived.handle))
        return arrived

    async def hears(self, kind: type[_Report]) -> _Report:
        """Wait for a report of a kind, and return the last one."""

        def found() -> list[_Report]:
            return [heard for _, _, heard in self.heard_of if isinstance(heard, kind)]

        await self.watch.until(found)
        return found()[-1]

    def ask(self) -> int:
        """Ask for a key, and return the turn of the question."""
        self._turn += 1
        self._perform(Ask(self._turn, (), 1, TALK_MS))
        return self._turn

    async def key(self, turn: int) -> str:
        """Wait for the key that answers a question."""

        def found() -> list[str]:
            return [one.answer for _, _, one in self.heard_of if isinstance(one, Done) and one.turn == turn]

        await self.watch.until(found)
        return found()[0]

    async def acknowledged(self, count: int) -> None:
        """Wait until the telephone has changed the call so many times: it acknowledges our answers."""
        await self.watch.until(lambda: len(self._received(b"ACK ")) >= count)

    async def refreshed(self, within_s: int) -> None:
        """Wait until one side has agreed to a refresh of the call, which the other one asked for."""

        def is_refresh(is_sent: bool, message: bytes) -> bool:  # noqa: FBT001 - of a pair
            found = _CSEQ.search(message)
            if found is None or not message.startswith(b"SIP/2.0 200"):
                return False
            return found[2] == b"UPDATE" or (found[2] == b"INVITE" and (is_sent or int(found[1]) > 1))

        for _ in range(within_s // WAIT_S):
            with contextlib.suppress(TimeoutError):
                await self.watch.until(lambda: any(is_refresh(*one) for one in self.messages.all))
                return
        raise AssertionError("the call was not refreshed")

    def _received(self, start: bytes) -> list[bytes]:
        return [data for is_sent, data in self.messages.all if not is_sent and data.startswith(start)]

    def clear(self) -> None:
        """Hang up."""
        self._turn += 1
        self._perform(Clear(self._turn))

    async def cause(self) -> int:
        """Wait for the end of the call, and return its cause."""
        return (await self.hears(Ended)).cause.value

    def _perform(self, order: Order) -> None:
        key = next(key for _, key, heard in reversed(self.heard_of) if key)
        self.line.perform(key, order)


@contextlib.asynccontextmanager
async def trunk(folder: Path, telephone: int, **parameters: object) -> AsyncIterator[Trunk]:
    """Open a line to the telephone at a port."""
    opened = Trunk({"server": f"127.0.0.1:{telephone}", **parameters}, folder)
    try:
        await opened.is_open()
        yield opened
    finally:
        await opened.line.close()
