"""Helpers of the API's tests: a worker that dials nobody, and clients."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from typing import Any, TypeAlias

import anyio
import anyio.to_thread
import msgspec
from argon2 import PasswordHasher
from litestar import Litestar
from litestar.testing import TestClient

from dialer.forecast.forecast import forecast_campaign
from dialer.forecast.parameters import Order
from dialer.forecast.processes import Progress
from dialer.forecast.summary import Forecast
from dialer.forecast.what_if import NamedSetting, WhatIf, compare_settings
from dialer.runtime.steps.clock import Clock, VirtualClock
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.process_health import ProcessHealth
from dialer.store.database.database import Database

NOW_MS = 1_795_000_000_000
"""2026-11-18T11:06:40Z"""
NOW = "2026-11-18T11:06:40Z"
PASSWORD = "correct horse battery"
PASSWORD_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""A hash that is verified at once. It says itself how it was made."""
USERS = {1: ("admin", True), 2: ("alice", False), 3: ("bob", False)}
HOST = "testserver.local"
BASE = f"http://{HOST}/rest-api"


Json: TypeAlias = Any
"""JSON that is sent to the API or returned by it. Each test knows its shape."""


class FakeWorker:
    """A worker that dials nobody and counts the calls of `settle`."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset everything that a test may have changed."""
        self.__dict__.clear()
        self.virtual = VirtualClock(NOW_MS)
        self.clock: Clock = self.virtual
        self.settled = 0
        self.due_ms: int | None = None
        self.trouble: str | None = None
        self.done = DialCounters()
        self.state = ProcessHealth()
        self.failure: Exception | None = None

    async def settle(self) -> None:
        self.settled += 1
        if self.failure is not None:
            raise self.failure

    async def advance(self, to_ms: int) -> None:
        self.virtual.set(to_ms)

    def next_ms(self) -> int | None:
        return self.due_ms

    def problem(self) -> str | None:
        return self.trouble

    def figures(self) -> DialCounters:
        return self.done

    def process_health(self) -> ProcessHealth:
        return self.state

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        yield


def _database_like(database: Database) -> Database:
    """Return another reader of the same data, as a process has: a thread of its own has an event loop of its own."""
    return Database(database.url.render_as_string(hide_password=False))


async def forecast_in_thread(database: Database, order: Order, progress: Progress) -> Forecast:
    """Forecast in a thread instead of a process, which takes two seconds to start."""
    alone = msgspec.structs.replace(order, processes=1)

    def work() -> Forecast:
        with closing(_database_like(database)) as own:
            return anyio.run(forecast_campaign, own, alone, progress)

    return await anyio.to_thread.run_sync(work)


async def compare_in_thread(
    database: Database, order: Order, named: Sequence[NamedSetting], progress: Progress
) -> WhatIf:
    """Compare settings in a thread instead of a process."""
    alone = msgspec.structs.replace(order, processes=1)

    def work() -> WhatIf:
        with closing(_database_like(database)) as own:
            return anyio.run(compare_settings, own, alone, named, progress)

    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


class Caller:
    """A client of the API, logged in as one user. Paths are relative to `/rest-api/`; responses are JSON."""

    def __init__(self, client: TestClient[Litestar], username: str, password: str = PASSWORD) -> None:
        self.client = client
        self.auth = (username, password)

    def request(self, method: str, path: str, **options: Json) -> Json:
        url = path if path.startswith(("/", "http")) else f"/rest-api/{path}"
        return self.client.request(method, url, auth=self.auth, **options)

    def get(self, path: str, /, **params: Json) -> Json:
        """Read, expect success, and return the JSON."""
        answer = self.request("GET", path, params=params or None)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, path: str, /, **fields: Json) -> Json:
        """Create a record, expect success, and return the record."""
        answer = self.request("POST", f"{path}/", json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def change(self, url: str, /, **fields: Json) -> None:
        """Change a record, and expect success."""
        answer = self.request("PATCH", url, json=fields)
        assert (answer.status_code, answer.content) == (202, b""), answer.text

    def refused(self, method: str, path: str, /, **fields: Json) -> tuple[int, Any]:
        """Send a request, expect an error, and return its status and body."""
        answer = self.request(method, path, json=fields if method != "DELETE" else None)
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()
