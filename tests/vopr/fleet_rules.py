"""Rules that hold for all workers of a fleet together."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from sqlalchemy import Connection

from dialer.domain.fleet.shards import SHARDS
from dialer.store.database.database import Database
from tests.vopr.memory import Memory
from tests.vopr.snapshot import ask

_KEY = "iif(medium = 'sms', 'sms:', '') ||"
_LINES = f"SELECT {_KEY} id, max_channels, max_cps FROM gateway"  # noqa: S608 - names of our columns
_SLICES = f"""SELECT {_KEY} gateway_id, sum(max(channels, channels_in_use)), sum(cps) FROM gateway_slice
    GROUP BY medium, gateway_id"""  # noqa: S608 - names of our columns
_RESTING = f"""SELECT {_KEY} gateway_id, sum(cps) FROM cps_returned WHERE until_ms > {{now_ms}}
    GROUP BY medium, gateway_id"""  # noqa: S608 - names of our columns
_OWNERS = "SELECT id, worker_id FROM shard"


class Shares(NamedTuple):
    """The shards and the booked parts of all gateways at one moment."""

    owners: dict[int, int | None]
    channels: Counter[str]
    cps: Counter[str]


class FleetRules:
    """The rules, with what they remember."""

    def __init__(self) -> None:
        self._checked: Final[set[int]] = set()
        """Ids of the attempts whose gateway was checked at their beginning."""
        self._channels: Final[defaultdict[str, list[tuple[int, int]]]] = defaultdict(list)
        """The `max_channels` of each gateway, and when users set them."""

    def read(self, connection: Connection) -> Shares:
        """Return the shares as they are now."""
        slices = ask(connection, _SLICES)
        return Shares(
            {row[0]: row[1] for row in ask(connection, _OWNERS)},
            Counter({row[0]: row[1] for row in slices}),
            Counter({row[0]: row[2] for row in slices}),
        )

    def moved(self, connection: Connection, before: Shares, now_ms: int) -> Iterator[str]:
        """Yield gateways of which more is lent than they have, and shards that nobody owns any more."""
        after = self.read(connection)
        resting = Counter({row[0]: row[1] for row in ask(connection, _RESTING.format(now_ms=now_ms))})
        for line_id, channels, cps in ask(connection, _LINES):
            if channels and after.channels[line_id] > max(channels, before.channels[line_id]):
                yield f"slices: {after.channels[line_id]} of {channels} channels of gateway {line_id} are booked"
            lent, lent_before = after.cps[line_id] + resting[line_id], before.cps[line_id] + resting[line_id]
            if cps and after.cps[line_id] > before.cps[line_id] and lent > max(cps, lent_before):
                yield f"slices: {lent} of {cps} calls per second of gateway {line_id} are lent or rest"
        if before.owners and len(after.owners) != SHARDS:
            yield f"shards: there are {len(after.owners)}"
        for shard, owner in after.owners.items():
            if owner is None:
                yield f"shards: nobody owns shard {shard}"

    def learn_limits(self, connection: Connection, now_ms: int) -> None:
        """Remember `max_channels` of each gateway from now on."""
        for line_id, channels, _ in ask(connection, _LINES):
            self._channels[line_id].append((now_ms, channels))

    def crowded(self, memory: Memory) -> Iterator[str]:
        """Yield gateways that have carried more calls at a moment than they might, as the rows say in the end."""
        spans = [(one.gateway, one.started_ms, one.end_ms) for one in memory.attempts()]
        spans += [(leg.gateway, leg.started_ms, leg.end_ms) for leg in memory.transfers() if leg.started_ms is not None]
        changes = [(gateway, at_ms, 1) for gateway, at_ms, _ in spans]
        changes += [(gateway, at_ms, -1) for gateway, _, at_ms in spans]
        # A call that ends at a moment frees its channel for one that begins then.
        for gateway, moments in groupby(sorted(changes), key=lambda one: one[0]):
            carried = 0
            for _, at_ms, change in moments:
                carried += change
                most = self._most(gateway, at_ms)
                if change > 0 and 0 < most < carried:
                    yield f"I8: the rows have {carried} calls on gateway {gateway} at {at_ms}, {most} allowed"
                    break

    def _most(self, gateway: str, at_ms: int) -> int:
        """Return the highest `max_channels` of a gateway at a moment, at which it may have changed; 0 for no limit."""
        known = self._channels[gateway]
        first, last = (bisect(known, at_ms, key=lambda one: one[0]) for bisect in (bisect_left, bisect_right))
        held = [limit for _, limit in known[max(0, first - 1) : last]]
        return 0 if 0 in held else max(held, default=0)

    def crowds(self, memory: Memory, database: Database) -> list[str]:
        """Return new attempts that found more calls on their gateway than it may carry."""
        new = [one for one in memory.attempts() if one.id not in self._checked]
        if not new:
            return []
        self._checked.update(one.id for one in new)
        limits = {row[0]: row[1] for row in database.read_now(lambda connection: ask(connection, _LINES))}
        return [found for one in new if (found := _crowd(memory, one.gateway, one.started_ms, limits))]


def _crowd(memory: Memory, gateway: str, at_ms: int, limits: dict[str, int]) -> str:
    most = limits.get(gateway, 0)
    carried = sum(other.gateway == gateway and other.started_ms <= at_ms < other.end_ms for other in memory.attempts())
    carried += sum(
        leg.gateway == gateway and leg.started_ms is not None and leg.started_ms < at_ms < leg.end_ms
        for leg in memory.transfers()
    )
    return (
        f"I8: {carried} calls of all workers on gateway {gateway} at once, {most} allowed" if 0 < most < carried else ""
    )


def unowned(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield shards without a worker that is alive."""
    query = f"""SELECT s.id FROM shard s LEFT JOIN fleet_worker w ON w.id = s.worker_id
        WHERE coalesce(w.lease_until_ms, 0) <= {now_ms}"""  # noqa: S608 - a number
    for (shard,) in ask(connection, query):
        yield f"shards: no worker that is alive owns shard {shard}"
    if not ask(connection, _OWNERS):
        yield "shards: there are none"
