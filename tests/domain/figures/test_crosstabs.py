"""Tests of crosstabs: every person is counted once, and margins are those of Wilson's interval."""

from collections import Counter
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.figures.crosstabs import ANSWERS_KEPT_MAX, GROUPS_MAX, Crosstab, TooManyGroupsError, share_of, tenths

_people = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from(["yes", "no", "perhaps", "never"])), max_size=60)


@given(people=_people, groups_most=st.integers(1, 6), answers_most=st.integers(1, 5))
def test_a_table_counts_each_person_once(people: list[tuple[str, str]], groups_most: int, answers_most: int) -> None:
    crosstab = Crosstab()
    for group, answer in people:
        crosstab.add(group, answer)
    table = crosstab.table(groups_most, answers_most, "others")
    counted = Counter(people)
    named = {row.name for row in table.groups} - {"others"}
    for row in table.groups:
        of_row = [one for one in people if one[0] == row.name or (row.name == "others" and one[0] not in named)]
        assert row.total == len(of_row) == sum(one.people for one in row.shares)
        for answer, one in zip(table.answers, row.shares, strict=True):
            if answer != "others":
                assert one.people == sum(count for key, count in counted.items() if key[1] == answer and key in of_row)
            assert one.percent == pytest.approx(100 * one.people / row.total)
    assert sum(row.total for row in table.groups) == len(people)


@given(total=st.integers(1, 10_000), part=st.floats(0, 1))
def test_a_margin_is_half_of_the_interval_in_which_a_true_share_makes_this_one_likely(total: int, part: float) -> None:
    count = round(total * part)
    share, z = count / total, 1.959964
    # The ends of the interval solve (share - p)^2 = z^2 p (1 - p) / total.
    a, b, c = 1 + z**2 / total, -(2 * share + z**2 / total), share**2
    ends = [(-b + sign * sqrt(max(0, b * b - 4 * a * c))) / (2 * a) for sign in (-1, 1)]
    assert isclose(share_of(count, total).margin, 50 * (ends[1] - ends[0]), rel_tol=1e-4, abs_tol=1e-6)


def test_shares_are_said_in_tenths_and_nothing_of_nobody_is_nothing() -> None:
    assert [tenths(*one) for one in ((2_464, 6_160), (49, 1_000), (951, 1_000), (1, 1), (0, 0))] == [4, 0, 10, 10, 0]
    assert share_of(0, 0) == (0, 0.0, 0.0)


def test_answers_of_which_each_is_another_count_as_others() -> None:
    crosstab = Crosstab()
    for number in range(3 * ANSWERS_KEPT_MAX):
        crosstab.add("all", f"{number:05}")
        crosstab.add("all", "00000")
    (table,) = crosstab.table(1, 1, "others").groups
    assert [share.people for share in table.shares] == [3 * ANSWERS_KEPT_MAX + 1, 3 * ANSWERS_KEPT_MAX - 1]


def test_a_column_of_names_is_refused() -> None:
    crosstab = Crosstab()
    for person in range(GROUPS_MAX):
        crosstab.add(str(person), "yes")
    crosstab.add("0", "no")
    with pytest.raises(TooManyGroupsError):
        crosstab.add("new", "yes")
