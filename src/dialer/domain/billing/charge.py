"""Rates of calls, and the charge for a leg of a call."""

from functools import lru_cache
from typing import Final

import msgspec

CHARGES_KEPT_MAX: Final = 4_096
"""Number of cached charges: most calls of a campaign have one of a few lengths."""
_SECOND_MS: Final = 1_000
_MINUTE_S: Final = 60


class Rate(msgspec.Struct, frozen=True, cache_hash=True):
    """A price per minute, billed in increments of whole seconds, and a connection fee."""

    per_minute: int
    """The price per minute, in integers of 1e-5."""
    first_increment_s: int = 60
    next_increment_s: int = 60
    connection_fee: int = 0

    def billed_duration(self, billsec: int) -> int:
        """Return the seconds to charge for `billsec` seconds of conversation: 0 for a call that was not answered."""
        if billsec <= 0:
            return 0
        if billsec <= self.first_increment_s:
            return self.first_increment_s
        beyond = billsec - self.first_increment_s
        return self.first_increment_s + -(-beyond // self.next_increment_s) * self.next_increment_s

    def cost(self, billed_s: int) -> int:
        """Return the price of `billed_s` charged seconds, rounded half up to 1e-5."""
        if billed_s <= 0:
            return 0
        return (2 * self.per_minute * billed_s + _MINUTE_S) // (2 * _MINUTE_S) + self.connection_fee

    def price(self, billsec: int) -> int:
        """Return the price of a call with `billsec` seconds of conversation."""
        return self.cost(self.billed_duration(billsec))

    def affordable_s(self, money: int, wanted_s: int) -> int:
        """Return the longest call, up to `wanted_s` seconds, that `money` pays for; 0 if one increment costs more."""
        if self.price(wanted_s) <= money:
            return wanted_s
        if self.cost(self.first_increment_s) > money:
            return 0
        low, high = 0, (wanted_s - self.first_increment_s) // self.next_increment_s
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.cost(self.first_increment_s + middle * self.next_increment_s) <= money
            low, high = (middle, high) if fits else (low, middle - 1)
        return self.first_increment_s + low * self.next_increment_s


class Bill(msgspec.Struct, frozen=True, gc=False):
    """The billing figures of a CDR.

    Durations are in whole seconds, rounded up. The cost is an integer of 1e-5.
    """

    duration: int
    billsec: int
    billed_duration: int
    cost: int


def bill_leg(rate: Rate, started_ms: int, answered_ms: int | None, ended_ms: int) -> Bill:
    """Return the charge for one leg of a call. An answered leg lasts at least one second.

    A report can say that the leg ended before it began or was answered. The leg then counts as ended at that moment.
    """
    duration = -((started_ms - ended_ms) // _SECOND_MS)  # Started seconds, without a call for each leg.
    if answered_ms is None:
        return Bill(max(0, duration), 0, 0, 0)
    billsec = max(1, -((answered_ms - ended_ms) // _SECOND_MS))
    billed_duration, cost = _charged(rate, billsec)
    return Bill(max(billsec, duration), billsec, billed_duration, cost)


@lru_cache(CHARGES_KEPT_MAX)
def _charged(rate: Rate, billsec: int) -> tuple[int, int]:
    """Return the seconds to charge for seconds of conversation, and their price."""
    billed_duration = rate.billed_duration(billsec)
    return billed_duration, rate.cost(billed_duration)
