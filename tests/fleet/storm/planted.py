"""Planted bugs of a fleet of real processes. The storm must find each of them.

A process of the storm plants the bug of its `Preparation`; nothing in the product knows of it.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import anyio.lowlevel
import pytest

from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.fleet.remote_workers import RemoteWorkers
from dialer.store.backends import postgresql_turns
from dialer.store.backends.backend import BUSY_TIMEOUT_MS, Lock
from dialer.store.backends.postgresql_process_lock import SessionPlace
from dialer.store.database.database import Database
from dialer.store.database.group_commit import Waiter
from dialer.store.fleet import slices
from tests.fleet.storm.troubles import IN_COPY, Trouble
from tests.vopr.fleet_planted import go_on_when_replaced, use_what_was_given_back
from tests.vopr.planted import Patch


class Bug(NamedTuple):
    """A bug, and the storm that finds it."""

    plant: Callable[[Patch], None]
    seed: int
    """A seed that has found it. Another machine may need another seed, as processes do not repeat themselves."""
    seconds: int = 60
    plan: Sequence[Trouble] | None = None
    """The troubles; drawn from the seed if None. Some bugs are found only by workers that all dial all the time."""


def _no_rest(patch: Patch) -> None:
    patch.setattr(slices, "REST_MS", 0)


def _answers_do_not_wait(patch: Patch) -> None:
    async def settle(_workers: RemoteWorkers) -> None:
        await anyio.lowlevel.checkpoint()

    patch.setattr(RemoteWorkers, "settle", settle)


def _leases_by_own_clock(patch: Patch) -> None:
    own_clock = property(lambda _: lambda _connection: time.time_ns() // 1_000_000, lambda *_: None)
    patch.setattr(FleetCoordinator, "_database_ms", own_clock, raising=False)


def _users_write_without_the_lock(patch: Patch) -> None:
    write = Database.write

    async def unlocked(
        self: Database, work: Callable[..., Any], *, is_step: bool = False, is_long: bool = False
    ) -> Any:  # noqa: ANN401 - as `write`
        if is_step:
            return await write(self, work, is_step=True)
        until_s = anyio.current_time() + BUSY_TIMEOUT_MS / 1_000
        return await Waiter(work, until_s=until_s, alone=False, is_long=is_long, lock=Lock.NONE).wait(self._turns)

    patch.setattr(Database, "write", unlocked)


def _places_without_the_session_that_writes(patch: Patch) -> None:
    """Hold the place by a session of its own, which nobody watches."""
    patch.setattr(SessionPlace, "take", lambda *_: None)


def _silent_holders_go_on(patch: Patch) -> None:
    patch.setattr(postgresql_turns, "_end_silent_holders", lambda _: 0)


BUGS: Final = {
    "no-fence": Bug(go_on_when_replaced, 1),
    "no-rest": Bug(_no_rest, 1, seconds=120, plan=()),
    "no-wait": Bug(_answers_do_not_wait, 1),
    "use-after-return": Bug(use_what_was_given_back, 1),
    "own-clock": Bug(_leases_by_own_clock, 1),
    "no-lock": Bug(_users_write_without_the_lock, 1),
    "place-aside": Bug(_places_without_the_session_that_writes, 1, plan=(Trouble(5.0, "restart"),), seconds=12),
    "silence": Bug(_silent_holders_go_on, 1, plan=(Trouble(2.0, IN_COPY, 35.0),), seconds=42),
}


def plant(name: str) -> None:
    """Plant a bug in this process for good."""
    BUGS[name].plant(pytest.MonkeyPatch())
