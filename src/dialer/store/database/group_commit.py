"""Turns to write: units of work run in the order of their arrival, and many that wait share a transaction.

The first waiter leads: it runs its own unit of work with those behind it, then passes the lead to the next waiter. A
small unit of work costs little more than its commit, so many that share a commit cost little more than one. A long one
has a transaction of its own, and lets those pass that wait before its turn. So nobody waits for many long ones.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, TypeVar

import anyio
from sqlalchemy import Connection

from dialer.store.backends.backend import Lock

Result = TypeVar("Result")

TOGETHER_MAX: Final = 64
"""Maximum number of units of work in one transaction."""


class Waiter(Generic[Result]):
    """A unit of work that waits for its turn, from within an event loop.

    `until_s` is the time on the loop's clock until which it waits for other processes that hold the database. With
    `alone`, the unit has a transaction of its own. A unit that `is_long` has one, too, and lets others pass.
    """

    def __init__(
        self,
        work: Callable[[Connection], Result],
        *,
        until_s: float,
        alone: bool,
        is_long: bool = False,
        lock: Lock = Lock.ALL,
    ) -> None:
        self.work: Final = work
        self.lock: Final = lock
        self.until_s: Final = until_s
        self.alone: Final = alone
        self.is_long: Final = is_long
        self.arrived_s: Final = time.monotonic()
        self.result: Result | None = None
        self.error: BaseException | None = None
        self._has_begun = False
        self._waits = True
        self._leads = False
        self._called: Final = anyio.Event()

    async def wait(self, turns: "Turns") -> Result:
        """Return the result of the unit of work, or raise its error, after the commit.

        If the caller is cancelled before its turn, the unit of work does not run. After that, it runs to its end.
        """
        try:
            self._leads = turns.enter(self)
            if not self._leads:
                await self._called.wait()
            if self._leads:
                await turns.lead(self)
        finally:
            self._waits = False
            if not self._has_begun:
                turns.leave(self)
            if self._leads:
                turns.pass_on()
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value] # the unit of work has returned

    def begin(self) -> None:
        """Mark the unit of work as begun: its caller can no longer withdraw it."""
        self._has_begun = True

    @property
    def has_begun(self) -> bool:
        """Return whether the unit of work can no longer be withdrawn."""
        return self._has_begun

    def put_back(self) -> None:
        """Allow another turn, if the caller still waits: the last one failed for a reason outside this unit of work."""
        if self._waits:
            self._has_begun = False
            self.error = None

    def call(self, *, leads: bool) -> None:
        """Wake the caller: to lead if `leads`, otherwise because its unit of work is done."""
        self._leads = leads
        self._called.set()


class Turns:
    """A queue of units of work that write. `run` does several together, and sets the result or the error of each."""

    def __init__(self, run: Callable[[list[Waiter[Any]]], Awaitable[None]]) -> None:
        self._run: Final = run
        self._waiting: Final[deque[Waiter[Any]]] = deque()
        """The units that are not long."""
        self._long: Final[deque[Waiter[Any]]] = deque()
        self._first = 0
        """Number of other units that come before the next long one."""
        self.are_taken = False
        """True while a waiter leads."""
        self.together_max = TOGETHER_MAX

    @property
    def has_waiting(self) -> bool:
        """Return whether units of work wait for their turn."""
        return bool(self._waiting or self._long)

    def enter(self, waiter: Waiter[Any]) -> bool:
        """Add a waiter to the end of its queue. Return whether this waiter runs the queues, because no other does."""
        if waiter.is_long and not self._long:
            self._first = len(self._waiting)
        self._queue_of(waiter).append(waiter)
        leads = not self.are_taken
        self.are_taken = True
        return leads

    def leave(self, waiter: Waiter[Any]) -> None:
        """Remove a waiter from its queue."""
        self._queue_of(waiter).remove(waiter)

    async def lead(self, first: Waiter[Any]) -> None:
        """Run the first unit of work in its queue, with those behind it that may share its transaction."""
        taken, queue = self._next(first), self._queue_of(first)
        try:
            with anyio.CancelScope(shield=True):  # The transaction also holds the work of others.
                await self._run(taken)
        finally:
            queue.extendleft(reversed([waiter for waiter in taken if not waiter.has_begun]))
            if first.is_long:
                self._first = len(self._waiting)
            for waiter in taken[1:]:
                if waiter.has_begun:
                    waiter.call(leads=False)

    def pass_on(self) -> None:
        """Pass the lead to the next waiter, if there is one."""
        queue = self._waiting if self._waiting and (self._first or not self._long) else self._long
        if queue:
            queue[0].call(leads=True)
        else:
            self.are_taken = False

    def _queue_of(self, waiter: Waiter[Any]) -> deque[Waiter[Any]]:
        return self._long if waiter.is_long else self._waiting

    def _next(self, first: Waiter[Any]) -> list[Waiter[Any]]:
        queue = self._queue_of(first)
        taken = [queue.popleft()]
        if not first.is_long:
            while queue and len(taken) < self.together_max and not (first.alone or queue[0].alone):
                taken.append(queue.popleft())
            self._first = max(0, self._first - len(taken))
        for waiter in taken:
            waiter.begin()
        return taken
