"""Tests of when events are sent again, and when a webhook is switched off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.webhooks.retries import (
    GIVEN_UP_MS,
    LATE_MS,
    WAIT_MS_MAX,
    PostOutcome,
    asked_wait_ms,
    is_given_up,
    next_attempt_ms,
    reason_to_disable,
    tried_since_ms,
)

REFUSED = PostOutcome(500, 3, "status 500")
NOW_MS = 1_790_000_000_000


@given(st.integers(1, 10_000), st.floats(0, 1), st.integers(0, 10**12))
def test_a_wait_is_never_longer_than_a_day_and_never_none(attempts: int, chance: float, asked_ms: int) -> None:
    wait_ms = next_attempt_ms(attempts, REFUSED._replace(wait_ms=asked_ms), NOW_MS, chance) - NOW_MS
    assert min(asked_ms, GIVEN_UP_MS) <= wait_ms
    assert 2_500 <= wait_ms <= max(WAIT_MS_MAX, min(asked_ms, GIVEN_UP_MS))


def test_waits_double_up_to_an_hour() -> None:
    waits = [next_attempt_ms(attempts, REFUSED, 0, 1.0) // 1_000 for attempts in range(1, 13)]
    assert waits == [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]
    assert next_attempt_ms(3, REFUSED, 0, 0.0) == 10_000


@pytest.mark.parametrize(
    ("text", "wait_ms"),
    [
        (None, 0),
        ("120", 120_000),
        (" 7 ", 7_000),
        ("9" * 40, 999_999_999_000),
        ("-5", 0),
        ("soon", 0),
        ("\u0663", 0),
        ("Mon, 21 Sep 2026 14:14:20 GMT", 60_000),
        ("Mon, 21 Sep 2026 14:14:20", 60_000),
        ("Mon, 21 Sep 2020 14:14:20 GMT", 0),
        ("Mon, 99 Sep 2026 99:14:20 GMT", 0),
    ],
)
def test_a_receiver_asks_to_wait(text: str | None, wait_ms: int) -> None:
    assert asked_wait_ms(text, 1_790_000_000_000) == wait_ms


@given(st.text(max_size=40))
def test_no_text_fails(text: str) -> None:
    assert asked_wait_ms(text, NOW_MS) >= 0


def test_a_webhook_is_switched_off_after_a_day_of_failures_or_at_once_if_it_is_gone() -> None:
    assert reason_to_disable(REFUSED, NOW_MS, NOW_MS + GIVEN_UP_MS - 1, gave_up=True) == ""
    assert reason_to_disable(REFUSED, NOW_MS, NOW_MS + GIVEN_UP_MS, gave_up=True) == "failing"
    assert reason_to_disable(REFUSED, NOW_MS, NOW_MS + GIVEN_UP_MS, gave_up=False) == ""
    assert reason_to_disable(PostOutcome(410, 3, "status 410"), NOW_MS, NOW_MS, gave_up=False) == "gone"
    assert (is_given_up(NOW_MS, NOW_MS + GIVEN_UP_MS - 1), is_given_up(NOW_MS, NOW_MS + GIVEN_UP_MS)) == (False, True)


@given(st.integers(0, 10**9), st.integers(-(10**9), 10**9))
def test_only_time_in_which_something_was_tried_counts(tried_ms: int, late_ms: int) -> None:
    """An event is not given up before it was tried for a day, whatever the service or its clock did meanwhile."""
    due_ms = NOW_MS + tried_ms
    since_ms = tried_since_ms(NOW_MS, due_ms, due_ms + late_ms)
    counted_ms = due_ms + late_ms - since_ms
    assert 0 <= counted_ms <= tried_ms + LATE_MS
    assert late_ms <= 0 or counted_ms >= tried_ms
    assert tried_since_ms(0, 0, NOW_MS) == NOW_MS
