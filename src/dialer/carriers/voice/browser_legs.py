"""BrowserLegs: the legs of a line that lead to agents' telephones in browsers, beside those over SIP.

Such a leg is sound without SIP. The exchange of the telephones is at the other end, on this machine, and a connection
to it lasts as long as the call.
"""

import asyncio
import socket
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from dialer.carriers.media.sound_leg import SoundTerms
from dialer.carriers.media.sound_router import OrderDone, SoundLost
from dialer.carriers.sip import causes
from dialer.carriers.sip.sdp import KEYS_PAYLOAD, PAYLOADS, AgreedSound, Codec
from dialer.carriers.voice.clock import steady_ms
from dialer.carriers.voice.sip_trunk_endpoint import EndpointOwner
from dialer.carriers.voice.sound_room import SoundFailed, SoundNews, SoundOver, SoundRoom
from dialer.carriers.voice.telephone_exchange import LOOPBACK
from dialer.carriers.voice.telephone_frames import (
    FRAME_BYTES_MAX,
    RingTelephone,
    TelephoneFrameError,
    TelephoneGone,
    TelephoneRefused,
    TelephoneRings,
    encode_frame,
    read_news,
)
from dialer.domain.numbers.agent_contacts import agent_in_browser
from dialer.domain.sessions.leg_protocol import Answered, Clear, Dialling, Ended, Order, Ringing
from dialer.domain.words.enums import Cause

ANSWER_S: Final = 5.0
"""Time for the exchange to answer."""
AGAIN_S: Final = 0.25
"""Pause before an exchange that has ended is asked again."""
NOBODY: Final = "the agent has no telephone open in a browser"
KEPT_S: Final = 12.0
"""Time for which a call in progress waits for the exchange that has ended."""
_PCMU: Final = PAYLOADS[Codec.PCMU]


class BrowserHandle(msgspec.Struct, frozen=True, tag="browser"):
    """The values of an answered leg with which another process takes it up."""

    agent_id: int


class BrowserLegs:
    """The legs of one line to telephones in browsers."""

    def __init__(self, exchange: Path | None, room: SoundRoom, owner: EndpointOwner) -> None:
        """Prepare it. `exchange` is the path of the exchange's socket; None if there is none."""
        self._exchange: Final = exchange
        self._room: Final = room
        self._owner: Final = owner
        self._tasks: Final[dict[str, asyncio.Task[None]]] = {}

    def dial(self, dialling: Dialling) -> bool:
        """Call the telephone of an agent, and return True; False if the number is none of a browser."""
        agent_id = agent_in_browser(dialling.number)
        if agent_id is None:
            return False
        self._begin(dialling, agent_id, is_kept=False)
        return True

    def take_up(self, order: Dialling, handle: str) -> bool:
        """Continue a leg of another process, and return True. Return False if the handle is none of a browser's leg."""
        try:
            agent_id = msgspec.json.decode(handle, type=BrowserHandle).agent_id
        except msgspec.DecodeError:
            return False
        self._begin(order, agent_id, is_kept=True)
        return True

    def obey(self, key: str, order: Order) -> bool:
        """Hang up, if that is the order and the leg is one of these. Return whether it was."""
        if not isinstance(order, Clear) or key not in self._tasks:
            return False
        self._end(key, order.cause, "hung up")
        return True

    async def close(self) -> None:
        """Leave all legs to another process."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, order: Dialling, agent_id: int, *, is_kept: bool) -> None:
        # The leg is there at once: the next order may connect another one with it.
        try:
            port = self._room.add(order.key, (socket.AddressFamily.AF_INET, None), self._sounded, SoundTerms())
        except OSError:
            port = 0
        work = self._live(order, RingTelephone(agent_id, port, is_kept))
        self._tasks[order.key] = asyncio.get_running_loop().create_task(work)

    async def _live(self, order: Dialling, asked: RingTelephone) -> None:
        """Carry a leg from its begin to its end."""
        if not asked.port:
            self._end(order.key, causes.NO_CIRCUIT, "no port for sound is free")
            return
        try:
            async with asyncio.timeout(order.talk_limit_ms / 1_000):
                cause, because = await self._talk(order.key, asked)
        except TimeoutError:
            cause, because = causes.NORMAL, "it talked for as long as it may"
        self._end(order.key, cause, because)

    async def _talk(self, key: str, asked: RingTelephone) -> tuple[int, str]:
        """Let the telephone have the call, and return the cause of the leg's end.

        A call in progress waits for an exchange that has ended, which is another process then.
        """
        loop = asyncio.get_running_loop()
        until_s = loop.time() + KEPT_S
        while True:
            had, ended = await self._ring(key, asked)
            if ended is not None:
                return ended
            if had:
                asked, until_s = msgspec.structs.replace(asked, is_kept=True), loop.time() + KEPT_S
            if not asked.is_kept:
                return causes.NOT_RESPONDING, NOBODY
            if loop.time() >= until_s:
                return causes.OUT_OF_SERVICE, "the process of the telephones has ended"
            await asyncio.sleep(AGAIN_S)

    async def _ring(self, key: str, asked: RingTelephone) -> tuple[bool, tuple[int, str] | None]:
        """Let the telephone have the call until one of both ends.

        Return whether it had the call, and the cause of the end; None if the exchange is gone.
        """
        writer, had = None, False
        try:
            async with asyncio.timeout(ANSWER_S):
                reader, writer = await asyncio.open_unix_connection(str(self._exchange), limit=FRAME_BYTES_MAX)
                writer.write(encode_frame(asked))
                answer = await read_news(reader)
            if not isinstance(answer, TelephoneRings):
                why = answer.why if isinstance(answer, TelephoneRefused) else ""
                return False, (causes.NOT_RESPONDING, why or NOBODY)
            self._answered(key, asked, answer.port)
            had = True
            news = await read_news(reader)
        except (OSError, TelephoneFrameError):
            return had, None
        else:
            return had, (causes.NORMAL, news.why if isinstance(news, TelephoneGone) else "the telephone has left it")
        finally:
            if writer is not None:
                writer.close()

    def _answered(self, key: str, asked: RingTelephone, port: int) -> None:
        at_ms = steady_ms()
        self._room.agree(key, AgreedSound(LOOPBACK, port, Codec.PCMU, _PCMU, KEYS_PAYLOAD))
        if not asked.is_kept:
            handle = msgspec.json.encode(BrowserHandle(asked.agent_id)).decode()
            self._owner.hear(key, at_ms, Ringing(0), "")
            self._owner.hear(key, at_ms, Answered(0, handle), "")

    def _sounded(self, news: SoundNews) -> None:
        """Take what the sound of a leg tells."""
        match news:
            case OrderDone():
                self._owner.hear(news.key, steady_ms(), news.done, "")
            case SoundLost() | SoundFailed():
                self._end(news.key, causes.OUT_OF_SERVICE, "the process that carried its sound has ended")

    def _end(self, key: str, cause: int, because: str) -> None:
        task = self._tasks.pop(key, None)
        if task is None:
            return
        if task is not asyncio.current_task():
            task.cancel()
        self._room.finish(key, partial(self._over, key, steady_ms(), cause, because))

    def _over(self, key: str, at_ms: int, cause: int, because: str, over: SoundOver) -> None:
        if over.quality:
            self._owner.remark(key, over.quality)
        self._owner.hear(key, at_ms, Ended(0, Cause(cause), sound=over.figures), because)
