"""Property tests: a share that pages, files and answers show is rounded once, from the counts themselves."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialer.console.parts.rendering import percentage
from dialer.console.parts.sheets import Sheet, SheetColumn, ValueKind, csv_lines
from dialer.domain.figures.statistics import percent, rounded, unrounded_mean, unrounded_percent
from dialer.domain.queueing.agent_days import occupancy_of
from dialer.domain.queueing.agent_periods import WorkState
from dialer.domain.rules.abandoned_limits import AbandonedCount

SHARES: Final[tuple[Callable[[int, int], float | None], ...]] = (
    unrounded_percent,
    lambda part, whole: AbandonedCount(part, whole).share,
    lambda part, whole: occupancy_of(Counter({WorkState.TALKING: part, WorkState.AVAILABLE: whole - part})),
)
UTC: Final = ZoneInfo("UTC")
TIE: Final = Fraction(1, 10**9)
"""The most by which a binary fraction is off."""

parts = st.integers(1, 10**6).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))


def off(shown: str, exact: Fraction) -> Fraction:
    return abs(Fraction(shown.rstrip("%")) - exact)


@pytest.mark.parametrize("share", SHARES)
@given(parts)
@example((749, 100_000))
@example((30_449, 1_000_000))
def test_a_share_is_rounded_once(share: Callable[[int, int], float | None], counts: tuple[int, int]) -> None:
    exact, value = Fraction(100 * counts[0], counts[1]), share(*counts)
    assert value is not None
    assert off(percentage(value), exact) <= Fraction(1, 20) + TIE
    sheet = Sheet([SheetColumn("Share", ValueKind.SHARE)], [(value,)])
    assert off(csv_lines(sheet, UTC).decode().strip(), exact) <= Fraction(1, 200) + TIE
    assert off(str(rounded(value)), exact) <= Fraction(1, 200) + TIE
    assert rounded(value) == percent(*counts)


@given(st.integers(0, 10**6), st.integers(1, 10**4))
@example(29_999, 2_000)
def test_a_mean_is_rounded_once(total: int, count: int) -> None:
    sheet = Sheet([SheetColumn("Talked", ValueKind.SECONDS)], [(unrounded_mean(total, count),)])
    shown = csv_lines(sheet, UTC).decode().strip()
    assert off(shown, Fraction(total, count)) <= Fraction(1, 200) + TIE
