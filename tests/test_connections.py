"""Tests of the limits of a connection: sizes and timeouts."""

import asyncio
import json
import logging
import re
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from dialer.connections import (
    BODY_WINDOW_BYTES_MIN,
    BODY_WINDOW_S,
    HEAD_BYTES_MAX,
    HEAD_S,
    LINGERING_BYTES_MAX,
    STALLED_S,
    BoundedProtocol,
)

pytestmark = pytest.mark.anyio

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
SLOW_CLIENTS = 501
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
REPORT = b"REPORT / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
PIECE = 256 * 1024
"""The bytes that a connection takes in at a time."""
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"

Receive: TypeAlias = Callable[[], Any]
Send: TypeAlias = Callable[[Any], Any]
Application: TypeAlias = Callable[[Any, Receive, Send], Any]


class Transport:
    """A transport that records the service's output, and whether the service has closed it."""

    def __init__(self) -> None:
        self.sent = b""
        self.is_closed = False
        self.is_paused = False

    def write(self, data: bytes) -> None:
        if self.is_closed:
            raise RuntimeError("the handler is closed")  # As uvloop's transport does.
        self.sent += data

    def close(self) -> None:
        self.is_closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.is_closed

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def get_extra_info(self, _name: str, default: object = None) -> object:
        return default


