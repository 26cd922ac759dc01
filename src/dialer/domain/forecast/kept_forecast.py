"""A forecast that is kept beside its campaign, to compare it with what happens."""

from enum import Enum
from typing import NamedTuple

import msgspec

from dialer.domain.figures.statistics import HOUR_MS


class Side(Enum):
    """The place of a value that has come, seen from the band of its forecast."""

    BELOW = "below"
    INSIDE = "inside"
    ABOVE = "above"


class Spread(NamedTuple):
    """The percentiles P10, P50 and P90 of a figure."""

    p10: int
    p50: int
    p90: int

    def plus(self, amount: int) -> "Spread":
        """Return the spread of the figure plus a known amount."""
        return Spread(self.p10 + amount, self.p50 + amount, self.p90 + amount)

    def has(self, value: int) -> bool:
        """Return whether a value is in the band of eight of ten runs."""
        return self.side(value) is Side.INSIDE

    def side(self, value: int) -> "Side":
        """Return on which side of that band a value is."""
        if value < self.p10:
            return Side.BELOW
        return Side.INSIDE if value <= self.p90 else Side.ABOVE


class ForecastHour(NamedTuple):
    """The likely calls of one hour since the epoch, and the likely price of the whole campaign until its end."""

    hour: int
    calls: Spread
    cost: Spread
    """Integers of 1e-5."""


class KeptRuleCost(msgspec.Struct, frozen=True):
    """The cost of a contact rule, in medians over the runs."""

    name: str
    people: int
    """People who wait for it."""
    delay_ms: int
    """The time for which it holds them back, on average."""
    too_late: int
    """Those of them who wait past the end of the campaign."""


class KeptForecast(msgspec.Struct, frozen=True):
    """A forecast of a whole campaign: what had happened when it was made is part of each figure.

    Times are in milliseconds since the epoch, money in integers of 1e-5.
    """

    made_ms: int
    seeds: int
    completing: int
    """The number of seeds under which everybody is called."""
    finish_ms: Spread
    calls: Spread
    cost: Spread
    cost_before: int
    """The price of the calls before the forecast."""
    hours: list[ForecastHour]
    obeys_hours: bool | None = None
    """True if the runs obeyed the calling hours of the service and of countries; None if that was not kept."""
    machines: Spread | None = None
    """Calls that answering machines answer; None if that was not kept."""
    queued_per_call: float | None = None
    """The calls that reach a queue for each call to come, by the medians of both; None if that was not kept."""
    calls_in_hour: int = 0
    """The calls that the hour of `made_ms` had when the forecast was made; they are part of its calls."""
    cost_if_paid: int | None = None
    """The median cost of the whole campaign if its owner's balance suffices; None if that was not kept."""
    obeys_law: bool = False
    """True if the runs were asked to obey the rows of law about contacts over a simulated gateway."""
    held: list[KeptRuleCost] = []
    """The costs of contact rules, of those that hold somebody back in half of the runs."""

    def was_right(self, calls: int, cost: int) -> bool:
        """Return whether the calls and the cost of a whole campaign are both in their bands."""
        return self.calls.has(calls) and self.cost.has(cost)

    def cost_at(self, now_ms: int) -> Spread:
        """Return the likely cost at a moment. Within an hour, it is taken to grow steadily."""
        from_ms, before = self.made_ms, Spread(0, 0, 0).plus(self.cost_before)
        for hour in self.hours:
            end_ms = (hour.hour + 1) * HOUR_MS
            if now_ms < end_ms:
                return _between(before, hour.cost, max(0, now_ms - from_ms), end_ms - from_ms)
            from_ms, before = end_ms, hour.cost
        return self.cost


def _between(low: Spread, high: Spread, part: int, whole: int) -> Spread:
    return Spread(*(old + (new - old) * part // whole for old, new in zip(low, high, strict=True)))
