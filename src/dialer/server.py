"""The server: one process that serves the API and dials."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final, NoReturn

import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from dialer.connections import BoundedProtocol

KEEP_ALIVE_S: Final = 15
"""The time for which a connection may be idle between two requests."""
GRACE_S: Final = 5
"""The time that requests have to finish after the service is told to end."""
END_S: Final = 9
"""The time after which the process ends in any case. A transaction that is not committed by then is lost."""
BACKLOG_MAX: Final = 2_048
ENDING: Final = b'{"detail": "The service ends. Nothing more is done for this request. Try again later."}'
"""The answer to a request that the end of the service cuts off."""


class ServerError(Exception):
    """The server cannot start, or cannot go on; the message is one line that says why."""


def bind(host: str, port: int) -> socket.socket:
    """Bind the socket to serve on. It does not listen yet, so early connections are refused.

    Raises:
        ServerError: the address does not belong to this machine, or the port is taken.
    """
    with contextlib.ExitStack() as on_failure:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            bound = on_failure.enter_context(socket.socket(family, kind, protocol))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError as error:
            raise ServerError(f"cannot serve on {host} port {port}: {error.strerror or error}") from error
        on_failure.pop_all()
    return bound


def serve(
    app: Litestar,
    bound: socket.socket,
    *,
    ready: Callable[[], None],
    ending: Sequence[Callable[[], None]] = (),
    displaced: Callable[[], str | None] = lambda: None,
) -> None:
    """Serve until the process is told to end, or `displaced` says why it must.

    Call `ready` once requests are answered, and `ending` before the server waits for the requests in progress.

    Raises:
        ServerError: the application cannot start, or was displaced.
        OSError: `ready` cannot write its announcement; the service ends.
    """
    config = uvicorn.Config(
        UnavailableAtTheEnd(app),
        loop="uvloop",
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=BACKLOG_MAX,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = _Server(config, ready, ending, displaced)
    try:
        server.run(sockets=[bound])
    except SystemExit as error:
        if error.code:
            raise ServerError("the service cannot start; the log says why") from error
    if server.announcement_error is not None:
        raise server.announcement_error
    if why := displaced():
        raise ServerError(why)


class UnavailableAtTheEnd:
    """An application whose requests are answered with 503 if the end of the service cuts them off."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. A cancellation here is always the end: clients that leave cancel nothing."""
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        except asyncio.CancelledError:
            if "method" not in scope:  # It is no request, but the life of the application.
                raise
            if not has_begun:
                await _answer_unavailable(send)


async def _answer_unavailable(send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"5"), (b"connection", b"close")]
    start: Any = {"type": "http.response.start", "status": HTTPStatus.SERVICE_UNAVAILABLE, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": ENDING, "more_body": False})


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        ending: Sequence[Callable[[], None]],
        displaced: Callable[[], str | None],
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._ending = ending
        self._displaced = displaced
        self.announcement_error: OSError | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # The objects that exist now stay until the end. Collecting garbage among them delays requests by tenths of a
        # second.
        gc.collect()
        gc.freeze()
        try:
            self._ready()
        except OSError as error:
            self.announcement_error = error
            self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._displaced() is not None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        _end_in_any_case()
        for end in self._ending:
            end()
        await super().shutdown(sockets)


def _end_in_any_case() -> None:
    """End the process even if a thread cannot be interrupted, for example because its disk is blocked."""
    watchdog = threading.Timer(END_S, os._exit, [1])
    watchdog.daemon = True
    watchdog.start()


@contextlib.contextmanager
def ending_on_signals() -> Iterator[None]:
    """Make SIGTERM and SIGINT end the process with exit code 0 while the context is entered.

    uvicorn handles both signals while it serves, and raises them again afterwards.
    """
    before = {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)
