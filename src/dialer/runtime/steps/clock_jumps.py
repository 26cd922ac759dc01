"""Jumps of the machine's wall clock: detected before each step, and applied before any decision."""

from typing import Final, NamedTuple

import structlog

from dialer.runtime.steps.clock import RealClock
from dialer.store.database.database import Database
from dialer.store.database.service_state import read_state
from dialer.store.rows.clock_jumps import Jump, follow_jump

JUMP_MS_MIN: Final = 1_000
"""Minimum difference to follow. Smaller differences accumulate until they exceed it."""

_log = structlog.get_logger(__name__)


class _Noticed(NamedTuple):
    """Jump to apply to the rows and to the service's clock. At start-up that clock is already right."""

    rows: Jump
    clock_by_ms: int


class Jumps:
    """Adjustments of the service's time to the wall clock. An adjustment whose commit failed is not applied twice."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database
        self._noticed: _Noticed | None = None

    async def follow(self, clock: RealClock, done_until_ms: int | None) -> bool:
        """Follow a change of the wall clock, and return True if there was one. Rows read before are then outdated.

        `done_until_ms` is the time up to which everything due was handled. None means to read it from the rows, as at
        start-up.

        Raises:
            StorageUnavailableError: the change is not applied yet. Try again before dialling.
        """
        if self._noticed is None:
            self._noticed = await self._notice(clock, done_until_ms)
        noticed = self._noticed
        if noticed is None:
            return False
        await self._database.write(lambda connection: follow_jump(connection, noticed.rows))
        clock.follow(noticed.clock_by_ms)
        self._noticed = None
        _log.warning("clock_jumped", by_ms=noticed.rows.by_ms)
        return True

    async def _notice(self, clock: RealClock, done_until_ms: int | None) -> _Noticed | None:
        jumped_ms = clock.jumped_ms()
        clock_by_ms = jumped_ms if abs(jumped_ms) > JUMP_MS_MIN else 0
        if not clock_by_ms and done_until_ms is not None:
            return None
        state = await self._database.read(read_state)
        if state is None:
            clock.follow(clock_by_ms)
            return None
        if done_until_ms is None:
            done_until_ms = state.now_ms
        # The rows may come from a run whose clock was ahead. Without a move, nothing would happen until this clock
        # caught up.
        ahead_ms = done_until_ms - clock.now_ms()
        rows_by_ms = clock_by_ms - (ahead_ms if ahead_ms > JUMP_MS_MIN else 0)
        return _Noticed(Jump(state, done_until_ms, rows_by_ms), clock_by_ms) if rows_by_ms else None
