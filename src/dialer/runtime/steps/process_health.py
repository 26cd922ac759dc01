"""ProcessHealth: the state of a process that dials, or waits for those that do, for health checks and metrics."""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, NamedTuple

from dialer.domain.calls.plans import GatewayKey

BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)
"""Upper bounds of the buckets of durations."""


class Durations:
    """A histogram of durations since the start of the process."""

    def __init__(self) -> None:
        self.counts: Final = [0] * (len(BOUNDS_S) + 1)
        """Number of durations in each bucket; the last has those above all bounds."""
        self.sum_s = 0.0

    def add(self, duration_s: float) -> None:
        """Count a duration in its bucket of the histogram."""
        self.counts[bisect_left(BOUNDS_S, duration_s)] += 1
        self.sum_s += duration_s


class GatewayShare(NamedTuple):
    """The part of a gateway's limits that a worker may use, and what it uses. Only limits that exist are listed."""

    gateway_id: GatewayKey
    channels: int | None
    channels_in_use: int
    cps: int | None
    cps_in_use: int


class Membership(NamedTuple):
    """The shards of one worker of a fleet, and the time for which it may go on."""

    name: str
    worker_id: int | None
    """None while it is no member."""
    shards: int
    lease_left_ms: int
    """Time for which it may go on without a renewal."""
    takeovers: Mapping[str, int]
    """Workers that it has replaced, by reason."""
    fenced: int
    """Steps that were given up because it had been replaced."""


class ProcessHealth(NamedTuple):
    """The vitals of a process. Parts that it does not have are None or empty."""

    steps: Durations | None = None
    """Durations of its steps, with waiting for others."""
    answers: Durations | None = None
    """Waits of answers until the workers knew the change."""
    late_ms: int | None = None
    """Delay of its next event."""
    gateways: tuple[GatewayShare, ...] = ()
    membership: Membership | None = None
