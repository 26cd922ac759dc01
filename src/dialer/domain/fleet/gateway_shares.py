"""Slices of gateways: the channels and the calls per second of a gateway, shared among workers.

Each worker keeps to its slice. The slices of a gateway never add up to more than its limit, so the workers together
keep to the limit without asking each other before a dial.
"""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

SPARE: Final = 1
"""Units that a worker with running campaigns holds beyond those in use, so that a transfer finds room at once."""
TURN_MS: Final = 2_000
"""Minimum time for which a worker keeps its last unit while others wait for one."""


class Claim(NamedTuple):
    """The slice of one worker of one limit, and its demand."""

    worker_id: int
    held: int
    in_use: int
    """May exceed `held` after a user has lowered the limit."""
    wants_more: bool
    campaigns: int
    """Number of running campaigns that use the gateway."""
    since_ms: int
    """Time since when the worker has held a unit, or has wanted its first one."""

    @property
    def booked(self) -> int:
        """Return the units of a gateway that no other worker may use."""
        return max(self.held, self.in_use)


def shares(limit: int, claims: Collection[Claim], now_ms: int) -> dict[int, int]:
    """Return the fair share of each worker: at most what it asks for, and at least an equal part.

    Parts are equal for each campaign. Units that cannot be divided go to the workers that have waited longest.
    """
    demands = {one.worker_id: _demand(limit, one) for one in claims}
    found = dict.fromkeys(demands, 0)
    left, asking = limit, [one for one in claims if demands[one.worker_id]]
    while asking and left:
        weight = sum(_weight(one) for one in asking)
        content = [one for one in asking if demands[one.worker_id] * weight <= left * _weight(one)]
        if not content:
            _divide(left, asking, found, now_ms)
            break
        for one in content:
            found[one.worker_id] = demands[one.worker_id]
            left -= demands[one.worker_id]
        asking = [one for one in asking if one not in content]
    return found


def target_of(limit: int, claims: Collection[Claim], worker_id: int, now_ms: int) -> int:
    """Return the units that a worker should hold now.

    A worker gives units back only if another worker has less than its share.
    """
    fair = shares(limit, claims, now_ms)
    mine = next(one for one in claims if one.worker_id == worker_id)
    is_somebody_short = any(one.held < fair[one.worker_id] for one in claims if one.worker_id != worker_id)
    if mine.held > fair[worker_id] and (is_somebody_short or booked(claims) > limit):
        return fair[worker_id]
    return max(mine.held, fair[worker_id])


def booked(claims: Iterable[Claim]) -> int:
    """Return the units of a limit that are held or in use."""
    return sum(one.booked for one in claims)


def _demand(limit: int, claim: Claim) -> int:
    if claim.wants_more:
        return limit
    return min(limit, claim.in_use + (SPARE if claim.campaigns else 0))


def _weight(claim: Claim) -> int:
    return max(1, claim.campaigns)


def _divide(left: int, asking: list[Claim], found: dict[int, int], now_ms: int) -> None:
    """Divide units among workers that all ask for more than their part."""
    weight = sum(_weight(one) for one in asking)
    for one in asking:
        found[one.worker_id] = left * _weight(one) // weight
    rest = left - sum(found[one.worker_id] for one in asking)
    for one in sorted(asking, key=lambda one: _turn(one, found[one.worker_id], now_ms))[:rest]:
        found[one.worker_id] += 1


def _turn(claim: Claim, share: int, now_ms: int) -> tuple[bool, bool, int, int]:
    """Return the place of a worker in the order in which indivisible units are given."""
    is_in_turn = claim.held > share and now_ms < claim.since_ms + TURN_MS
    return share > 0, not is_in_turn, claim.since_ms, claim.worker_id
