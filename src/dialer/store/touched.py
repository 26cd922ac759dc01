"""What a unit of work changes for the engine, so that the worker reads again only what was touched."""

from typing import Final

import msgspec
from sqlalchemy import Connection

_KEY: Final = "touched"
_NOBODY: Final[frozenset[int]] = frozenset()


class Touched(msgspec.Struct, frozen=True):
    """Ids of the records whose rows the engine must read again. Empty: the engine need not hear of the change."""

    campaigns: frozenset[int] = _NOBODY
    accounts: frozenset[int] = _NOBODY
    gateways: frozenset[int] = _NOBODY
    queues: frozenset[int] = _NOBODY
    agents: frozenset[int] = _NOBODY
    dids: frozenset[int] = _NOBODY
    everything: bool = False
    """The records are not known: the worker reads all of them."""

    def __or__(self, other: "Touched") -> "Touched":
        """Return both together."""
        return Touched(
            campaigns=self.campaigns | other.campaigns,
            accounts=self.accounts | other.accounts,
            gateways=self.gateways | other.gateways,
            queues=self.queues | other.queues,
            agents=self.agents | other.agents,
            dids=self.dids | other.dids,
            everything=self.everything or other.everything,
        )


NOTHING: Final = Touched()
EVERYTHING: Final = Touched(everything=True)


def touch(connection: Connection, touched: Touched) -> None:
    """Note what the unit of work on this connection has touched. Call it with `NOTHING` to say so."""
    connection.info[_KEY] = connection.info.get(_KEY, NOTHING) | touched


def take_touched(connection: Connection) -> Touched | None:
    """Return what was noted on this connection, and forget it; None if nobody noted anything."""
    touched: Touched | None = connection.info.pop(_KEY, None)
    return touched
