"""What the tests of the API are made with: a worker that dials nobody, and callers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import anyio
import anyio.to_thread
from litestar import Litestar
from litestar.testing import TestClient

from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.order import Order
from dialer.forecast.summary import Forecast
from dialer.runtime.clock import Clock, VirtualClock
from dialer.runtime.tally import Tally
from dialer.store.database import Database

NOW_MS = 1_795_000_000_000
"""2026-11-18T11:06:40Z"""
NOW = "2026-11-18T11:06:40Z"
PASSWORD = "correct horse battery"
USERS = {1: ("admin", True), 2: ("alice", False), 3: ("bob", False)}
HOST = "testserver.local"
BASE = f"http://{HOST}/rest-api"


Json: TypeAlias = Any
"""What came back from the API, or goes to it: a test says what it expects of it."""


class FakeWorker:
    """A worker that dials nobody: it counts how often it was told to settle."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Be as new, whatever a test did to it."""
        self.__dict__.clear()
        self.virtual = VirtualClock(NOW_MS)
        self.clock: Clock = self.virtual
        self.settled = 0
        self.trouble: str | None = None
        self.done = Tally()
        self.failure: Exception | None = None

    async def settle(self) -> None:
        self.settled += 1
        if self.failure is not None:
            raise self.failure

    async def advance(self, to_ms: int) -> None:
        self.virtual.set(to_ms)

    def problem(self) -> str | None:
        return self.trouble

    def figures(self) -> Tally:
        return self.done

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        yield


async def forecast_in_thread(database: Database, order: Order) -> Forecast:
    """A forecast without a process of its own, which takes two seconds to start."""
    return await anyio.to_thread.run_sync(lambda: anyio.run(forecast_campaign, database, order))


class Caller:
    """One user of the API. Paths are those below `/rest-api/`; answers are JSON."""

    def __init__(self, client: TestClient[Litestar], username: str, password: str = PASSWORD) -> None:
        self.client = client
        self.auth = (username, password)

    def request(self, method: str, path: str, **options: Json) -> Json:
        url = path if path.startswith(("/", "http")) else f"/rest-api/{path}"
        return self.client.request(method, url, auth=self.auth, **options)

    def get(self, path: str, /, **params: Json) -> Json:
        """The JSON of a read that succeeds."""
        answer = self.request("GET", path, params=params or None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, path: str, /, **fields: Json) -> Json:
        """The record of a creation that succeeds."""
        answer = self.request("POST", f"{path}/", json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def change(self, url: str, /, **fields: Json) -> None:
        """A change that succeeds."""
        answer = self.request("PATCH", url, json=fields)
        assert (answer.status_code, answer.content) == (202, b""), answer.text

    def refused(self, method: str, path: str, /, **fields: Json) -> tuple[int, Any]:
        """Status and body of a request that fails."""
        answer = self.request(method, path, json=fields if method != "DELETE" else None)
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()
