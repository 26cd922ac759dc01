"""Shards: groups of accounts, each owned by one worker at a time."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

SHARDS: Final = 64
"""Number of shards. An account is in the shard of its id modulo this number."""
ALL_SHARDS: Final = frozenset(range(SHARDS))


class Gift(NamedTuple):
    """Shards that one worker gives to another."""

    to: int
    """Id of the worker that takes them."""
    shards: tuple[int, ...]


def shard_of(user_id: int) -> int:
    """Return the shard of an account."""
    return user_id % SHARDS


def gift_of(owned: Mapping[int, Collection[int]], giver: int) -> Gift | None:
    """Return the shards that a worker gives away, so that no two workers differ by more than one; None if none.

    `owned` maps the ids of all workers to their shards. A worker gives to the worker with the fewest shards, and keeps
    its fair share.
    """
    mine = sorted(owned[giver])
    to = min(owned, key=lambda worker_id: (len(owned[worker_id]), worker_id))
    share, rest = divmod(sum(map(len, owned.values())), len(owned))
    # The workers with the lowest ids have the shards that do not divide evenly.
    place = sorted(owned).index(giver)
    spare = len(mine) - share - (place < rest)
    missing = share + (sorted(owned).index(to) < rest) - len(owned[to])
    count = min(spare, missing)
    if count <= 0:
        return None
    # Evenly spaced, because the ids of a small service's accounts follow each other.
    return Gift(to, tuple(mine[place * len(mine) // count] for place in range(count)))
