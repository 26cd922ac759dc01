"""Jumps of the machine's wall clock: noticed before a step, and followed before anything else is decided."""

from typing import Final, NamedTuple

import structlog

from dialer.runtime.clock import RealClock
from dialer.store.database import Database
from dialer.store.jumps import Jump, follow_jump
from dialer.store.service_state import read_state

JUMP_MS_MIN: Final = 1_000
"""Smaller differences are not followed until they have added up to this."""

_log = structlog.get_logger(__name__)


class _Noticed(NamedTuple):
    """A jump that has to be followed: by the rows, and by the service's clock, which at a start is right already."""

    rows: Jump
    clock_by_ms: int


class Jumps:
    """Steps of the service's time to the wall clock; a step whose commit failed half-way is not done twice."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database
        self._noticed: _Noticed | None = None

    async def follow(self, clock: RealClock, done_until_ms: int | None) -> bool:
        """Follow the wall clock if it was put, and return whether it was: then the rows are not those known before.

        `done_until_ms` is how far the dialling has come; None if that has to be read from the rows, as after a start.

        Raises:
            StorageUnavailableError: not followed yet; try again before anything is dialled.
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
        # Rows of a run whose clock was ahead of this one: else nothing would happen until it has caught up.
        ahead_ms = done_until_ms - clock.now_ms()
        rows_by_ms = clock_by_ms - (ahead_ms if ahead_ms > JUMP_MS_MIN else 0)
        return _Noticed(Jump(state, done_until_ms, rows_by_ms), clock_by_ms) if rows_by_ms else None
