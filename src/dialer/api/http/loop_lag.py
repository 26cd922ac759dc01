"""How late the event loop is: what everybody waits who has nothing to wait for."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio

PROBE_S: Final = 0.5
"""How often the loop is asked to come back."""


class LoopLag:
    """Asks to be woken again and again, and reports by how many seconds each time was too late."""

    def __init__(
        self,
        observe: Callable[[float], None],
        *,
        now_s: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._observe: Final = observe
        self._now_s: Final = now_s
        self._sleep: Final = sleep

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """While this is entered, the lag is watched."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.watch)
            yield
            tasks.cancel_scope.cancel()

    async def watch(self) -> None:
        """Watch until cancelled."""
        while True:
            asked_s = self._now_s()
            await self._sleep(PROBE_S)
            self._observe(max(0.0, self._now_s() - asked_s - PROBE_S))
