"""The records that a unit of work touches, so that the worker reads only those again."""

from typing import Final

import msgspec
from sqlalchemy import Connection

TOUCHED_MAX: Final = 500
"""The most ids that are kept; with more, every record counts as touched."""
_KEY: Final = "touched"
_NOBODY: Final[frozenset[int]] = frozenset()


class Touched(msgspec.Struct, frozen=True):
    """Ids of the records that the engine must read again. If all are empty, the engine need not hear of the change."""

    campaigns: frozenset[int] = _NOBODY
    accounts: frozenset[int] = _NOBODY
    gateways: frozenset[int] = _NOBODY
    """Ids of gateways in the engine: those for text messages begin at `SMS_LINES_FROM`."""
    queues: frozenset[int] = _NOBODY
    agents: frozenset[int] = _NOBODY
    dids: frozenset[int] = _NOBODY
    everything: bool = False
    """True if the records are unknown; the worker then reads all of them again."""

    def __or__(self, other: "Touched") -> "Touched":
        """Return both together, or `EVERYTHING` if these are more than `TOUCHED_MAX` ids."""
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
        """Return the number of ids."""
        ids = (self.campaigns, self.accounts, self.gateways, self.queues, self.agents, self.dids)
        return sum(map(len, ids))


NOTHING: Final = Touched()
EVERYTHING: Final = Touched(everything=True)


def touch(connection: Connection, touched: Touched) -> None:
    """Note the records that the unit of work on this connection touched; `NOTHING` notes that there are none."""
    connection.info[_KEY] = connection.info.get(_KEY, NOTHING) | touched


def take_touched(connection: Connection) -> Touched | None:
    """Return and forget the records that were noted on this connection; None if none were noted."""
    touched: Touched | None = connection.info.pop(_KEY, None)
    return touched
