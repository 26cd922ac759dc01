"""The owner of a telephone in tests: acknowledges answers, asks for a key, and keeps what it hears."""

import asyncio
from pathlib import Path
from typing import Final

from dialer.carriers.sip.flows import Flow
from dialer.carriers.sip.parameters import SipParameters
from dialer.carriers.voice.sip_trunk_endpoint import SipTrunkEndpoint
from dialer.carriers.voice.sound_files import SoundFiles
from dialer.carriers.voice.sound_room import SoundRoom
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Dialling,
    Done,
    Ended,
    LegReport,
    Order,
    Receipt,
    Ringing,
    TextReceived,
)
from dialer.store.media.folder import FolderMedia

WAIT_S: Final = 30


class Listener:
    """Performs the orders of each leg one after the other, and writes down what is heard of it."""

    def __init__(self, *orders: Order) -> None:
        self.heard: dict[str, list[str]] = {}
        self.done: dict[str, list[Done]] = {}
        self.telephone: SipTrunkEndpoint
        self._orders = orders
        self._waits: dict[str, asyncio.Event] = {}

    def hear(self, key: str, at_ms: int, heard: LegReport, because: str) -> None:  # noqa: ARG002 - a telephone says so
        """Write down what is heard, and go on with the next order."""
        lines, done = self.heard.setdefault(key, []), self.done.setdefault(key, [])
        match heard:
            case Ringing():
                lines.append("rings")
            case Answered():
                lines.append("answered")
                self.telephone.acknowledge(key)
            case Done():
                done.append(heard)
            case Ended():
                lines.append(f"over {heard.cause.value}")
                self._waits[key].set()
            case Arrived() | Accepted() | Receipt() | TextReceived():
                pass
        if isinstance(heard, Answered | Done) and len(done) < len(self._orders):
            self.telephone.perform(key, self._orders[len(done)])

    def trunk_is(self, why_not: str) -> None:
        """Ignore the state of the trunk."""

    def found(self, text: str) -> None:
        """Ignore how the servers were found."""

    def trace(self, data: bytes, flow: Flow, *, is_sent: bool) -> None:
        """Ignore messages."""

    def remark(self, key: str, text: str) -> None:
        """Ignore the quality of the sound."""

    async def call(self, parameters: SipParameters, folder: Path, *dials: Dialling) -> None:
        """Call numbers at the same time, and wait for the ends of all."""
        room = SoundRoom()
        self.telephone = SipTrunkEndpoint(parameters, room, SoundFiles(FolderMedia(folder)), self, t1_ms=100)
        await self.telephone.open()
        try:
            for dialling in dials:
                self._waits[dialling.key] = asyncio.Event()
                self.telephone.dial(dialling)
            async with asyncio.timeout(WAIT_S):
                await asyncio.gather(*(one.wait() for one in self._waits.values()))
        finally:
            await self.telephone.close()
            room.close()
