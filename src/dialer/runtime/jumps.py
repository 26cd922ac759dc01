"""Jumps of the machine's clock: noticed before a step, and followed before anything else is decided."""

from typing import Final, NamedTuple

import structlog

from dialer.runtime.clock import RealClock
from dialer.store.database import Database
from dialer.store.jumps import Jump, move_pending
from dialer.store.service_state import read_state

JUMP_MS_MIN: Final = 1_000
"""What is less is not followed until it has added up to this."""

_log = structlog.get_logger(__name__)


class _Noticed(NamedTuple):
    """What has to be moved: the rows, and the service's clock, whose part of it may be less after a start."""

    rows: Jump
    clock_by_ms: int


class Jumps:
    """Moves what is pending whenever the wall clock was put; what failed half-way is not done twice."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database
        self._noticed: _Noticed | None = None

    async def follow(self, clock: RealClock, done_until_ms: int | None) -> bool:
        """Whether the rows were moved, so that what is known of them holds no longer; the clock follows.

        `done_until_ms` is how far the dialling has come; None if that has to be read from the rows, as after a start.

        Raises:
            StorageUnavailableError: not yet; to be tried again before anything is dialled.
        """
        if self._noticed is None:
            self._noticed = await self._notice(clock, done_until_ms)
        noticed = self._noticed
        if noticed is None:
            return False
        await self._database.write(lambda connection: move_pending(connection, noticed.rows))
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
        # Rows of a run whose clock was ahead of this one: else nothing would happen until it has caught up.
        ahead_ms = done_until_ms - clock.now_ms()
        rows_by_ms = clock_by_ms - (ahead_ms if ahead_ms > JUMP_MS_MIN else 0)
        return _Noticed(Jump(state, done_until_ms, rows_by_ms), clock_by_ms) if rows_by_ms else None
