"""Tests of the charge for one leg of a call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.billing.charge import Bill, Rate, bill_leg

MINUTES = Rate(per_minute=6_000)
SECONDS = Rate(per_minute=6_000, first_increment_s=1, next_increment_s=1)
MOMENTS = st.integers(0, 10_000_000)


@pytest.mark.parametrize(
    ("rate", "moments", "expected"),
    [
        (MINUTES, (1_000, None, 6_000), Bill(5, 0, 0, 0)),
        (MINUTES, (1_000, None, 1_000), Bill(0, 0, 0, 0)),
        (MINUTES, (1_000, 3_000, 64_000), Bill(63, 61, 120, 12_000)),
        (SECONDS, (1_000, 3_000, 3_001), Bill(3, 1, 1, 100)),
        (SECONDS, (1_000, 3_000, 3_000), Bill(2, 1, 1, 100)),
        (MINUTES, (1_000, 1_000, 1_000), Bill(1, 1, 60, 6_000)),
        (MINUTES, (1_000, 3_000, 500), Bill(1, 1, 60, 6_000)),
    ],
)
def test_a_leg_costs_its_started_seconds(rate: Rate, moments: tuple[int, int | None, int], expected: Bill) -> None:
    assert bill_leg(rate, *moments) == expected


@given(MOMENTS, MOMENTS, MOMENTS)
def test_an_answered_leg_always_has_a_second_that_is_billed(started_ms: int, answered_ms: int, ended_ms: int) -> None:
    bill = bill_leg(SECONDS, started_ms, answered_ms, ended_ms)
    assert 1 <= bill.billsec <= bill.duration
    assert bill.cost == SECONDS.price(bill.billsec) >= SECONDS.price(1)
