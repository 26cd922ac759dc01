"""Tests of the order of tests."""

from hypothesis import given
from hypothesis import strategies as st

from tests.order import begun_with


def test_each_part_begins_with_its_share_of_the_long_tests() -> None:
    assert begun_with("LMN", "abcdefg", 2) == [*"LNabc", *"Mdefg"]


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 6))
def test_no_test_is_lost_or_doubled_and_the_others_keep_their_order(long: int, others: int, processes: int) -> None:
    first, last = range(long), range(100, 100 + others)
    ordered = begun_with(first, last, processes)
    assert sorted(ordered) == [*first, *last]
    assert [one for one in ordered if one >= 100] == [*last]
