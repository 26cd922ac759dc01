"""Rests of lines: a line that tells many reports which cannot be handled is not used for a while.

Each such report fails a step, after which the engine is built again. Without a limit, whoever can call in over one
gateway could keep the service busy with that.
"""

from collections import deque
from typing import Final

from dialer.domain.calls.plans import GatewayKey

COST_MAX: Final = 1_000
"""Cost of the reports of a line, within a minute, at which it rests."""
COST_OF_FAILURE: Final = 100
"""Cost of a report that fails a step."""
COST_OF_FAULT: Final = 1
"""Cost of a report that is set aside because of a field, which fails no step."""
WITHIN_MS: Final = 60_000
REST_MS_MIN: Final = 30_000
REST_MS_MAX: Final = 600_000


class _Record:
    """The reports of one line that could not be handled, and its last rest."""

    def __init__(self) -> None:
        self.costs: Final[deque[tuple[int, int]]] = deque()
        """Time and cost of each report of the last minute."""
        self.rest_ms = 0
        """Length of the last rest; 0 if the line has not rested lately."""
        self.until_ms = 0

    def rests(self, now_ms: int) -> bool:
        """Return whether the line rests. If the clock is set back, the rest ends."""
        return self.until_ms - self.rest_ms <= now_ms < self.until_ms

    def is_past(self, now_ms: int) -> bool:
        """Return whether the record is too old to matter."""
        is_quiet = not self.costs or now_ms - self.costs[-1][0] >= WITHIN_MS
        return is_quiet and now_ms >= self.until_ms + REST_MS_MAX

    def add(self, cost: int, now_ms: int) -> bool:
        """Add the cost of a report, and return whether the line begins to rest."""
        if self.rests(now_ms):
            return False
        self.costs.append((now_ms, cost))
        while abs(now_ms - self.costs[0][0]) >= WITHIN_MS:
            self.costs.popleft()
        if sum(event_cost for _, event_cost in self.costs) < COST_MAX:
            return False
        self.costs.clear()
        is_again = self.rest_ms and now_ms < self.until_ms + REST_MS_MAX
        self.rest_ms = min(REST_MS_MAX, 2 * self.rest_ms) if is_again else REST_MS_MIN
        self.until_ms = now_ms + self.rest_ms
        return True


class LineRests:
    """The lines of a worker that rest. The first rest takes 30 seconds, and each one soon after it twice as long."""

    def __init__(self) -> None:
        self._records: Final[dict[GatewayKey, _Record]] = {}

    def add(self, gateway_id: GatewayKey, cost: int, now_ms: int) -> bool:
        """Add a report of a line that could not be handled, and return whether the line begins to rest."""
        for past in [key for key, record in self._records.items() if record.is_past(now_ms)]:
            del self._records[past]
        return self._records.setdefault(gateway_id, _Record()).add(cost, now_ms)

    def states(self, now_ms: int) -> dict[GatewayKey, str]:
        """Return the reason of each line that rests, by its gateway."""
        return {
            key: f"too many of its reports could not be handled, so it rests for {record.rest_ms // 1_000} seconds"
            for key, record in self._records.items()
            if record.rests(now_ms)
        }
