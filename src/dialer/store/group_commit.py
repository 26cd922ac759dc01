"""Turns to write: units of work are called in the order in which they came, and many that wait share a transaction.

Whoever comes first leads: it takes those behind it along, and then hands the lead to the next who waits. A commit is
what a small unit of work costs, so those that wait for the same one are done at the price of one.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, TypeVar

import anyio
from sqlalchemy import Connection

Result = TypeVar("Result")

TOGETHER_MAX: Final = 64
"""Units of work that share one transaction, at most."""


class Waiter(Generic[Result]):
    """A unit of work that waits to be done, from within an event loop.

    `until_s`, on the loop's clock, is how long it waits for others who hold the database. One that is to be `alone`
    has a transaction of its own.
    """

    def __init__(self, work: Callable[[Connection], Result], *, until_s: float, alone: bool) -> None:
        self.work: Final = work
        self.until_s: Final = until_s
        self.alone: Final = alone
        self.result: Result | None = None
        self.error: BaseException | None = None
        self._has_begun = False
        self._waits = True
        self._leads = False
        self._called: Final = anyio.Event()

    async def wait(self, turns: "Turns") -> Result:
        """What the work returned or raised, once that is decided: after the commit.

        Who is cancelled before its turn never happened; after that, its unit of work is done all the same.
        """
        try:
            self._leads = turns.enter(self)
            if not self._leads:
                await self._called.wait()
            if self._leads:
                await turns.lead()
        finally:
            self._waits = False
            if not self._has_begun:
                turns.leave(self)
            if self._leads:
                turns.pass_on()
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value] # it is over

    def begin(self) -> None:
        """From here on it cannot be taken back."""
        self._has_begun = True

    @property
    def has_begun(self) -> bool:
        """Whether it is too late to take it back."""
        return self._has_begun

    def put_back(self) -> None:
        """Its turn came to nothing, for a reason that is not its own: it has the next one, if it waits for it still."""
        if self._waits:
            self._has_begun = False
            self.error = None

    def call(self, *, leads: bool) -> None:
        """Its turn has come, or is over already."""
        self._leads = leads
        self._called.set()


class Turns:
    """Those who wait to write; `run` does units of work together, and leaves with each its result or its error."""

    def __init__(self, run: Callable[[list[Waiter[Any]]], Awaitable[None]]) -> None:
        self._run: Final = run
        self._waiting: Final[deque[Waiter[Any]]] = deque()
        self.are_taken = False
        """Whether somebody writes just now."""
        self.together_max = TOGETHER_MAX

    def enter(self, waiter: Waiter[Any]) -> bool:
        """Wait behind all others; whether there are none, so that it leads."""
        self._waiting.append(waiter)
        leads = not self.are_taken
        self.are_taken = True
        return leads

    def leave(self, waiter: Waiter[Any]) -> None:
        """Wait no longer."""
        self._waiting.remove(waiter)

    async def lead(self) -> None:
        """Do what the first who waits wants, and what those behind it want who may share its transaction."""
        taken = self._next()
        try:
            with anyio.CancelScope(shield=True):  # Others are in it too.
                await self._run(taken)
        finally:
            self._waiting.extendleft(reversed([waiter for waiter in taken if not waiter.has_begun]))
            for waiter in taken[1:]:
                if waiter.has_begun:
                    waiter.call(leads=False)

    def pass_on(self) -> None:
        """Let the next one lead."""
        if self._waiting:
            self._waiting[0].call(leads=True)
        else:
            self.are_taken = False

    def _next(self) -> list[Waiter[Any]]:
        taken = [self._waiting.popleft()]
        while self._waiting and len(taken) < self.together_max and not (taken[0].alone or self._waiting[0].alone):
            taken.append(self._waiting.popleft())
        for waiter in taken:
            waiter.begin()
        return taken
