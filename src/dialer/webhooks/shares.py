"""Places of a common pool, of which each account has a share: nobody's slowness takes the places of others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from dialer.domain.fair_turns import FairTurns, Reply, TurnLimits


class Shares:
    """Places on one event loop. Of the accounts that wait, the one that holds the fewest places comes next."""

    def __init__(self, most: int, of_each: int) -> None:
        self._turns: Final[FairTurns[int, anyio.Event]] = FairTurns(TurnLimits(most, of_each))

    @asynccontextmanager
    async def place(self, account_id: int) -> AsyncIterator[None]:
        """Wait for a place of an account, and hold it while the context is entered."""
        turn = anyio.Event()
        if self._turns.ask(account_id, turn) is Reply.BEGINS:
            turn.set()
        try:
            await turn.wait()
            yield
        finally:
            self._leave(account_id, turn)

    def _leave(self, account_id: int, turn: anyio.Event) -> None:
        if not turn.is_set():
            self._turns.give_up(account_id, turn)
        elif (following := self._turns.end(account_id)) is not None:
            following.set()
