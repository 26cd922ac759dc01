"""Turns of a common pool that are fair between accounts: whoever waits comes next after each of the others once."""

from collections import deque
from enum import Enum, auto
from typing import Final, Generic, NamedTuple, TypeVar

Key = TypeVar("Key")
Ticket = TypeVar("Ticket")


class Reply(Enum):
    """The reply to somebody who asks for a turn."""

    BEGINS = auto()
    WAITS = auto()
    OWN_FULL = auto()
    """Too many of the same account wait."""
    ALL_FULL = auto()
    """Too many wait in all."""


class TurnLimits(NamedTuple):
    """The limits of a pool: turns that are taken, and tickets that wait, in all and of each account."""

    most: int
    of_each: int
    waiting_most: int | None = None
    waiting_of_each: int | None = None


class FairTurns(Generic[Key, Ticket]):
    """The turns of accounts, and the tickets that wait. The caller starts the work of a ticket, and says when it ends.

    Of the accounts that wait, the one with the fewest turns comes next, and of equal ones the one whose last turn is
    longest ago. No account takes more than its share, and no turn stays free while somebody entitled waits.
    """

    def __init__(self, limits: TurnLimits) -> None:
        self._limits: Final = limits
        self._taken: Final[dict[Key, int]] = {}
        self._taken_in_all = 0
        self._waiting: Final[dict[Key, deque[Ticket]]] = {}
        """The tickets of each account, the account whose last turn is longest ago first."""
        self._waiting_in_all = 0

    def ask(self, key: Key, ticket: Ticket) -> Reply:
        """Take a turn if there is one, or let the ticket wait if there is room."""
        taken = self._taken.get(key, 0)
        if self._taken_in_all < self._limits.most and taken < self._limits.of_each:
            self._taken[key] = taken + 1
            self._taken_in_all += 1
            return Reply.BEGINS
        own = len(self._waiting.get(key, ()))
        if self._limits.waiting_of_each is not None and own >= self._limits.waiting_of_each:
            return Reply.OWN_FULL
        if self._limits.waiting_most is not None and self._waiting_in_all >= self._limits.waiting_most:
            return Reply.ALL_FULL
        self._waiting.setdefault(key, deque()).append(ticket)
        self._waiting_in_all += 1
        return Reply.WAITS

    def end(self, key: Key) -> Ticket | None:
        """End a turn of an account, and return the ticket whose turn begins now."""
        self._taken_in_all -= 1
        if self._taken[key] > 1:
            self._taken[key] -= 1
        else:
            del self._taken[key]
        return self._next() if self._waiting else None

    def give_up(self, key: Key, ticket: Ticket) -> None:
        """Forget a ticket that waits."""
        tickets = self._waiting[key]
        tickets.remove(ticket)
        self._waiting_in_all -= 1
        if not tickets:
            del self._waiting[key]

    def _next(self) -> Ticket | None:
        taken = self._taken
        entitled = [key for key in self._waiting if taken.get(key, 0) < self._limits.of_each]
        if not entitled:
            return None
        key = min(entitled, key=lambda waiting: taken.get(waiting, 0))
        tickets = self._waiting.pop(key)
        ticket = tickets.popleft()
        self._waiting_in_all -= 1
        if tickets:
            self._waiting[key] = tickets
        taken[key] = taken.get(key, 0) + 1
        self._taken_in_all += 1
        return ticket
