"""Browsers of the benchmark of desks: streams of live parts, and agents who give orders by what they see."""

import http.client
import itertools
import re
import selectors
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from benchmarks.desk_centre import Seat
from benchmarks.load import Address

ORDER_EVERY_S: Final = 5.0
"""The time in which each agent gives one order."""
AT_ONCE: Final = 4
"""Agents whose orders are on their way at a time."""
SEEN_EVERY: Final = 2
"""Orders of an agent after which the page says that it is open, which it does every ten seconds."""
KEPT_BYTES: Final = 64_000
"""The part of a stream that is kept: the newest event is in it."""
_EVENT_END: Final = b"\n\n"
_DATA: Final = b"data: "
_TALKS: Final = re.compile(rb'form="(hold|resume)" name="call" value="(\d+)"')
_WRAPS_UP: Final = b'form="ready"'
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


class Streams:
    """Open streams of live parts: the newest event of each, and how many have come."""

    def __init__(self) -> None:
        self._kept: Final[dict[int, bytes]] = {}
        self._is_over: Final = threading.Event()
        self.events = 0
        self.received = 0

    def newest(self, place: int) -> bytes:
        """Return the newest event of a stream."""
        whole, _, _ = self._kept.get(place, b"").rpartition(_EVENT_END)
        return whole.rpartition(_EVENT_END)[2]

    @contextmanager
    def opened(self, address: Address, pages: Sequence[tuple[str, Seat]]) -> Iterator[None]:
        """Open the streams of some pages, each for its user, at moments spread over a second."""
        with selectors.DefaultSelector() as tabs:
            for place, (page, seat) in enumerate(pages):
                tab = socket.create_connection(address)
                tab.sendall(
                    f"GET /console/{page} HTTP/1.1\r\nHost: {address[0]}\r\nAccept: text/event-stream\r\n"
                    f"Cookie: {seat.cookie}\r\n\r\n".encode()
                )
                tabs.register(tab, selectors.EVENT_READ, place)
                time.sleep(1 / len(pages))
            reader = threading.Thread(target=self._read, args=(tabs,))
            reader.start()
            try:
                yield
            finally:
                self._is_over.set()
                reader.join()
                for key in list(tabs.get_map().values()):
                    key.fileobj.close()  # type: ignore[union-attr] # a socket

    def _read(self, tabs: selectors.BaseSelector) -> None:
        while not self._is_over.is_set():
            for key, _ in tabs.select(timeout=0.1):
                piece = key.fileobj.recv(1 << 20)  # type: ignore[union-attr] # a socket
                if not piece:
                    raise ConnectionError("the server closed a stream")
                before = self._kept.get(key.data, b"")[-KEPT_BYTES:]
                self.events += (before[-1:] + piece).count(_EVENT_END)
                self.received += len(piece)
                self._kept[key.data] = before + piece


class Agents:
    """Agents at their desks. Each gives one order every few seconds, and then asks for the desk, as its page does."""

    def __init__(self, address: Address, seats: Sequence[Seat], streams: Streams) -> None:
        self._address: Final = address
        self._seats: Final = seats
        self._streams: Final = streams
        self._turns: Final = itertools.count()
        self._steps: Final = [0] * len(seats)
        self._is_over: Final = threading.Event()
        self._began_s = 0.0
        self.orders_s: Final[list[float]] = []
        """The time until the answer to each order."""
        self.desks_s: Final[list[float]] = []
        """The time until the answer and then the desk after each order."""
        self.refused: Final[list[str]] = []

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let the agents work while the context is entered."""
        self._began_s = time.perf_counter()
        threads = [threading.Thread(target=self._work) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        connection = http.client.HTTPConnection(*self._address, timeout=30)
        while not self._is_over.is_set():
            turn = next(self._turns)
            place = turn % len(self._seats)
            due_s = self._began_s + turn * ORDER_EVERY_S / len(self._seats)
            self._is_over.wait(max(0.0, due_s - time.perf_counter()))
            self._act(connection, place, self._seats[place])
        connection.close()

    def _act(self, connection: http.client.HTTPConnection, place: int, seat: Seat) -> None:
        step, self._steps[place] = self._steps[place], self._steps[place] + 1
        if step % SEEN_EVERY == 0:
            self._post(connection, seat, "live", {})
        order = order_for(self._streams.newest(place), step)
        if order is None:
            return
        name, fields = order
        began_s = time.perf_counter()
        status = self._post(connection, seat, name, fields)
        self.orders_s.append(time.perf_counter() - began_s)
        if status >= HTTPStatus.BAD_REQUEST:
            self.refused.append(f"{name}: {status}")
        connection.request("GET", "/console/desk/live/", headers={"Cookie": seat.cookie, "Accept": "text/html"})
        connection.getresponse().read()
        self.desks_s.append(time.perf_counter() - began_s)

    def _post(self, connection: http.client.HTTPConnection, seat: Seat, name: str, fields: dict[str, str]) -> int:
        body, headers = urlencode({"csrf": seat.csrf, **fields}), {**_FORM, "Cookie": seat.cookie}
        connection.request("POST", f"/console/desk/{name}/", body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


def order_for(desk: bytes, step: int) -> tuple[str, dict[str, str]] | None:
    """Return the order of an agent who sees a desk, and its fields; None if there is nothing to order."""
    talks = _TALKS.search(desk)
    if talks is None:
        return ("ready", {}) if _WRAPS_UP in desk else None
    call, said = talks[2].decode(), f"note-{talks[2].decode()}"
    orders: list[tuple[str, dict[str, str]]] = [
        (talks[1].decode(), {}),
        ("draft", {said: f"Wants to hear more {step}."}),
        (talks[1].decode(), {}),
        ("disposition", {f"disposition-{call}": "success", said: "Has heard all."}),
        ("hang-up", {}),
    ]
    name, fields = orders[step % len(orders)]
    return name, {"call": call, **fields}
