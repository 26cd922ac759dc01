"""Keys for searches and orderings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.normal_form import normalise
from dialer.domain.numbers.search_keys import NAME_KEY_MAX, after_all_with, ending, name_key, number_starts, words_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Ada Byron", "ada byron"),
        ("  ADA\tByron-King ", "ada byron king"),
        ("Zoë Ångström", "zoe angstrom"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("İpek", "ipek"),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("李雷", "李雷"),
        ("!?", ""),
        ("x" * 255, "x" * NAME_KEY_MAX),
    ],
)
def test_a_key_has_neither_case_nor_accents_nor_punctuation(name: str, key: str) -> None:
    assert name_key(name) == key


@given(st.text(max_size=40))
def test_the_key_of_a_key_is_itself_and_case_does_not_matter(name: str) -> None:
    key = name_key(name)
    assert (name_key(key), name_key(name.casefold())) == (key, key)


def test_the_words_of_a_search_are_those_that_say_most() -> None:
    assert words_of("An ANNA Müller m?") == ("muller", "anna")
    assert words_of("!?") == ()


def test_four_digits_and_more_can_be_the_end_of_a_number() -> None:
    assert [ending(text) for text in ("0101", "55 01-01", "101", "+0101", "٣٤٥٦", "")] == [
        "0101",
        "550101",
        "",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("+1 (202) 555-0101", None),
        ("+12025550101", "DE"),
        ("1-202-555-0101", "US"),
        ("12025550101", None),
        ("202-555-0101", "US"),
        ("(202) 555.01", "US"),
        ("+1202", "US"),
        ("0012025550101", "DE"),
        (" 202/555 ", "US"),
    ],
)
def test_every_spelling_of_a_number_and_of_its_start_leads_to_it(text: str, region: str | None) -> None:
    assert any("+12025550101".startswith(start) for start in number_starts(text, region))


@pytest.mark.parametrize(("text", "region"), [("030 123", "DE"), ("30123", "DE"), ("+49 30 123", None)])
def test_a_national_prefix_is_taken_off(text: str, region: str | None) -> None:
    assert any("+4930123456".startswith(start) for start in number_starts(text, region))


@pytest.mark.parametrize("text", ["", "+", "Ada", "202 Ltd", "-", "٣٤٥"])
def test_a_text_that_is_no_number_has_no_starts(text: str) -> None:
    assert number_starts(text, "US") == ()


@given(st.from_regex(r"\+?[0-9][0-9 .()-]{0,20}", fullmatch=True), st.sampled_from([None, "US", "DE", "IT"]))
def test_no_start_begins_with_another_so_that_no_number_is_counted_twice(text: str, region: str | None) -> None:
    starts = number_starts(text, region)
    assert starts
    assert not [one for one in starts for other in starts if one != other and one.startswith(other)]


@given(st.from_regex(r"\+?[0-9]{3,15}", fullmatch=True), st.sampled_from([None, "US", "DE", "IT"]))
def test_a_whole_number_is_found_as_it_was_stored(text: str, region: str | None) -> None:
    assert any(normalise(text, region).startswith(start) for start in number_starts(text, region))


@given(st.text(min_size=1, max_size=3), st.text(max_size=3))
def test_a_text_with_a_start_is_below_the_end_of_the_range(start: str, rest: str) -> None:
    if start[-1] != chr(0x10FFFF):
        assert start <= start + rest < after_all_with(start)
