"""The process of the telephones in browsers: it outlives the API and the lines, and so do its calls."""

import asyncio
import contextlib
import gc
import signal
import sys
from pathlib import Path
from typing import Final

from dialer.carriers.media import srtp
from dialer.carriers.voice.line_process import alone, bind_unix
from dialer.carriers.voice.telephone_exchange import TelephoneExchange
from dialer.carriers.voice.telephone_frames import (
    FRAME_BYTES_MAX,
    AnswerOffer,
    AskTelephone,
    FromExchange,
    HangUpTelephone,
    RingTelephone,
    TelephoneFrameError,
    TelephoneGone,
    TelephoneRings,
    encode_frame,
    exchange_path,
    read_question,
)

IDLE_S: Final = 60
"""Time after which a process ends that has neither a telephone nor a call."""
CONNECTIONS_MAX: Final = 1_000
FIRST_FRAME_S: Final = 10.0
"""Time for the question of a connection."""


class TelephoneProcess:
    """The exchange, and those who ask it over a Unix socket."""

    def __init__(self, exchange: TelephoneExchange) -> None:
        self._exchange: Final = exchange
        self._connections: Final[set[asyncio.Task[None] | None]] = set()

    async def serve(self, path: Path, stop: asyncio.Event, idle_s: int = IDLE_S) -> None:
        """Serve until `stop`, or until nobody has used it for a while."""
        server = await asyncio.start_unix_server(self._serve_one, sock=bind_unix(path), limit=FRAME_BYTES_MAX)
        living = asyncio.get_running_loop().create_task(self._exchange.live())
        try:
            left_s = idle_s
            while not stop.is_set() and left_s > 0:
                left_s = idle_s if self._exchange.is_used or self._connections else left_s - 1
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), 1.0)
        finally:
            server.close()
            living.cancel()
            for task in filter(None, self._connections):
                task.cancel()
            self._exchange.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if len(self._connections) >= CONNECTIONS_MAX:
            writer.close()
            return
        self._connections.add(task)
        try:
            async with asyncio.timeout(FIRST_FRAME_S):
                asked = await read_question(reader)
            if isinstance(asked, RingTelephone):
                await self._carry(asked, reader, writer)
            else:
                writer.write(encode_frame(await self._answer(asked)))
                await writer.drain()
        except (TelephoneFrameError, OSError, asyncio.CancelledError):
            # The other side is gone or silent, or this process ends. A TimeoutError is an OSError.
            return
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, asked: AnswerOffer | HangUpTelephone | AskTelephone) -> FromExchange:
        match asked:
            case AnswerOffer():
                return await self._exchange.answer(asked)
            case HangUpTelephone():
                return self._exchange.hang_up(asked.agent_id, asked.token)
            case AskTelephone():
                return self._exchange.state(asked.agent_id)

    async def _carry(self, asked: RingTelephone, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Give a call to a telephone as long as the line keeps the connection."""

        def gone(why: str) -> None:
            writer.write(encode_frame(TelephoneGone(why)))

        answer = self._exchange.ring(asked.agent_id, asked.port, gone, is_kept=asked.is_kept)
        writer.write(encode_frame(answer))
        if isinstance(answer, TelephoneRings):
            try:
                await reader.read(1)  # The line says nothing more: it is over, or gone.
            finally:
                self._exchange.release(asked.agent_id, gone)


async def _serve(path: Path) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await TelephoneProcess(TelephoneExchange()).serve(path, stop)


def main() -> None:
    """Serve the telephones of the service whose media folder is the argument. A second process ends at once."""
    path = exchange_path(Path(sys.argv[1]))
    with alone(path.parent) as is_alone:
        if is_alone:
            srtp.load()
            gc.freeze()
            asyncio.run(_serve(path))
