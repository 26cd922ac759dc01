"""Requests that are made at the same time, on the loop of the test."""

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from litestar import Litestar

from dialer.api.app import create_app
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import HOST, PASSWORD, FakeWorker


def app_on_this_loop(database: Database, worker: FakeWorker, **settings: Any) -> Litestar:  # noqa: ANN401 - passed on
    """Return an application that serves on the loop of the test."""
    return create_app(Settings(seed=7, **settings), database=database, worker=worker)


@asynccontextmanager
async def client_on_this_loop(app: Litestar, username: str) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a user that can make several requests at a time."""
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type] # an application of ASGI
    base = f"http://{HOST}/rest-api/"
    async with httpx.AsyncClient(transport=transport, base_url=base, auth=(username, PASSWORD)) as client:
        yield client


def scope_of(username: str, path: str, **headers: str) -> Any:  # noqa: ANN401 - of ASGI
    """Return the scope of a request to read."""
    credentials = b64encode(f"{username}:{PASSWORD}".encode())
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"authorization", b"Basic " + credentials), *sent],
        "client": ("testclient", 50_000), "scheme": "http", "server": (HOST, 80), "http_version": "1.1",
        "root_path": "",
    }  # fmt: skip
