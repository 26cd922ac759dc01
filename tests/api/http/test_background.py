"""Tests of tasks of the service: a failure that nobody foresaw ends one attempt, and not the service."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest

from dialer.api.http.key_uses import KeyUses
from dialer.api.http.refusals import Refusals
from dialer.app.telling.audit_log import Origin
from dialer.runtime.fleet import place_watch
from dialer.runtime.steps.call_removal import CallRemoval, KeptDays
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.kept_recordings import KeptRecordings
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.webhooks.deliverer import Deliverer

CLOCK = VirtualClock(0)
ATTEMPTS = 3
UNUSED: Any = None


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


class OfNobody:
    async def aclose(self) -> None:
        """Close nothing."""


def used(database: Database) -> AbstractAsyncContextManager[None]:
    uses = KeyUses(database, no_sleep)
    uses.used(1, 0)
    return uses.storing()


def refused(database: Database) -> AbstractAsyncContextManager[None]:
    refusals = Refusals(database, lambda: 0, no_sleep)
    refusals.note(Origin(via="password"), 403, "GET /")
    return refusals.storing()


def removed(database: Database) -> AbstractAsyncContextManager[None]:
    return CallRemoval(database, CLOCK, KeptDays(None, 1), UNUSED, sleep=no_sleep).removing()


def kept(database: Database) -> AbstractAsyncContextManager[None]:
    return KeptRecordings(database, CLOCK, FolderMedia(Path()), sleep=no_sleep).keeping()


def delivered(database: Database) -> AbstractAsyncContextManager[None]:
    at: Any = {"now_ms": CLOCK.now_ms, "event_ms": CLOCK.now_ms, "chance": lambda: 0.0}
    nobody: Any = OfNobody()
    return Deliverer(database, nobody, UNUSED, sleep=no_sleep, **at).delivering()


TASKS = {
    used: 1,
    refused: 1,
    removed: ATTEMPTS,
    kept: ATTEMPTS,
    delivered: ATTEMPTS,
    place_watch.keeping_place: ATTEMPTS,
}
"""Each task, and how often it tries again by itself, without anything new."""


@pytest.mark.parametrize(("task", "attempts"), TASKS.items())
async def test_a_failure_ends_an_attempt_and_not_the_service(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    task: Callable[[Database], AbstractAsyncContextManager[None]],
    attempts: int,
) -> None:
    tried = 0

    async def fail(*_: object, **__: object) -> None:
        nonlocal tried
        tried += 1
        await anyio.lowlevel.checkpoint()
        raise LookupError("a bug")

    monkeypatch.setattr(place_watch, "KEEP_S", 0.0)
    monkeypatch.setattr(database, "has_place", True)
    for use in ("read", "write", "keep_place"):
        monkeypatch.setattr(database, use, fail)
    with anyio.fail_after(20):
        async with task(database):
            while tried < attempts:
                await anyio.lowlevel.checkpoint()
    assert tried >= attempts
