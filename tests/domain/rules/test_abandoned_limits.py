"""Tests of the rules of countries on abandoned calls: which share counts, and over which time."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.zones import countries_of_number
from dialer.domain.rules.abandoned_causes import ExceededShare, worst_of
from dialer.domain.rules.abandoned_limits import (
    CANADA,
    JUDGED_FROM,
    RULES,
    UNITED_KINGDOM,
    UNITED_STATES,
    AbandonedCount,
    Period,
    judge,
    legal_percent,
    may_exceed,
)

COUNTS = {
    Period.DAY: AbandonedCount(6, 100),
    Period.MONTH: AbandonedCount(8, 200),
    Period.CAMPAIGN: AbandonedCount(9, 1_000),
}


@pytest.mark.parametrize(
    ("countries", "own_limit", "found"),
    [
        ((), 60, None),
        ((UNITED_STATES,), 60, ExceededShare(4.0, 3, Period.MONTH)),
        ((UNITED_KINGDOM,), 60, ExceededShare(6.0, 3, Period.DAY)),
        ((UNITED_STATES, UNITED_KINGDOM), 60, ExceededShare(6.0, 3, Period.DAY)),
        ((CANADA,), 60, None),
        ((CANADA,), 3.5, ExceededShare(4.0, 3.5, Period.MONTH)),
        ((CANADA, UNITED_STATES), 60, ExceededShare(4.0, 3, Period.MONTH)),
    ],
)
def test_the_share_of_the_period_that_a_country_counts_is_compared(
    countries: tuple[str, ...], own_limit: float, found: ExceededShare | None
) -> None:
    assert worst_of(judge(COUNTS, countries, own_limit)) == found


def test_the_strictest_of_the_called_countries_decides_what_may_be_set() -> None:
    assert [legal_percent(one) for one in ((), (CANADA,), (CANADA, UNITED_STATES), (UNITED_KINGDOM,))] == [3, 5, 3, 3]


counts = st.builds(lambda abandoned, others: AbandonedCount(abandoned, abandoned + others), *[st.integers(0, 300)] * 2)


@given(
    st.fixed_dictionaries(dict.fromkeys(Period, counts)),
    st.sets(st.sampled_from([rule.country for rule in RULES])),
    st.floats(0, 100),
)
def test_no_broken_rule_is_silent(found: dict[Period, AbandonedCount], countries: set[str], own_limit: float) -> None:
    judged = judge(found, countries, own_limit)
    for one in judged:
        of = max(1, one.counted.of)
        beyond = Fraction(100 * one.counted.abandoned, of) - Fraction(one.limit)
        broken = one.counted.of >= JUDGED_FROM and beyond > 0
        assert one.is_exceeded is broken or abs(beyond) < Fraction(1, 10**9)
    if worst_of(judged) is not None:
        assert may_exceed(found, own_limit)


def test_a_share_that_only_rounds_to_its_limit_is_above_it() -> None:
    count = AbandonedCount(30_04, 1_000_00)
    assert worst_of(judge(dict.fromkeys(Period, count), (UNITED_STATES,), 60)) == ExceededShare(3.004, 3, Period.MONTH)


@pytest.mark.parametrize(
    ("number", "countries"),
    [
        ("+12025550101", "US"),
        ("+14165550101", "CA"),
        ("+16045550101", "CA"),
        ("+18765550101", "JM"),
        ("+17875550101", "PR"),
        ("+11115550101", "CA US"),
        ("+1", "CA US"),
    ],
)
def test_numbers_of_one_country_code_are_told_apart_by_their_area_codes(number: str, countries: str) -> None:
    assert countries_of_number(number) == tuple(countries.split())
