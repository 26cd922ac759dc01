"""The charge for a leg of a call."""

from typing import Final

import msgspec

from dialer.domain.billing.money import Rate

_SECOND_MS: Final = 1_000


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
    if answered_ms is None:
        return Bill(_started_seconds(started_ms, ended_ms), 0, 0, 0)
    billsec = max(1, _started_seconds(answered_ms, ended_ms))
    billed_duration = rate.billed_duration(billsec)
    duration = max(billsec, _started_seconds(started_ms, ended_ms))
    return Bill(duration, billsec, billed_duration, rate.cost(billed_duration))


def _started_seconds(from_ms: int, to_ms: int) -> int:
    return max(0, -((from_ms - to_ms) // _SECOND_MS))
