"""Tests of the fixed rate: even, with at most `frequency` dials in any window of a minute."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.pacing.fixed import FREQUENCY_MAX, FixedRate, due_ms, fixed_rate
from dialer.domain.pacing.inputs import Pace, PacingInputs


def dials(frequency: int, delays_ms: list[int], start_ms: int = 1_795_168_800_000) -> list[int]:
    """Return the moments of the dials of a campaign that is late by these delays."""
    moments = []
    next_us = 0
    now_ms = start_ms
    for delay_ms in delays_ms:
        now_ms = max(now_ms, due_ms(next_us)) + delay_ms
        moments.append(now_ms)
        next_us = fixed_rate(frequency, next_us, now_ms)
    return moments


frequencies = st.integers(1, 300) | st.integers(1, FREQUENCY_MAX)
delays = st.lists(st.just(0) | st.integers(0, 3) | st.integers(0, 100_000), min_size=2, max_size=400)


@given(frequencies, delays)
def test_no_window_of_a_minute_holds_more_dials_than_the_frequency(frequency: int, delays_ms: list[int]) -> None:
    moments = dials(frequency, delays_ms)
    for first, one_too_many in zip(moments, moments[frequency:], strict=False):
        assert one_too_many - first >= 60_000


@given(st.integers(1, 60_000), st.integers(1, 300))
def test_dials_that_are_never_late_are_spread_evenly(frequency: int, count: int) -> None:
    """The spacing is rounded up to microseconds, and each dial is in its millisecond."""
    moments = dials(frequency, [0] * count)
    for index, moment in enumerate(moments):
        exact_us = index * 60_000_000 / frequency
        assert -1_000 <= (moment - moments[0]) * 1_000 - exact_us <= 1_000 + index


@pytest.mark.parametrize(
    ("frequency", "moments"),
    [
        (10, [0, 6_000, 12_000]),
        (60, [0, 1_000, 2_000]),
        (7, [0, 8_571, 17_142]),
        (90_000, [0, 0, 1]),
    ],
)
def test_examples_worked_out_by_hand(frequency: int, moments: list[int]) -> None:
    """Seven a minute are one every 8.571429 s, counted from the end of the millisecond before the first."""
    start_ms = 1_000_000
    assert [moment - start_ms for moment in dials(frequency, [0, 0, 0], start_ms)] == moments


def test_a_late_dial_is_not_caught_up() -> None:
    moments = dials(60, [0, 5_000, 0, 0])
    assert [later - earlier for earlier, later in pairwise(moments)] == [6_000, 1_000, 1_000]


@pytest.mark.parametrize(
    ("now_ms", "pace"),
    [
        (9_999, Pace(0, again_ms=10_000)),
        (10_000, Pace(1, again_ms=16_000)),
        (13_000, Pace(1, again_ms=19_000)),
    ],
)
def test_the_strategy_places_the_call_that_is_due_and_says_when_the_next_is(now_ms: int, pace: Pace) -> None:
    """Ten a minute are one every 6 s, counted from the dial if it came late."""
    assert FixedRate().pace(PacingInputs(now_ms, frequency=10, next_dial_us=10_000_000)) == pace


def test_the_strategy_places_all_that_is_due_in_a_millisecond() -> None:
    """120,000 a minute are two in a millisecond: at 5.0 and at 5.5 ms, and the second may be made at 6 ms."""
    assert FixedRate().pace(PacingInputs(6, frequency=120_000, next_dial_us=5_000)) == Pace(2, again_ms=7)


@given(frequencies, delays)
def test_the_strategy_dials_when_the_functions_say(frequency: int, delays_ms: list[int]) -> None:
    start_ms = 1_795_168_800_000
    moments: list[int] = []
    now_ms, next_us = start_ms, 0
    for delay_ms in delays_ms:
        now_ms += delay_ms
        pace = FixedRate().pace(PacingInputs(now_ms, frequency=frequency, next_dial_us=next_us))
        for _ in range(pace.calls):
            moments.append(now_ms)
            next_us = fixed_rate(frequency, next_us, now_ms)
        assert pace.again_ms == due_ms(next_us) > now_ms
        now_ms = pace.again_ms
    for first, one_too_many in zip(moments, moments[frequency:], strict=False):
        assert one_too_many - first >= 60_000
