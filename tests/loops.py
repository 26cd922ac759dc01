"""Event loops of tests: a database serves one loop, so a coroutine runs on that of the application which uses it."""

import math
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import anyio
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.http import refusals
from dialer.console.serving import presence
from dialer.runtime.steps import kept_recordings
from dialer.store.database.database import Database

Result = TypeVar("Result")
_CLIENTS: Final[WeakKeyDictionary[Database, TestClient[Litestar]]] = WeakKeyDictionary()


class ProcessEnd(BaseException):
    """The end of a process, as far as one task of a test shows it. Nobody catches it."""


def nothing_by_itself(patch: pytest.MonkeyPatch) -> None:
    """Let tasks of an application begin nothing after its start: their writes would fall into any test."""
    patch.setattr(refusals, "WRITTEN_EVERY_S", math.inf)
    patch.setattr(kept_recordings, "LOOKS_EVERY_S", math.inf)
    patch.setattr(presence, "EVERY_S", math.inf)


def serves(database: Database, client: TestClient[Litestar]) -> None:
    """Note that the application of a client uses a database from now on."""
    _CLIENTS[database] = client


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
