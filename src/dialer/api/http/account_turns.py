"""Turns for work of seconds: a few at a time in a process, of which each account holds a share."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import Final

import anyio

from dialer.resources.words.errors import AnsweredError

RETRY_AFTER_S: Final = 5


class AccountTurns:
    """The limit of one kind of work. Requests wait in order; an account over its share is refused."""

    def __init__(self, at_once: int, of_account: int, waiting_most: int, *, refusal: str, others: str) -> None:
        """`refusal` is the message for an account over its share; `others` is the one while too many others wait."""
        self._of_account: Final = of_account
        self._most: Final = at_once + waiting_most
        self._refusal: Final = refusal
        self._others: Final = others
        self._turns: Final = anyio.Semaphore(at_once)
        self._taken: Final[Counter[int]] = Counter()

    @asynccontextmanager
    async def turn(self, account_id: int) -> AsyncIterator[None]:
        """Wait for a turn of an account, and hold it while the context is entered.

        Raises:
            AnsweredError: as for `share`.
        """
        with self.share(account_id):
            async with self.working():
                yield

    @contextmanager
    def share(self, account_id: int) -> Iterator[None]:
        """Hold a part of an account's share while the context is entered, as before its body is read.

        Raises:
            AnsweredError: 429, the account has its share already; 503, too many accounts wait.
        """
        if self._taken[account_id] >= self._of_account:
            raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, self._refusal, _LATER)
        if self._taken.total() >= self._most:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, self._others, _LATER)
        self._taken[account_id] += 1
        try:
            yield
        finally:
            self._taken[account_id] -= 1
            if not self._taken[account_id]:
                del self._taken[account_id]

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Wait until few enough work, and work while the context is entered."""
        async with self._turns:
            yield


_LATER: Final = {"Retry-After": str(RETRY_AFTER_S)}
