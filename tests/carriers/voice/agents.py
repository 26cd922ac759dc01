"""Programs that talk, for the tests: a server for each way to behave."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeAlias

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tests.carriers.listening import Watch

Behave: TypeAlias = Callable[["Agent"], Awaitable[None]]


class Agent:
    """One connection with a program: what it heard, and how it ended."""

    def __init__(self, socket: ServerConnection, touch: Callable[[], None]) -> None:
        self.socket, self._touch = socket, touch
        self.heard: list[dict[str, Any]] = []
        self.marks: list[str] = []
        self.is_over = False

    @property
    def events(self) -> list[str]:
        return [one["event"] for one in self.heard]

    async def next(self, event: str) -> dict[str, Any]:
        """Return the next message of a kind."""
        while True:
            message = await self.any()
            if message["event"] == event:
                return message

    async def any(self) -> dict[str, Any]:
        """Return the next message."""
        message: dict[str, Any] = json.loads(await self.socket.recv())
        self.heard.append(message)
        if message["event"] == "mark":
            self.marks.append(message["mark"]["name"])
        self._touch()
        return message

    async def says(self, event: str, **body: object) -> None:
        await self.socket.send(json.dumps({"event": event, event: body}))

    async def until_closed(self) -> None:
        """Hear all messages up to the end."""
        try:
            while True:
                await self.any()
        except ConnectionClosed:
            self.is_over = True
            self._touch()


class Place:
    """A server with the programs that were called."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.watch = Watch()
        self.called: list[Agent] = []
        self.headers: list[dict[str, str]] = []


@asynccontextmanager
async def agent_place(behave: Behave, answer: HTTPStatus | None = None, location: str = "") -> AsyncIterator[Place]:
    """Serve programs that behave in one way, or that answer the handshake with a status."""
    place = Place("")

    async def handle(socket: ServerConnection) -> None:
        agent = Agent(socket, place.watch.touch)
        place.called.append(agent)
        try:
            await behave(agent)
        except ConnectionClosed:
            agent.is_over = True

    def check(socket: ServerConnection, request: Request) -> Response | None:
        place.headers.append(dict(request.headers.raw_items()))
        if answer is None:
            return None
        response = socket.respond(answer, "no")
        if location:
            response.headers["Location"] = location
        return response

    async with serve(handle, "127.0.0.1", 0, process_request=check, max_size=None, close_timeout=0.1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        place.url = f"ws://127.0.0.1:{port}/calls"
        yield place


async def echo(agent: Agent) -> None:
    """Give back all sound as it comes, until the key # is pressed: that ends with a branch and a result."""
    while True:
        message = await agent.any()
        if message["event"] == "media":
            await agent.says("media", payload=message["media"]["payload"])
        elif message["event"] == "dtmf" and message["dtmf"]["digit"] == "#":
            await agent.says("end", branch="2", result={"echoed": True}, summary="It was an echo.")
            await agent.until_closed()
            return


async def says_nothing(agent: Agent) -> None:
    await agent.until_closed()


async def hangs(agent: Agent) -> None:
    """Read nothing."""
    await agent.socket.wait_closed()


async def returns(agent: Agent) -> None:
    """Say something, and tear the connection down without a close."""
    await agent.says("clear")
    await agent.next("media")
    agent.socket.transport.abort()


async def is_done(agent: Agent) -> None:
    await agent.next("media")
    await agent.says("clear")


async def closes_before_a_word(agent: Agent) -> None:
    await agent.next("start")


async def floods(agent: Agent) -> None:
    await agent.next("start")
    for _ in range(1_000):
        await agent.socket.send("nonsense")
    await agent.until_closed()
