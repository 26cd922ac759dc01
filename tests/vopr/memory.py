"""The memory of an observer: every attempt, every limit that held, and everything that was acknowledged."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from tests.vopr.snapshot import Attempt, Leg, Snapshot


class Limits:
    """The history of a limit."""

    def __init__(self) -> None:
        self._held: list[tuple[int, int]] = []

    def learn(self, now_ms: int, limit: int) -> None:
        """Record the limit that holds from now on."""
        if not self._held or self._held[-1][1] != limit:
            self._held.append((now_ms, limit))

    def move(self, by_ms: int) -> None:
        """Shift the history, because the clock has jumped by so much."""
        self._held = [(at_ms + by_ms, limit) for at_ms, limit in self._held]

    def most(self, since_ms: int) -> int:
        """Return the highest limit that has held since a moment; 0 means no limit, and so is the highest."""
        before = [limit for at_ms, limit in self._held if at_ms <= since_ms][-1:]
        held = before + [limit for at_ms, limit in self._held if at_ms > since_ms]
        return 0 if 0 in held else max(held)


class Memory:
    """Everything that an observer has seen so far."""

    def __init__(self) -> None:
        self.calls: Final[dict[int, Attempt]] = {}
        self.texts: Final[dict[int, Attempt]] = {}
        self.legs: Final[dict[int, Leg]] = {}
        self._before: Final[set[int]] = set()
        self._legs_before: Final[set[int]] = set()
        self.frequency: Final[defaultdict[int, Limits]] = defaultdict(Limits)
        self.cps: Final[defaultdict[str, Limits]] = defaultdict(Limits)
        self.retries: Final[Counter[int]] = Counter()
        self.completions: Final[Counter[int]] = Counter()
        """The highest `completion_maxretry` that each campaign has had; `retries` holds the highest `maxretry`."""
        self.abandoned: Final[Counter[int]] = Counter()
        """The highest `abandoned_maxretry` that each campaign has had."""
        self.carrier: Final[Counter[int]] = Counter()
        """The highest `carrier_maxretry` that each campaign has had; `carrier_least` holds the lowest."""
        self.carrier_least: Final[dict[int, int]] = {}
        self.is_paced: Final[set[int]] = set()
        """Campaigns that have dialled for agents at any time. The frequency does not limit them."""
        self.again: Final[Counter[int]] = Counter()
        """The number of times that a client has set a subscriber who was done back to be called again."""
        self.paid: Final[Counter[int]] = Counter()
        """The payments of each user, less their refunds."""
        self.entries: Final[set[tuple[int, str]]] = set()
        """Entries of do-not-call lists that have been seen. No action removes an entry."""
        self.cdrs: Final[list[tuple[object, ...]]] = []

    def attempts(self) -> Iterator[Attempt]:
        """Yield all attempts since the last clock jump, without inbound calls and messages sent in calls."""
        yield from (one for one in self.calls.values() if one.attempt > 0 and one.id not in self._before)
        yield from (one for one in self.texts.values() if one.parent_id is None and one.id not in self._before)

    def transfers(self) -> Iterator[Leg]:
        """Yield all transfers since the last clock jump."""
        yield from (leg for leg in self.legs.values() if leg.id not in self._legs_before)

    def clock_jumped(self, by_ms: int) -> None:
        """Leave finished attempts out of later comparisons, and shift the limits by the jump."""
        for limits in (*self.frequency.values(), *self.cps.values()):
            limits.move(by_ms)
        attempts = (*self.calls.values(), *self.texts.values())
        self._before.update(one.id for one in attempts if one.ended_ms is not None)
        self._legs_before.update(leg.id for leg in self.legs.values() if leg.ended_ms is not None)

    def learn_limits(self, seen: Snapshot, now_ms: int) -> None:
        """Record the limits that hold from now on."""
        for campaign_id, row in seen.campaigns.items():
            self.frequency[campaign_id].learn(now_ms, row["frequency"])
            self.retries[campaign_id] = max(self.retries[campaign_id], row["maxretry"])
            self.completions[campaign_id] = max(self.completions[campaign_id], row["completion_maxretry"])
            self.abandoned[campaign_id] = max(self.abandoned[campaign_id], row["abandoned_maxretry"])
            self.carrier[campaign_id] = max(self.carrier[campaign_id], row["carrier_maxretry"])
            least = self.carrier_least.get(campaign_id, row["carrier_maxretry"])
            self.carrier_least[campaign_id] = min(least, row["carrier_maxretry"])
            if row["dial_method"] != 1:
                self.is_paced.add(campaign_id)
        for line_id, line in seen.lines.items():
            self.cps[line_id].learn(now_ms, line.max_cps)

    def learn_promises(self, last: Snapshot | None, seen: Snapshot) -> None:
        """Record who may be called once more, because an agent has promised it in a call that goes on."""
        known = {} if last is None else last.promised
        self.again.update(one.subscriber_id for one in seen.calls if one.id in seen.promised.keys() - known.keys())

    def learn_attempts(self, seen: Snapshot) -> None:
        """Record the attempts as they are now."""
        self.calls.update({one.id: one for one in seen.calls})
        self.texts.update({one.id: one for one in seen.texts})
        self.legs.update({one.id: one for one in seen.legs})
        self.entries.update(seen.entries)
