"""Records that a unit of work changes for the engine, so that the worker reads only these again."""

from typing import Final

import msgspec
from sqlalchemy import Connection

from dialer.domain.calls.plans import GatewayKey

TOUCHED_MAX: Final = 500
"""Maximum number of ids that are remembered. With more, everything counts as touched."""
_KEY: Final = "touched"
_NO_IDS: Final[frozenset[int]] = frozenset()


class Touched(msgspec.Struct, frozen=True):
    """Ids of the records whose rows the engine must read again. Without ids, the change does not concern the engine."""

    campaigns: frozenset[int] = _NO_IDS
    accounts: frozenset[int] = _NO_IDS
    gateways: frozenset[GatewayKey] = frozenset()
    queues: frozenset[int] = _NO_IDS
    agents: frozenset[int] = _NO_IDS
    dids: frozenset[int] = _NO_IDS
    calls: frozenset[int] = _NO_IDS
    """Calls in progress whose outcome an agent has said."""
    everything: bool = False
    """True if the touched records are unknown: the worker reads all records."""

    def __or__(self, other: "Touched") -> "Touched":
        """Return the union of both; `EVERYTHING` if it has more than `TOUCHED_MAX` ids."""
        both = Touched(
            campaigns=self.campaigns | other.campaigns,
            accounts=self.accounts | other.accounts,
            gateways=self.gateways | other.gateways,
            queues=self.queues | other.queues,
            agents=self.agents | other.agents,
            dids=self.dids | other.dids,
            calls=self.calls | other.calls,
        )
        is_all = self.everything or other.everything or both.count() > TOUCHED_MAX
        return EVERYTHING if is_all else both

    def count(self) -> int:
        """Return the number of ids."""
        ids = (self.campaigns, self.accounts, self.gateways, self.queues, self.agents, self.dids, self.calls)
        return sum(map(len, ids))


NOTHING: Final = Touched()
EVERYTHING: Final = Touched(everything=True)


def touch(connection: Connection, touched: Touched) -> None:
    """Note the records that the unit of work on this connection touches. Pass `NOTHING` if there are none."""
    connection.info[_KEY] = connection.info.get(_KEY, NOTHING) | touched


def take_touched(connection: Connection) -> Touched | None:
    """Return the records noted on this connection, and clear them. Return None if `touch` was not called."""
    touched: Touched | None = connection.info.pop(_KEY, None)
    return touched
