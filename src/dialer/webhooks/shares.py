"""Places of a common pool, of which each account has a share: nobody's slowness takes the places of others."""

from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio


class Shares:
    """Places on one event loop. Of the accounts that wait, the one that holds the fewest places comes next."""

    def __init__(self, most: int, of_each: int) -> None:
        self._most: Final = most
        self._of_each: Final = of_each
        self._held: Final[Counter[int]] = Counter()
        self._waiting: Final[dict[int, deque[anyio.Event]]] = {}

    @asynccontextmanager
    async def place(self, account_id: int) -> AsyncIterator[None]:
        """Wait for a place of an account, and hold it while the context is entered."""
        turn = anyio.Event()
        self._waiting.setdefault(account_id, deque()).append(turn)
        self._admit()
        try:
            await turn.wait()
            yield
        finally:
            self._leave(account_id, turn)

    def _leave(self, account_id: int, turn: anyio.Event) -> None:
        if turn.is_set():
            self._held[account_id] -= 1
            if not self._held[account_id]:
                del self._held[account_id]
            self._admit()
        else:
            self._waiting[account_id].remove(turn)
            self._forget_empty(account_id)

    def _admit(self) -> None:
        while self._held.total() < self._most:
            entitled = [one for one in self._waiting if self._held[one] < self._of_each]
            if not entitled:
                return
            account_id = min(entitled, key=self._held.__getitem__)
            self._held[account_id] += 1
            self._waiting[account_id].popleft().set()
            self._forget_empty(account_id)

    def _forget_empty(self, account_id: int) -> None:
        if not self._waiting[account_id]:
            del self._waiting[account_id]
