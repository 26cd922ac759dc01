"""Receivers of events on loopback: programs that verify, fail, hang, redirect or answer slowly."""

import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener
from standardwebhooks.webhooks import Webhook

Answer = Callable[[dict[str, Any]], bytes]


def answer(status: str, *headers: str, body: str = "") -> bytes:
    """Return the bytes of an answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", body]
    return "\r\n".join(lines).encode()


OK: Final = answer("204 No Content")


class Receiver:
    """A receiver that answers each event as `answers` says, and keeps what it got."""

    def __init__(self, answers: Callable[[int], bytes | None] = lambda _: OK) -> None:
        self._answers = answers
        self.got: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[str] = []
        self.url = ""

    @asynccontextmanager
    async def listening(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[None]:
        """Listen while the context is entered, with TLS if it is given."""
        plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
        listener = plain if tls is None else TLSListener(plain, tls)
        port = plain.extra(SocketAttribute.local_port)  # noqa: S610 - not that of Django
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{port}/events?of=dialer"
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, self._serve)
            yield
            tasks.cancel_scope.cancel()

    async def _serve(self, stream: ByteStream) -> None:
        buffer = b""
        async with stream:
            while True:
                while b"\r\n\r\n" not in buffer:
                    try:
                        buffer += await stream.receive()
                    except (anyio.EndOfStream, anyio.BrokenResourceError):
                        return
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                lines = head.decode().split("\r\n")
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
                }
                while len(buffer) < int(headers["content-length"]):
                    buffer += await stream.receive()
                length = int(headers["content-length"])
                body, buffer = buffer[:length].decode(), buffer[length:]
                place = len(self.got)
                self.got.append(json.loads(body))
                self.headers.append(headers)
                self.bodies.append(body)
                said = self._answers(place)
                if said is None:
                    await anyio.sleep_forever()
                else:
                    await stream.send(said)

    def verified(self, secret: str) -> list[str]:
        """Return the ids of the events, each verified with the library of Standard Webhooks."""
        for headers, body in zip(self.headers, self.bodies, strict=True):
            Webhook(secret).verify(body, headers)
        return [str(event["id"]) for event in self.got]

    @property
    def ids(self) -> list[str]:
        """Return the ids of the events that came, in their order."""
        return [str(event["id"]) for event in self.got]
