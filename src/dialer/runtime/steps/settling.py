"""Settling: handle everything due now, once for all callers that wait for it."""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

import anyio


class Settling:
    """The turns in which `run` is awaited. All callers that wait before a turn begins share it."""

    def __init__(self, run: Callable[[], Awaitable[None]]) -> None:
        self._run: Final = run
        self._turn: Final = anyio.Lock()
        self._next: _Turn | None = None
        """The turn that has not begun yet."""

    async def settle(self) -> None:
        """Wait for a turn that begins after this call. Nothing is raised."""
        while not await self._together():
            pass  # The task that settled for all callers was cancelled.

    async def _together(self) -> bool:
        """Settle for all callers that wait before it begins, and return whether it was completed."""
        if self._next is not None:
            shared = self._next
            await shared.is_over.wait()
            return shared.is_done
        mine = self._next = _Turn()
        try:
            async with self._turn:
                self._next = None  # Changes from here on may come too late for it.
                with contextlib.suppress(Exception):
                    await self._run()
                mine.is_done = True
        finally:
            if self._next is mine:
                self._next = None
            mine.is_over.set()
        return True


class _Turn:
    """State of one turn, shared by all callers that wait for it."""

    def __init__(self) -> None:
        self.is_over: Final = anyio.Event()
        self.is_done = False
        """True if it was completed, and not cancelled half-way."""
