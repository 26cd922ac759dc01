"""The lag of the event loop: the delay of a task that waits for nothing else."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio

PROBE_S: Final = 0.5
"""The time between two measurements."""


class LoopLag:
    """A task that sleeps again and again, and reports by how many seconds it woke too late."""

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
        """Measure the lag while the context is entered."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.watch)
            yield
            tasks.cancel_scope.cancel()

    async def watch(self) -> None:
        """Measure the lag until cancelled."""
        while True:
            asked_s = self._now_s()
            await self._sleep(PROBE_S)
            self._observe(max(0.0, self._now_s() - asked_s - PROBE_S))
