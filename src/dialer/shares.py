"""Places of a common pool, of which each account has a share: nobody's slowness takes the places of others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from dialer.domain.shares.fair_turns import FairTurns, Reply, TurnLimits


class ShareFullError(Exception):
    """Too many of an account wait for a place."""


class Shares:
    """Places on one event loop. Of the accounts that wait, the one that holds the fewest places comes next."""

    def __init__(self, most: int, of_each: int, *, waiting_of_each: int | None = None) -> None:
        limits = TurnLimits(most, of_each, waiting_of_each=waiting_of_each)
        self._turns: Final[FairTurns[int, anyio.Event]] = FairTurns(limits)

    @asynccontextmanager
    async def place(self, account_id: int) -> AsyncIterator[None]:
        """Wait for a place of an account, and hold it while the context is entered.

        Raises:
            ShareFullError: too many of the account wait.
        """
        turn = anyio.Event()
        reply = self._turns.ask(account_id, turn)
        if reply is Reply.OWN_FULL:
            raise ShareFullError
        if reply is Reply.BEGINS:
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
