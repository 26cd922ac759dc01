"""The network between processes and their database: a TCP proxy each, which can stop carrying anything."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Coroutine
from typing import Any, Final

from sqlalchemy.engine import URL, make_url

CHUNK_BYTES: Final = 65_536
START_S: Final = 10


class Network:
    """An event loop in a thread, which carries the bytes of all links."""

    def __init__(self) -> None:
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._links: Final[list[Link]] = []

    def link(self, url: str) -> "Link":
        """Return a new way to the database at `url`."""
        link = Link(self, make_url(url))
        self.run(link.open())
        self._links.append(link)
        return link

    def run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the loop, and wait for its end."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(START_S)

    def close(self) -> None:
        """End all connections, and the thread."""
        for link in self._links:
            self.run(link.close())
        self.run(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_S)
        self._loop.close()


class Link:
    """The network of one process. While it is cut it accepts connections and bytes, and delivers none."""

    def __init__(self, network: Network, url: URL) -> None:
        self._network: Final = network
        self._target: Final = url
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._carrying: Final[set[asyncio.Task[None]]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The URL of the database over this link."""
        if self._server is None:
            raise RuntimeError("the link is not open yet")
        port = self._server.sockets[0].getsockname()[1]
        found = self._target.set(host="127.0.0.1", port=port).difference_update_query(["host", "port"])
        return found.render_as_string(hide_password=False)

    def cut(self) -> None:
        """Carry nothing from now on."""
        self._network.run(self._cut())

    def heal(self, *, is_lost: bool) -> None:
        """Carry again: everything that was sent meanwhile, or, if it is lost, only what new connections send."""
        self._network.run(self._heal(is_lost=is_lost))

    async def open(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()

    async def _cut(self) -> None:
        self._is_open.clear()

    async def _heal(self, *, is_lost: bool) -> None:
        if is_lost:
            for one in self._carrying:
                one.cancel()
        self._is_open.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carrying.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._is_open.wait()
                far_reader, far_writer = await self._connect()
                both = asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
                try:
                    await both
                finally:
                    far_writer.transport.abort()
        finally:
            writer.transport.abort()
            self._carrying.discard(task)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = self._target.query.get("host") or self._target.host or "127.0.0.1", self._target.port or 5432
        if str(host).startswith("/"):
            return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        return await asyncio.open_connection(str(host), port)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            one = writer.get_extra_info("socket")
            if one.family != socket.AF_UNIX:  # Else each statement of many waits 40 ms for an acknowledgement.
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := await reader.read(CHUNK_BYTES):
                await self._is_open.wait()
                writer.write(data)
                await writer.drain()
        await self._is_open.wait()  # An end travels no faster than bytes.
        writer.close()


async def _cancel_all() -> None:
    tasks = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
    for one in tasks:
        one.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
