"""Tests of the length of text messages as authors see it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.domain.messages.sms_parts import is_gsm7, parts_of
from dialer.domain.messages.text_length import PLAIN, TextLength, length_of
from tests.sizes import EXAMPLES


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", TextLength(0, 1, (), (), 1)),
        ("a" * 160, TextLength(160, 1, (), (), 1)),
        ("a" * 161, TextLength(161, 2, (), (), 2)),
        ("9 \u2013 5 " + "a" * 154, TextLength(160, 3, ("\u2013",), ("-",), 1)),
        ("\u201cYes\u201d \u2026" + "a" * 80, TextLength(87, 2, ("\u201c", "\u201d", "\u2026"), ('"', "..."), 1)),
        ("\u2013 short", TextLength(7, 1, ("\u2013",), (), 1)),
        ("\u2013 \u4f60" + "a" * 80, TextLength(83, 2, ("\u2013", "\u4f60"), (), 2)),
        ("\u4e00\u4e8c\u4e09\u56db\u4e94\u516d", TextLength(6, 1, tuple("\u4e00\u4e8c\u4e09\u56db\u4e94"), (), 1)),
    ],
)
def test_the_length_names_the_letters_that_make_a_text_dear(text: str, length: TextLength) -> None:
    assert length_of(text) == length


def test_what_stands_for_a_letter_is_in_the_alphabet_and_the_letter_is_not() -> None:
    assert [letter for letter, plain in PLAIN.items() if is_gsm7(letter) or not is_gsm7(plain)] == []


def test_what_stands_for_a_letter_changes_no_word_and_no_number() -> None:
    """A package with 1/2 for a half makes eleven halves of 1\u00bd (`findings/`)."""
    assert [pair for pair in PLAIN.items() if any(map(str.isalnum, "".join(pair)))] == []


@settings(max_examples=EXAMPLES)
@given(st.text(alphabet=st.sampled_from([*"ab \u00e9\u20ac\u4f60", *PLAIN]), max_size=400))
def test_plain_letters_never_make_more_parts(text: str) -> None:
    length = length_of(text)
    assert (length.characters, length.parts) == (len(text), parts_of(text))
    assert (length.plain_parts < length.parts) is bool(length.plain)
    assert bool(length.letters) is not is_gsm7(text)
