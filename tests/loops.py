"""Event loops of tests: a database serves one loop, so a coroutine runs on that of the application which uses it."""

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import anyio
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.http import refusals
from dialer.console.serving.presence import OpenDesks
from dialer.runtime.steps.kept_recordings import KeptRecordings
from dialer.store.database.database import Database
from tests.api.quick_client import QuickClient

Result = TypeVar("Result")
_CLIENTS: Final[WeakKeyDictionary[Database, TestClient[Litestar]]] = WeakKeyDictionary()


class ProcessEnd(BaseException):
    """The end of a process, as far as one task of a test shows it. Nobody catches it."""


@contextmanager
def serving(database: Database, make: Callable[[], Litestar], base_url: str) -> Iterator[TestClient[Litestar]]:
    """Let an application use a database, whose tasks begin nothing after its start: that would fall into any test."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:  # Other applications of this process do look.
            patch.setattr(KeptRecordings, "keeping", _look_at_nothing)
            patch.setattr(OpenDesks, "watching", _look_at_nothing)
            client = stack.enter_context(QuickClient(make(), base_url=base_url, raise_server_exceptions=True))
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(refusals, "WRITTEN_EVERY_S", math.inf)
        _CLIENTS[database] = client
        yield client


def _look_at_nothing(*_: object) -> AbstractAsyncContextManager[None]:
    return nullcontext()


def run(database: Database, work: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:  # noqa: ANN401 - as those of `anyio.run`
    """Run a coroutine that uses a database: on the loop of its application, or on a new one if it has none.

    On a second loop, reads and writes of both would wait for each other: one would not wake, or end the application.
    """
    client = _CLIENTS.get(database)
    if client is None:
        return anyio.run(work, *arguments)

    found: list[Result] = []
    errors: list[BaseException] = []

    async def take() -> None:
        try:
            found.append(await work(*arguments))
        except BaseException as error:  # noqa: BLE001 - it is the test's, and would end the application
            errors.append(error)

    with client.portal() as portal:
        portal.call(take)
    for error in errors:
        raise error
    return found[0]
