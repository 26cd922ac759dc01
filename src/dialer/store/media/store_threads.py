"""Threads for those who ask the store of recordings. It may hang, and nobody else is to wait for it."""

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

HEARERS_MAX: Final = 16
KEEPERS_MAX: Final = 8
Result = TypeVar("Result")
Args = TypeVarTuple("Args")


class StoreThreads:
    """Some threads of each event loop, which are not among those in which the database is read and written."""

    def __init__(self, name: str, most: int) -> None:
        self._most: Final = most
        self._limiter: Final[RunVar[anyio.CapacityLimiter]] = RunVar(name)

    async def run(self, function: Callable[[*Args], Result], *args: *Args) -> Result:
        """Call a function in a thread, as soon as one is free, and return what it returns."""
        return await anyio.to_thread.run_sync(function, *args, limiter=self._of_this_loop())

    def _of_this_loop(self) -> anyio.CapacityLimiter:
        try:
            return self._limiter.get()
        except LookupError:
            limiter = anyio.CapacityLimiter(self._most)
            self._limiter.set(limiter)
            return limiter


HEARERS: Final = StoreThreads("recordings_heard", HEARERS_MAX)
"""The threads of downloads, archives and players."""
KEEPERS: Final = StoreThreads("recordings_kept", KEEPERS_MAX)
"""The threads of those who look after recordings. Downloads do not take them."""
