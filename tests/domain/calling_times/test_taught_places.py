"""Tests of the file with which an administrator teaches the places of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.taught_places import LINES_MAX, TaughtPlacesError, read_taught_places
from dialer.domain.places.places import NumberPlace, Places

FORM = "write a start of numbers, a zone and, if you like, a country, such as '+1436 America/New_York US'"
TEXT = """
# New area codes
+1436 America/New_York          # Ohio
+1621   America/Chicago US

+1924 America/Chicago&America/Winnipeg
+88213 UTC CH&IT
"""


def test_lines_are_read() -> None:
    assert read_taught_places(TEXT) == {
        "1436": NumberPlace(("US",), ("America/New_York",)),
        "1621": NumberPlace(("US",), ("America/Chicago",)),
        "1924": NumberPlace(("CA", "US"), ("America/Chicago", "America/Winnipeg")),
        "88213": NumberPlace(("CH", "IT"), ("UTC",)),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1436 America/New_York", "line 1: '1436' is no start of numbers: write '+' and digits, such as '+1436'"),
        ("+0436 America/New_York", "line 1: '+0436' is no start of numbers: write '+' and digits, such as '+1436'"),
        ("\n+1436", f"line 2: '+1436' has 1 words: {FORM}"),
        ("+1436 Ohio", "line 1: 'Ohio' is no time zone: write an IANA name, such as 'America/New_York'"),
        ("+1436 America/New_York US\n+1436 America/Chicago",
         "line 2: '+1436' stands in an earlier line too: keep one of them"),
        ("+1436 America/New_York USA", "line 1: 'USA' is no country: write its ISO code, such as 'US'"),
        ("\n" * (LINES_MAX + 1), f"it has {LINES_MAX + 1} lines: {LINES_MAX} are the most"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(text: str, problem: str) -> None:
    with pytest.raises(TaughtPlacesError) as error:
        read_taught_places(text)
    assert str(error.value) == problem


@given(st.text(st.sampled_from("+1436 America/New_York&US#\n\t*é"), max_size=80))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        found = read_taught_places(text)
    except TaughtPlacesError:
        return
    assert all(Places(found).of(f"+{start}") == place for start, place in found.items())