class Timers:
    """A proxy of the event loop, whose timers run only when a test says so."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._set: list[Timer] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._loop, name)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> "Timer":
        self._set.append(Timer(seconds, callback))
        return self._set[-1]

    @property
    def waiting(self) -> list[float]:
        return [timer.seconds for timer in self._set if not timer.is_over]

    def pass_by(self) -> None:
        """Let all timers expire."""
        due = [timer for timer in self._set if not timer.is_over]
        for timer in due:
            timer.is_over = True
            timer.callback()


class Timer:
    def __init__(self, seconds: float, callback: Callable[[], None]) -> None:
        self.seconds = seconds
        self.callback = callback
        self.is_over = False

    def cancel(self) -> None:
        self.is_over = True


async def answer_with_length(scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401 - ASGI's type
    """Respond with the length of the body, or to a REPORT before the body has arrived."""
    if scope["method"] == "REPORT":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
        await send({"type": "http.response.body", "body": b"   early"})
        return
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message["body"])
        if not message["more_body"]:
            break
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
    await send({"type": "http.response.body", "body": b"%8d" % length})


class Client:
    """A client with one connection to an application."""

    def __init__(self, app: Application = answer_with_length) -> None:
        self.timers = Timers()
        self.transport = Transport()
        config = Config(app, log_config=None, ws="none", lifespan="off")
        loop = cast("asyncio.AbstractEventLoop", self.timers)
        self.protocol = BoundedProtocol(config, ServerState(), {}, loop)
        self.protocol.connection_made(cast("asyncio.Transport", self.transport))

    def send(self, data: bytes) -> None:
        self.protocol.data_received(data)

    async def answered(self) -> bytes:
        """Wait for the responses to all requests, and return the body of the last."""
        await asyncio.gather(*self.protocol.tasks)
        return self.transport.sent.rpartition(b"\r\n\r\n")[2]

    def refusal(self) -> tuple[int, str]:
        """Return the status and the reason of an error response, after which the connection must be closed."""
        assert self.transport.is_closed
        head, _, body = self.transport.sent.partition(b"\r\n\r\n")
        assert re.search(rb"\r\nx-request-id: [0-9a-f]{32}\r\n", head)
        return int(head.split()[1]), json.loads(body)["detail"]


@pytest.fixture
async def client() -> Client:
    return Client()


async def test_a_request_is_answered_and_the_next_one_too(client: Client) -> None:
    for _ in range(2):
        client.send(POST % 3 + b"abc")
        assert await client.answered() == b"       3"
    assert not client.transport.is_closed


@pytest.mark.parametrize("upgrade", [b"Upgrade: h2c", b"UPGRADE:WEBSOCKET", b"X: upgrade\r\nUPGRADE: h2c, x"])
async def test_another_protocol_that_is_offered_is_passed_over(client: Client, upgrade: bytes) -> None:
    for body in (b"abc", b"Upgrade: no header"):
        head = (POST % len(body)).replace(b"\r\n\r\n", b"\r\nCONNECTION: UPGRADE\r\n" + upgrade + b"\r\n\r\n")
        client.send(head + body[:1])
        client.send(body[1:])
        assert await client.answered() == b"%8d" % len(body)


async def test_a_client_that_does_not_read_its_answer_is_let_go(client: Client) -> None:
    client.send(GET)
    client.protocol.pause_writing()
    assert client.timers.waiting == [STALLED_S]
    client.protocol.resume_writing()
    assert client.timers.waiting == []
    client.protocol.pause_writing()
    client.timers.pass_by()
    assert client.transport.is_closed
    client.protocol.connection_lost(None)
    assert client.timers.waiting == []


async def test_a_head_as_large_as_allowed_is_read(client: Client) -> None:
    client.send(b"GET / HTTP/1.1\r\nX: " + b"x" * (HEAD_BYTES_MAX - 100) + b"\r\n\r\n")
    assert await client.answered() == b"       0"


async def test_headers_that_are_too_large_are_refused(client: Client) -> None:
    client.send(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * HEAD_BYTES_MAX + b"\r\n")
    assert client.refusal() == (431, "The headers are too large.")


async def test_a_url_that_is_too_large_is_refused(client: Client) -> None:
    client.send(b"GET /" + b"x" * HEAD_BYTES_MAX + b" HTTP/1.1\r\n\r\n")
    assert client.refusal() == (431, "The headers are too large.")


async def test_a_header_without_end_is_refused(client: Client) -> None:
    client.send(GET)
    await client.answered()
    client.transport.sent = b""
    client.send(b"GET / HTTP/1.1\r\nX: ")
    for _ in range(100):
        client.send(b"x" * 1_000)
        if client.transport.is_closed:
            break
    assert client.refusal() == (431, "The headers are too large.")


@pytest.mark.parametrize(
    "noise", [b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 99]
)
async def test_a_malformed_request_is_refused_in_json(client: Client, noise: bytes) -> None:
    client.send(noise)
    assert client.refusal() == (400, "The request is not valid HTTP.")


async def test_a_client_that_says_nothing_is_let_go(client: Client) -> None:
    assert client.timers.waiting == [HEAD_S]
    client.timers.pass_by()
    assert client.refusal() == (408, "The request took too long to arrive.")


async def test_headers_that_drip_in_do_not_gain_time(client: Client) -> None:
    for byte in GET[:-1]:
        client.send(bytes([byte]))
    assert client.timers.waiting == [HEAD_S]
    client.timers.pass_by()
    assert client.refusal() == (408, "The request took too long to arrive.")


async def test_a_second_request_that_drips_in_is_let_go_too(client: Client) -> None:
    client.send(GET)
    await client.answered()
    client.transport.sent = b""
    client.send(b"\r\n")
    assert client.timers.waiting == [HEAD_S]
    client.timers.pass_by()
    assert client.refusal() == (408, "The request took too long to arrive.")


async def test_a_body_that_stops_ends_the_connection(client: Client) -> None:
    client.send(POST % 10 + b"abc")
    assert client.timers.waiting == [BODY_WINDOW_S]
    client.timers.pass_by()
    assert (client.transport.is_closed, client.transport.sent) == (True, b"")
    client.protocol.connection_lost(None)
    assert await client.answered() == b""


async def test_a_large_body_goes_on_for_as_long_as_it_arrives(client: Client) -> None:
    client.send(POST % (BODY_WINDOW_BYTES_MIN * 3))
    for _ in range(3):
        client.send(b"x" * BODY_WINDOW_BYTES_MIN)
        client.timers.pass_by()
    assert await client.answered() == b"%8d" % (BODY_WINDOW_BYTES_MIN * 3)


async def test_a_client_is_not_blamed_for_what_the_service_does_not_read(client: Client) -> None:
    client.send(POST % 100_000 + b"x" * 99_999)
    assert client.transport.is_paused
    client.timers.pass_by()
    assert not client.transport.is_closed
    client.send(b"x")
    assert await client.answered() == b"  100000"


async def test_a_body_whose_answer_came_early_is_thrown_away_and_the_connection_goes_on(client: Client) -> None:
    """A client may send all of its body before it reads."""
    client.send(REPORT % LINGERING_BYTES_MAX + b"a")
    assert await client.answered() == b"   early"
    for _ in range(LINGERING_BYTES_MAX // PIECE - 1):
        client.send(b"a" * PIECE)
    client.send(b"a" * (PIECE - 1))
    assert not client.transport.is_closed
    client.send(POST % 3 + b"abc")
    assert await client.answered() == b"       3"


async def test_a_body_that_goes_on_for_long_after_its_answer_is_cut_off(client: Client) -> None:
    client.send(REPORT % (2 * LINGERING_BYTES_MAX))
    assert await client.answered() == b"   early"
    for _ in range(LINGERING_BYTES_MAX // PIECE):
        client.send(b"a" * PIECE)
    assert not client.transport.is_closed
    client.send(b"a")
    assert client.transport.is_closed


async def test_nothing_is_waited_for_while_a_request_is_answered(client: Client) -> None:
    client.send(GET)
    assert client.timers.waiting == []
    assert await client.answered() == b"       0"


async def test_nothing_is_waited_for_when_the_client_has_gone(client: Client) -> None:
    client.protocol.connection_lost(None)
    assert client.timers.waiting == []


async def test_five_hundred_slow_clients_are_let_go_and_nobody_else_notices() -> None:
    """A third sends nothing, a third drips headers, and a third drips a body. Another client is served at once."""
    idle, heads, bodies = ([Client() for _ in range(SLOW_CLIENTS // 3)] for _ in range(3))
    quick = Client()
    for round_ in range(3):
        for one in heads:
            one.send(b"GET / HTTP/1.1\r\nX: "[round_ : round_ + 1])
        quick.send(GET)
        assert await quick.answered() == b"       0"
    for one in bodies:
        one.send(POST % 100 + b"x")
    assert {seconds for one in (*idle, *heads) for seconds in one.timers.waiting} == {HEAD_S}
    assert {seconds for one in bodies for seconds in one.timers.waiting} == {BODY_WINDOW_S}
    for one in (*idle, *heads, *bodies):
        one.timers.pass_by()
    assert all(one.transport.is_closed for one in (*idle, *heads, *bodies))
    for one in bodies:
        one.protocol.connection_lost(None)
        await one.answered()
    quick.send(GET)
    assert (await quick.answered(), quick.transport.is_closed) == (b"       0", False)


class Gate:
    """An application that responds only when a test allows it, and records its requests."""

    def __init__(self) -> None:
        self._allowed = asyncio.Semaphore(0)
        self.seen: list[str] = []
        self.client = Client(self._gated())

    def _gated(self) -> Application:
        async def app(scope: object, receive: Receive, send: Send) -> None:
            await self._allowed.acquire()
            first = await receive()
            self.seen.append(first["type"])
            messages = iter([first])

            async def replay() -> Any:  # noqa: ANN401 - a message
                return next(messages, None) or await receive()

            await answer_with_length(scope, replay, send)

        return app

    async def allow(self, count: int) -> list[int]:
        """Allow `count` responses, and return the statuses of all responses so far."""
        for _ in range(count):
            self._allowed.release()
            await asyncio.gather(*self.client.protocol.tasks)
        return self.statuses

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", self.client.transport.sent)]


@pytest.fixture
async def gate() -> Gate:
    return Gate()


@pytest.mark.parametrize("earlier", [1, 2, 3])
async def test_garbage_after_requests_is_refused_after_their_answers(gate: Gate, earlier: int) -> None:
    gate.client.send(GET * earlier + b"garbage\r\n\r\n")
    gate.client.send(b"more of it")
    assert (gate.statuses, gate.client.transport.is_closed) == ([], False)
    assert await gate.allow(earlier) == [200] * earlier + [400]
    assert gate.client.transport.is_closed


async def test_a_malformed_body_is_refused_after_the_answers_before_it(gate: Gate) -> None:
    gate.client.send(GET + CHUNKED + b"nonsense\r\n")
    assert await gate.allow(1) == [200, 400]
    assert (gate.seen, gate.client.transport.is_closed) == (["http.request"], True)


async def test_a_malformed_body_of_the_request_at_work_is_a_disconnect_for_the_application(gate: Gate) -> None:
    gate.client.send(CHUNKED)
    gate.client.send(b"nonsense\r\n")
    assert (gate.statuses, gate.client.transport.is_closed) == ([400], True)
    assert await gate.allow(1) == [400]
    assert gate.seen == ["http.disconnect"]


async def test_a_malformed_body_after_its_answer_is_not_answered_again(client: Client) -> None:
    client.send(POST % 3 + b"abc")
    await client.answered()
    client.send(CHUNKED.replace(b"POST", b"REPORT"))
    assert await client.answered() == b"   early"
    sent = client.transport.sent
    client.send(b"nonsense\r\n")
    assert (client.transport.sent, client.transport.is_closed) == (sent, True)


async def test_a_client_that_leaves_is_gone_for_the_request_at_work_too(gate: Gate) -> None:
    gate.client.send(GET * 3)
    gate.client.transport.close()
    gate.client.protocol.connection_lost(None)
    assert await gate.allow(1) == []
    assert gate.seen == ["http.disconnect"]


async def test_an_answer_after_the_end_of_the_connection_is_dropped(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.send(GET)
    client.transport.close()
    answered = await client.answered()
    assert (answered, [record for record in caplog.records if record.levelno >= logging.WARNING]) == (b"", [])
