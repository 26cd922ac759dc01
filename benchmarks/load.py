"""Load generator: a number of clients on keep-alive connections, each with one request at a time.

It uses one thread and bare sockets, so that a client costs little compared with the server.
"""

import re
import select
import socket
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

Address = tuple[str, int]

READ_BYTES: Final = 262_144
SILENCE_S: Final = 30.0
"""Limit of the time without any answer."""
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *([0-9]+)\r\n", re.IGNORECASE)
_HEAD_END: Final = b"\r\n\r\n"
_STATUS: Final = slice(9, 12)
"""Position of the status code in an answer."""


class Load(NamedTuple):
    """Result of a load: answers by status, the duration in seconds, and the latency of each request."""

    statuses: Counter[int]
    seconds: float
    latencies_s: list[float]

    @property
    def requests(self) -> int:
        """Number of answered requests."""
        return self.statuses.total()


class _Client:
    """Client connection with one request in progress."""

    def __init__(self, address: Address) -> None:
        self._received = b""
        self._sent_s = 0.0
        self.connection = socket.create_connection(address)

    def send(self, request: bytes) -> None:
        self._sent_s = time.perf_counter()
        self.connection.sendall(request)

    def receive(self) -> tuple[int, float] | None:
        """Return the status and the seconds of the answer, or None until all of it has arrived."""
        piece = self.connection.recv(READ_BYTES)
        if not piece:
            raise ConnectionError("the server closed the connection before the end of an answer")
        self._received += piece
        head_end = self._received.find(_HEAD_END)
        if head_end < 0:
            return None
        head = self._received[: head_end + 2]
        length = _LENGTH.search(head)
        if length is None:
            raise ConnectionError("the answer has no Content-Length")
        if len(self._received) < head_end + len(_HEAD_END) + int(length[1]):
            return None
        self._received = b""
        return int(head[_STATUS]), time.perf_counter() - self._sent_s


def run_load(address: Address, requests: Iterator[bytes], *, clients: int, seconds: float) -> Load:
    """Keep the clients busy for `seconds`. Requests in progress at the end are completed and counted."""
    statuses: Counter[int] = Counter()
    latencies_s: list[float] = []
    poll = select.poll()
    waiting: dict[int, _Client] = {}
    for _ in range(clients):
        client = _Client(address)
        waiting[client.connection.fileno()] = client
        poll.register(client.connection, select.POLLIN)
    started_s = time.perf_counter()
    for client in waiting.values():
        client.send(next(requests))
    while waiting:
        ready = poll.poll(SILENCE_S * 1_000)
        if not ready:
            raise TimeoutError("the server sent nothing for too long")
        for number, _ in ready:
            client = waiting[number]
            answer = client.receive()
            if answer is None:
                continue
            status, latency_s = answer
            statuses[status] += 1
            latencies_s.append(latency_s)
            if time.perf_counter() - started_s < seconds:
                client.send(next(requests))
            else:
                poll.unregister(client.connection)
                client.connection.close()
                del waiting[number]
    return Load(statuses, time.perf_counter() - started_s, latencies_s)


def request_bytes(address: Address, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """Return a request as bytes."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {address[0]}:{address[1]}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join([*lines, "", ""])).encode() + body
