"""Tests of the search for spellings of a number, which leaves other numbers alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.spellings import ERASED, Spellings

NUMBER = "+12025550100"
WAYS = (
    "+12025550100",
    "12025550100",
    "2025550100",
    "+1 202 555 0100",
    "(202) 555-0100",
    "+1 (202) 555-0100",
    "1-202-555-0100",
    "001 202 555 0100",
    "011 1 202.555.0100",
    "202\u2013555\u20130100",
    "202\u00a0555\u00a00100",
)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_it_is_found_wherever_it_stands(way: str) -> None:
    spellings = Spellings(NUMBER)
    assert spellings.is_all_of(f" {way} ")
    assert spellings.without(f"Call {way}, or {way}!") == f"Call {ERASED}, or {ERASED}!"


@pytest.mark.parametrize(
    ("number", "way"),
    [
        ("+493012345678", "030 12345678"),
        ("+493012345678", "+49 (0)30 1234-5678"),
        ("+79161234567", "8 (916) 123-45-67"),
        ("+79161234567", "89161234567"),
        ("+390612345678", "06 1234 5678"),
        ("+2908123", "+290 8123"),
        ("12025550100", "+12025550100"),
        ("999999999999999", "999 999 999 999 999"),
    ],
)
def test_countries_have_ways_of_their_own(number: str, way: str) -> None:
    assert Spellings(number).without(f"at {way}.") == f"at {ERASED}."


@pytest.mark.parametrize(
    "other",
    ["912025550100", "120255501001", "+12025550101", "202555010", "202, 555, 0100", "20255x50100", "4420255501009"],
)
def test_another_number_stays(other: str) -> None:
    assert Spellings(NUMBER).without(other) == other


def test_a_short_number_is_only_found_where_it_stands_alone() -> None:
    """Within a text, its digits may be part of another number."""
    spellings = Spellings("1001")
    assert [spellings.without(text) for text in ("1001", " 1001 ", "Room 1001", "21001")] == [
        ERASED,
        ERASED,
        "Room 1001",
        "21001",
    ]
    assert Spellings("+2908123").without("the year 8123") == "the year 8123"


NUMBERS = st.builds(
    lambda country, rest: f"+{country}{rest}",
    st.sampled_from(["1202", "4930", "4420", "7916", "390", "3312", "9199", "61291", "290", "5511"]),
    st.text("0123456789", min_size=4, max_size=8),
)
BETWEEN = st.sampled_from(["", " ", "-", ".", " - "])
TEXTS = st.text(st.characters(exclude_categories=["N", "C"]), max_size=20)


@given(NUMBERS, st.data())
def test_with_its_country_it_is_found_with_any_marks_between_its_digits(number: str, data: st.DataObject) -> None:
    normal = normalise(number, None)
    written = "+" + "".join(digit + data.draw(BETWEEN) for digit in normal[1:-1]) + normal[-1]
    before, after = data.draw(TEXTS), data.draw(TEXTS)
    text = f"{before}:{written};{after}"
    without = Spellings(normal).without(text)
    assert without == f"{before}:{ERASED};{after}" or len(normal) <= 7
    assert Spellings(normal).is_all_of(written)


@given(NUMBERS, NUMBERS)
def test_a_number_with_its_country_is_found_in_no_other(one: str, other: str) -> None:
    if normalise(one, None) != normalise(other, None):
        assert not Spellings(normalise(one, None)).is_all_of(normalise(other, None))
