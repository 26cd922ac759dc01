"""What a unit of work changes for the engine, so that the worker reads again only what was touched."""

from typing import Final

import msgspec
from sqlalchemy import Connection

TOUCHED_MAX: Final = 500
"""Ids that are remembered at most: of more, everything counts as touched."""
_KEY: Final = "touched"
_NOBODY: Final[frozenset[int]] = frozenset()


class Touched(msgspec.Struct, frozen=True):
    """Ids of the records whose rows the engine must read again. Empty: the engine need not hear of the change."""

    campaigns: frozenset[int] = _NOBODY
    accounts: frozenset[int] = _NOBODY
    gateways: frozenset[int] = _NOBODY
    """As the engine numbers them: those for text messages from `SMS_LINES_FROM` on."""
    queues: frozenset[int] = _NOBODY
    agents: frozenset[int] = _NOBODY
    dids: frozenset[int] = _NOBODY
    everything: bool = False
    """The records are not known: the worker reads all of them."""

    def __or__(self, other: "Touched") -> "Touched":
        """Return both together; everything, if that is more than can be remembered."""
        both = Touched(
            campaigns=self.campaigns | other.campaigns,
            accounts=self.accounts | other.accounts,
            gateways=self.gateways | other.gateways,
            queues=self.queues | other.queues,
            agents=self.agents | other.agents,
            dids=self.dids | other.dids,
        )
        is_all = self.everything or other.everything or both.count() > TOUCHED_MAX
        return EVERYTHING if is_all else both

    def count(self) -> int:
        """Return how many records are named."""
        ids = (self.campaigns, self.accounts, self.gateways, self.queues, self.agents, self.dids)
        return sum(map(len, ids))


NOTHING: Final = Touched()
EVERYTHING: Final = Touched(everything=True)


def touch(connection: Connection, touched: Touched) -> None:
    """Note what the unit of work on this connection has touched. Call it with `NOTHING` to say so."""
    connection.info[_KEY] = connection.info.get(_KEY, NOTHING) | touched


def take_touched(connection: Connection) -> Touched | None:
    """Return what was noted on this connection, and forget it; None if nobody noted anything."""
    touched: Touched | None = connection.info.pop(_KEY, None)
    return touched
