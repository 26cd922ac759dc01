"""Tests of spans of time as tests write them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.testing.spans import read_span


@given(st.integers(0, 9), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_a_span_is_the_sum_of_its_parts(days: int, hours: int, minutes: int, seconds: int) -> None:
    whole = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    assert read_span(f"{days}d{hours}h{minutes}m{seconds}s") == read_span(whole) == whole


@pytest.mark.parametrize(
    ("text", "seconds"), [("45s", 45), ("90m", 5_400), ("1h", 3_600), ("1h30m", 5_400), ("2d", 172_800), ("0s", 0)]
)
def test_parts_may_be_left_out(text: str, seconds: int) -> None:
    assert read_span(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "1", "h", "1h 2m", "-1h", "1.5h", "1m1h", "1H", "soon", "٣h", timedelta(-1)])
def test_what_is_no_span_is_refused(text: str | timedelta) -> None:
    with pytest.raises(ValueError, match="is no span of time"):
        read_span(text)
