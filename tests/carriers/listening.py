"""The service as a line sees it, and a way to wait for what it hears."""

import asyncio
from collections.abc import Callable
from typing import Final

from dialer.carriers.line_port import Found
from dialer.domain.sessions.leg_protocol import LegReport

WAIT_S: Final = 20


class Worker:
    """The service, as a line sees it."""

    def __init__(self, watch: "Watch") -> None:
        self._watch = watch
        self.heard_of: list[tuple[int, str, LegReport | Found]] = []
        self.why_not = "nothing was heard"

    def heard(self, number: int, key: str, heard: LegReport | Found) -> None:
        self.heard_of.append((number, key, heard))
        self._watch.touch()

    def is_up(self, why_not: str) -> None:
        self.why_not = why_not
        self._watch.touch()

    @property
    def kinds(self) -> list[tuple[str, str]]:
        return [(key, type(heard).__name__) for _, key, heard in self.heard_of]

    def first(self, kind: type[LegReport]) -> LegReport:
        return next(heard for _, _, heard in self.heard_of if isinstance(heard, kind))


class Watch:
    """Notifications a test when something has changed."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def touch(self) -> None:
        """Say that something has changed, from any thread."""
        self._loop.call_soon_threadsafe(self._changed.set)

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        async with asyncio.timeout(WAIT_S):
            while not is_so():
                await self._changed.wait()
                self._changed.clear()
