"""Tests of charts: lines within their box, bars that fill their width, and shades."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dialer.console.charts.charts import BOX, HEATS, heat, line, round_top, share, stack
from dialer.console.charts.heat_map import heat_rows
from dialer.console.parts.rendering import percentage
from dialer.domain.figures.statistics import Figures
from dialer.store.queries.statistics import Counted


@given(st.integers(0, 10**9))
def test_the_upper_edge_is_an_even_number_not_far_above_the_highest_value(highest: int) -> None:
    top = round_top(highest)
    assert highest <= top <= max(2, 2 * highest)
    assert top % 2 == 0


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=60))
def test_a_line_stays_within_its_box(values: list[int]) -> None:
    points = [tuple(map(float, point.split(","))) for point in line(values).path.removeprefix("M").split("L")]
    assert len(points) == len(values)
    assert all(0 <= part <= BOX for point in points for part in point)


def test_a_share_is_rounded_once() -> None:
    """27 of 110 are 24.545 %, which two places first would make 24.6 %."""
    assert percentage(share(27, 110)) == "24.5 %"


@given(st.lists(st.integers(0, 10**6), max_size=6))
def test_the_parts_of_a_bar_fill_it_without_gaps(amounts: list[int]) -> None:
    slices = stack([(str(place), amount) for place, amount in enumerate(amounts)])
    assert [one.amount for one in slices] == [amount for amount in amounts if amount]
    for one, following in pairwise(slices):
        assert abs(one.x + one.width - following.x) < 0.02
    assert not slices or abs(slices[-1].x + slices[-1].width - BOX) < 0.02


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_shade_grows_with_its_value(value: int, highest: int) -> None:
    value = min(value, highest)
    assert 0 <= heat(value, highest) <= HEATS
    assert (heat(value, highest) == 0) == (value == 0)
    assert heat(highest, highest) in {0, HEATS}


OFFSET = "UTC+05:30"


def test_hours_are_those_at_the_callee() -> None:
    noon = 500_000 // 24 * 24 + 12  # UTC
    counted = [
        Counted(noon, "Asia/Tokyo", Figures(calls=2, answered=1)),
        Counted(noon + 24, "Asia/Tokyo", Figures(calls=3)),
        Counted(noon, OFFSET, Figures(calls=1)),
        Counted(noon, "", Figures(messages=1, delivered=1)),
    ]
    rows = {
        row.zone: [(cell.hour, cell.calls) for cell in row.cells if cell.calls]
        for row in heat_rows(counted, "Europe/Berlin")
    }
    assert rows == {"Asia/Tokyo": [(21, 5)], OFFSET: [(17, 1)], "Europe/Berlin": [(13, 1)]}
