"""What an observer remembers of a run: every attempt, every limit that held, everything that was acknowledged."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from tests.vopr.snapshot import Attempt, Leg, Look


class Limits:
    """How a limit has changed."""

    def __init__(self) -> None:
        self._held: list[tuple[int, int]] = []

    def learn(self, now_ms: int, limit: int) -> None:
        """It is this from now on."""
        if not self._held or self._held[-1][1] != limit:
            self._held.append((now_ms, limit))

    def move(self, by_ms: int) -> None:
        """The clock was put by so much."""
        self._held = [(at_ms + by_ms, limit) for at_ms, limit in self._held]

    def most(self, since_ms: int) -> int:
        """The highest that has held at any moment since; 0, which stands for none, is the highest of all."""
        before = [limit for at_ms, limit in self._held if at_ms <= since_ms][-1:]
        held = before + [limit for at_ms, limit in self._held if at_ms > since_ms]
        return 0 if 0 in held else max(held)


class Memory:
    """All that has been seen so far."""

    def __init__(self) -> None:
        self.calls: Final[dict[int, Attempt]] = {}
        self.texts: Final[dict[int, Attempt]] = {}
        self.legs: Final[dict[int, Leg]] = {}
        self._before: Final[set[int]] = set()
        self._legs_before: Final[set[int]] = set()
        self.frequency: Final[defaultdict[int, Limits]] = defaultdict(Limits)
        self.cps: Final[defaultdict[int, Limits]] = defaultdict(Limits)
        self.retries: Final[Counter[int]] = Counter()
        self.completions: Final[Counter[int]] = Counter()
        """The highest `maxretry` and `completion_maxretry` that campaigns have had."""
        self.is_paced: Final[set[int]] = set()
        """Campaigns that have dialled for agents at any time: the frequency is none of their limits."""
        self.again: Final[Counter[int]] = Counter()
        """How often a client has asked for a subscriber once more who was given up."""
        self.paid: Final[Counter[int]] = Counter()
        """What users have paid in, less what they got back."""
        self.entries: Final[set[tuple[int, str]]] = set()
        """Entries of do-not-call lists that have been seen: nobody takes any off."""
        self.cdrs: Final[list[tuple[object, ...]]] = []

    def attempts(self) -> Iterator[Attempt]:
        """All attempts since the clock was put last: calls that came in, and messages in calls, are none."""
        yield from (one for one in self.calls.values() if one.attempt > 0 and one.id not in self._before)
        yield from (one for one in self.texts.values() if one.parent_id is None and one.id not in self._before)

    def transfers(self) -> Iterator[Leg]:
        """All transfers since then."""
        yield from (leg for leg in self.legs.values() if leg.id not in self._legs_before)

    def clock_is_put(self, by_ms: int) -> None:
        """What is over was at a time that has nothing to do with the times to come; limits hold as long as before."""
        for limits in (*self.frequency.values(), *self.cps.values()):
            limits.move(by_ms)
        attempts = (*self.calls.values(), *self.texts.values())
        self._before.update(one.id for one in attempts if one.ended_ms is not None)
        self._legs_before.update(leg.id for leg in self.legs.values() if leg.ended_ms is not None)

    def learn_limits(self, seen: Look, now_ms: int) -> None:
        """The limits as they are from now on."""
        for campaign_id, row in seen.campaigns.items():
            self.frequency[campaign_id].learn(now_ms, row["frequency"])
            self.retries[campaign_id] = max(self.retries[campaign_id], row["maxretry"])
            self.completions[campaign_id] = max(self.completions[campaign_id], row["completion_maxretry"])
            if row["dial_method"] != 1:
                self.is_paced.add(campaign_id)
        for line_id, line in seen.lines.items():
            self.cps[line_id].learn(now_ms, line.max_cps)

    def learn_attempts(self, seen: Look) -> None:
        """The attempts as they stand now."""
        self.calls.update({one.id: one for one in seen.calls})
        self.texts.update({one.id: one for one in seen.texts})
        self.legs.update({one.id: one for one in seen.legs})
        self.entries.update(seen.entries)
