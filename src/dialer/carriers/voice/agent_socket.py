"""The connection with a program that talks: a WebSocket that we open, to an address that was checked."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import ssl
from collections import deque
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from dialer.carriers.media.agent_stream import CONNECT_MS
from dialer.carriers.media.conversing import Conversing
from dialer.domain.survey.agent_urls import agent_port, signed_url, split_agent_url

MESSAGE_BYTES_MAX: Final = 4 * 1024 * 1024
PING_EVERY_S: Final = 20.0
PING_TIMEOUT_S: Final = 60.0
"""Time for the answer to a ping. Programs whose only thread loads a model for long are not lost."""
CLOSE_S: Final = 1.0
"""Time for the program to close after our close."""
UNSENT_MS_MAX: Final = 10_000
"""Time for which a message waits to be sent. A program that reads nothing for so long has failed."""
READ_BYTES_A_SECOND: Final = 2 * 1024 * 1024
READ_BYTES_AT_ONCE: Final = 8 * 1024 * 1024
"""Bytes of a program that are read at once: an answer of 200 s needs 2 MB. Further ones come at the speed above."""
_NO_STATUS: Final = 1_005
"""The code of a close frame that has none, which is a close as it should be."""
_NORMAL: Final = 1_000


class _Connect(connect):
    """A connection that follows no redirect: it would take our signature to any host."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Return the error, whatever the answer is."""
        return exc


class ReadingPace:
    """The bytes that may be read now."""

    def __init__(self, now_s: float) -> None:
        self._left, self._at_s = float(READ_BYTES_AT_ONCE), now_s

    def wait_s(self, now_s: float, count: int) -> float:
        """Take bytes, and return the seconds to wait before the next ones."""
        self._left = min(READ_BYTES_AT_ONCE, self._left + (now_s - self._at_s) * READ_BYTES_A_SECOND) - count
        self._at_s = now_s
        return max(0.0, -self._left / READ_BYTES_A_SECOND)


class AgentSocket:
    """The socket of one conversation, from the attempt to connect to its end."""

    def __init__(self, talk: Conversing) -> None:
        self.talk: Final = talk
        self._unsent: deque[tuple[int, str]] = deque()
        """Messages that wait, each with the moment since when."""
        self._has_news: Final = asyncio.Event()
        self._is_ending = False
        self._sending: asyncio.Timeout | None = None
        """The time for what waits to be sent. It begins with the end, as a program may read nothing."""
        self._work: Final = asyncio.get_running_loop().create_task(self._live())

    @property
    def is_gone(self) -> bool:
        """Return whether nothing is left to do."""
        return self._work.done()

    def flush(self) -> None:
        """Send what the stream has to say."""
        stream, now_ms = self.talk.stream, self.talk.now_ms
        if stream.to_send:
            self._unsent += ((now_ms, message) for message in stream.to_send)
            stream.to_send.clear()
            self._has_news.set()
        if self._unsent and now_ms - self._unsent[0][0] > UNSENT_MS_MAX and stream.end is None:
            stream.stalled()
        if stream.is_over and not self._is_ending:
            self._is_ending = True
            self._has_news.set()
            if self._sending is not None:
                self._sending.reschedule(asyncio.get_running_loop().time() + CLOSE_S)

    def stop(self) -> None:
        """Tell the program that the call goes on without it, and close."""
        self.talk.stream.stop()
        self.flush()

    async def ended(self) -> None:
        """Wait until nothing is left to do."""
        await asyncio.wait({self._work})

    def cancel(self) -> None:
        """Close at once, without a word."""
        self._work.cancel()

    async def _live(self) -> None:
        stream = self.talk.stream
        try:
            async with asyncio.timeout(CONNECT_MS / 1_000):
                socket = await _open(self.talk)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI, ssl.CertificateError) as error:
            stream.refused(_in_words(error))
            return
        stream.connected()
        reading = asyncio.get_running_loop().create_task(self._read(socket))
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S if self._is_ending else None) as self._sending:
                    await self._write(socket)
        finally:
            self._sending = None
            with contextlib.suppress(TimeoutError, ConnectionClosed, OSError):
                async with asyncio.timeout(2 * CLOSE_S):
                    await socket.close(_NORMAL)
            socket.transport.abort()
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading

    async def _write(self, socket: ClientConnection) -> None:
        """Send all messages in their order, up to the end of the conversation or of the connection."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                while self._unsent:
                    await socket.send(self._unsent.popleft()[1])
                if self._is_ending:
                    return
                self._has_news.clear()
                await self._has_news.wait()

    async def _read(self, socket: ClientConnection) -> None:
        """Take all messages of the program, and the end of the connection."""
        loop, talk = asyncio.get_running_loop(), self.talk
        pace = ReadingPace(loop.time())
        with contextlib.suppress(ConnectionClosed):
            while True:
                raw = await socket.recv()
                talk.stream.take(talk.now_ms, raw)
                wait_s = pace.wait_s(loop.time(), len(raw))
                await asyncio.sleep(wait_s)  # It may have sent much, and others want to be heard.
        received = socket.protocol.close_rcvd
        code = None if received is None else int(received.code)
        talk.stream.closed(_NORMAL if code == _NO_STATUS else code)
        self._has_news.set()


async def _open(talk: Conversing) -> ClientConnection:
    """Connect to one of the addresses of a program.

    Raises:
        Exception: whatever a socket or the library raises.
    """
    order = talk.order
    url = split_agent_url(order.url)
    if url is None:
        raise OSError("its address is wrong")
    last: Exception = OSError("it has no address that may be connected")
    for address in order.addresses:
        try:
            return await _Connect(
                order.url,
                host=address,
                port=agent_port(url),
                ssl=_tls() if url.scheme == "wss" else None,
                additional_headers=signature(url, order.secret),
                proxy=None,
                compression=None,
                max_size=MESSAGE_BYTES_MAX,
                ping_interval=PING_EVERY_S,
                ping_timeout=PING_TIMEOUT_S,
                close_timeout=CLOSE_S,
                open_timeout=None,
                user_agent_header="dialer",
            )
        except OSError as error:
            last = error
    raise last


def signature(url: SplitResult, secret: str) -> dict[str, str]:
    """Return the header that signs a connection as Twilio does; none without a secret."""
    if not secret:
        return {}
    signed = hmac.digest(secret.encode(), signed_url(url).encode(), hashlib.sha1)
    return {"X-Twilio-Signature": base64.b64encode(signed).decode()}


@lru_cache(1)
def _tls() -> ssl.SSLContext:
    """Return the context that verifies programs by the authorities of this machine (and of SSL_CERT_FILE)."""
    return ssl.create_default_context()


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"none in {CONNECT_MS // 1_000} s"
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
