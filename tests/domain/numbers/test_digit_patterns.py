"""Tests of patterns of digits."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.digit_patterns import DigitPattern, UnknownPatternError

digits = st.sampled_from(["0", "7", r"\d", "[1-3]", "[057-9]"])
patterns = st.recursive(
    digits,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})")
        | inner.map(lambda part: f"({part})?")
        | st.tuples(inner, st.sampled_from(["{2}", "{1,3}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}")
    ),
    max_leaves=6,
)


@given(patterns, st.text("0127", max_size=3), st.integers(0, 2))
def test_a_pattern_says_what_all_numbers_do_that_begin_alike(pattern: str, start: str, more: int) -> None:
    texts = [start + "".join(rest) for rest in product("0123456789", repeat=more)]
    found = {re.fullmatch(pattern, text) is not None for text in texts}
    assert DigitPattern(pattern).matches(start, len(start) + more) == (found.pop() if len(found) == 1 else None)


@given(patterns, st.text("0127", max_size=3), st.integers(0, 2))
def test_a_match_ends_where_the_regular_expression_can_end(pattern: str, start: str, more: int) -> None:
    length = len(start) + more
    texts = [start + "".join(rest) for rest in product("0123456789", repeat=more)]
    found = {end for text in texts for end in range(length + 1) if re.fullmatch(pattern, text[:end])}
    ends = DigitPattern(pattern).ends(start, length)
    assert ends == (None if max(found, default=0) > len(start) else found)


@pytest.mark.parametrize("pattern", ["a", "0*", "0+", "(?=1)0", r"\b0", "[^0]"])
def test_an_expression_that_no_plan_has_today_is_refused(pattern: str) -> None:
    with pytest.raises(UnknownPatternError):
        DigitPattern(pattern)
