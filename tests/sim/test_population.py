"""Tests of generated numbers: all different, and reproducible by seed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.sim.population import PopulationError, capacity_of, numbers_of, zone_of_made_up


@given(st.integers(0, 2**63 - 1), st.integers(1, 1_110))
def test_all_numbers_are_different_and_fit_their_patterns(seed: int, size: int) -> None:
    patterns = ("+120255501xx", "+4479460000xx"[:-1], "33199xxx")
    numbers = list(numbers_of(patterns, size, seed))
    assert len(set(numbers)) == min(size, capacity_of(patterns))
    prefixes = [pattern.rstrip("x") for pattern in patterns]
    assert all(any(number.startswith(prefix) for prefix in prefixes) for number in numbers)


def test_each_pattern_gives_a_number_in_turn_while_it_has_any() -> None:
    numbers = list(numbers_of(("1000x", "200xx"), 30, seed=1))
    assert [number[0] for number in numbers] == ["1", "2"] * 10 + ["2"] * 10


def test_a_seed_gives_what_it_has_always_given() -> None:
    assert list(numbers_of(("+1202555xxxx",), 4, seed=1)) == [
        "+12025558867",
        "+12025554084",
        "+12025559301",
        "+12025554518",
    ]


def test_another_seed_gives_others() -> None:
    assert list(numbers_of(("+1202555xxxx",), 4, seed=1)) != list(numbers_of(("+1202555xxxx",), 4, seed=2))


@pytest.mark.parametrize(
    "pattern", ["", "x", "+x", "1xx1", "12", "+12x34x", "1" * 15 + "x", "+1202555" + "x" * 10, "1xX"]
)
def test_an_impossible_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PopulationError):
        capacity_of((pattern,))


@pytest.mark.parametrize(
    ("number", "zone"),
    [("+12025550142", "America/New_York"), ("+33199001234", "Europe/Paris"), ("12025550142", "")],
)
def test_a_number_with_a_plus_tells_its_zone(number: str, zone: str) -> None:
    assert zone_of_made_up(number) == zone
